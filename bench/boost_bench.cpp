// Speed of gcaps.boost: one 20-task system by the methods, and random sets a second by method.
#include <benchmark/benchmark.h>

#include <array>

#include "bench/analyse.hpp"
#include "tactus/generate/gcaps_table3.hpp"
#include "tactus/methods/gcaps/boost/boost_methods.hpp"

namespace tactus {
namespace {

using gcaps::boost::kBusy, gcaps::boost::kBusyPrio, gcaps::boost::kSuspend,
    gcaps::boost::kSuspendPrio;

std::vector<System> sets(const std::map<std::string, std::string, std::less<>>& settings,
                         std::uint64_t count) {
  std::vector<System> all;
  for (std::uint64_t index = 0; index < count; ++index) {
    all.push_back(
        *generate(gcaps::kTable3, Settings(gcaps::kTable3.parameters, settings), 1, index));
  }
  return all;
}

/// Twenty tasks at a utilisation where some sets pass and some fail after a long search.
const std::vector<System>& twenty_tasks() {
  static const auto kSets =
      sets({{"tasks-min", "5"}, {"tasks-max", "5"}, {"util-min", "0.4"}, {"util-max", "0.4"}}, 100);
  return kSets;
}
/// The recipe as it is: 12 to 24 tasks, 40 to 60 % per core.
const std::vector<System>& table3() {
  static const auto kSets = sets({}, 1000);
  return kSets;
}

template <std::size_t kCount>
void of_20_tasks(benchmark::State& state, const std::array<const Method*, kCount>& methods) {
  const auto& all = twenty_tasks();
  std::size_t next = 0;
  for (auto _ : state) {
    for (const Method* method : methods) benchmark::DoNotOptimize(analyze(*method, all[next]));
    next = (next + 1) % all.size();
  }
}
void plain_methods_of_20_tasks(benchmark::State& state) {
  of_20_tasks<2>(state, {&kSuspend, &kBusy});
}
void all_methods_of_20_tasks(benchmark::State& state) {
  of_20_tasks<4>(state, {&kSuspend, &kBusy, &kSuspendPrio, &kBusyPrio});
}
BENCHMARK(plain_methods_of_20_tasks)->Unit(benchmark::kMicrosecond);
BENCHMARK(all_methods_of_20_tasks)->Unit(benchmark::kMicrosecond);

[[maybe_unused]] const bool kRegistered = [] {
  for (const Method* method : {&kSuspend, &kBusy, &kSuspendPrio, &kBusyPrio}) {
    benchmark::RegisterBenchmark(
        ("table3/" + std::string(method->id)).c_str(), [=](benchmark::State& state) {
          analyse_in_turn(state, *method, table3(), "safe");
          state.counters["sets/s"] = benchmark::Counter(static_cast<double>(state.iterations()),
                                                        benchmark::Counter::kIsRate);
        });
  }
  return true;
}();

}  // namespace
}  // namespace tactus
