// Speed of the GCAPS family: one 20-task system by all methods, and random sets a second by method.
#include <benchmark/benchmark.h>

#include "bench/analyse.hpp"
#include "tactus/generate/gcaps_table3.hpp"
#include "tactus/methods/gcaps/gcaps_methods.hpp"

namespace tactus {
namespace {

std::vector<System> sets(const std::map<std::string, std::string, std::less<>>& settings,
                         std::uint64_t count) {
  std::vector<System> all;
  for (std::uint64_t index = 0; index < count; ++index) {
    all.push_back(
        *generate(gcaps::kTable3, Settings(gcaps::kTable3.parameters, settings), 1, index));
  }
  return all;
}

/// Table 3 sets at low utilisation: most pass by some method, so that few analyses stop early.
const std::vector<System>& light_sets() {
  static const auto kSets = sets({{"util-min", "0.1"}, {"util-max", "0.2"}}, 1000);
  return kSets;
}
const std::vector<System>& default_sets() {
  static const auto kSets = sets({}, 1000);
  return kSets;
}
const System& twenty_tasks() {
  static const auto kSets =
      sets({{"tasks-min", "5"}, {"tasks-max", "5"}, {"util-min", "0.1"}, {"util-max", "0.1"}}, 1);
  return kSets.front();
}

void all_methods_of_a_20_task_system(benchmark::State& state) {
  const System& system = twenty_tasks();
  for (auto _ : state) {
    for (const Method* method : registry().first(10)) {
      benchmark::DoNotOptimize(analyze(*method, system));
    }
  }
  state.counters["tasks"] = static_cast<double>(system.tasks.size());
}
BENCHMARK(all_methods_of_a_20_task_system)->Unit(benchmark::kMicrosecond);

void sets_a_second(benchmark::State& state, const Method* method, const std::vector<System>& all,
                   const char* variant) {
  analyse_in_turn(state, *method, all, variant);
  state.counters["sets/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Method* method : registry().first(10)) {
    const std::string id(method->id);
    for (const char* variant : {"safe", "paper"}) {
      benchmark::RegisterBenchmark(
          ("light/" + id + "/" + variant).c_str(),
          [=](benchmark::State& s) { sets_a_second(s, method, light_sets(), variant); });
      benchmark::RegisterBenchmark(
          ("table3/" + id + "/" + variant).c_str(),
          [=](benchmark::State& s) { sets_a_second(s, method, default_sets(), variant); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace tactus
