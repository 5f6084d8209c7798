// How long it takes to say how much room there is, and what to deploy.
#include <benchmark/benchmark.h>

#include "tactus/decide/advise.hpp"
#include "tactus/decide/slack.hpp"
#include "tactus/model/reader.hpp"

namespace tactus {
namespace {

/// Run from the source folder, as all benchmarks.
System example(const std::string& name) {
  return load_system("examples/" + name + ".system.json")->system.value();
}

void slack_of_the_robot(benchmark::State& state, const char* id) {
  const System system = example("robot");
  const Method& method = *find_method(id);
  std::int64_t analyses = 0;
  for (auto _ : state) analyses = decide::slack_of(method, system, {}).analyses;
  state.counters["analyses"] = static_cast<double>(analyses);
}
BENCHMARK_CAPTURE(slack_of_the_robot, gcaps_suspend, "gcaps.suspend")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(slack_of_the_robot, gcaps_busy, "gcaps.busy")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(slack_of_the_robot, gcaps_suspend_prio, "gcaps.suspend.prio")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(slack_of_the_robot, mpcp_suspend, "mpcp.suspend")->Unit(benchmark::kMillisecond);

/// Cores open, one of them kept for the arbiter; with priorities open too, the search is local.
void advise_of_the_forklift(benchmark::State& state, bool priorities) {
  const System system = example("forklift");
  decide::Wish wish;
  wish.methods.assign(registry().begin(), registry().end());
  wish.target = decide::Target::kTactusd;
  wish.open = decide::left_open(system);
  wish.open.cores = true;
  wish.open.priorities = priorities;
  std::int64_t analyses = 0, factor = 0;
  for (auto _ : state) {
    const decide::Advice advice = decide::advise(system, wish);
    analyses = advice.analyses;
    factor = advice.options.front().factor;
  }
  state.counters["analyses"] = static_cast<double>(analyses);
  state.counters["factor"] = static_cast<double>(factor) / 1000;
}
BENCHMARK_CAPTURE(advise_of_the_forklift, cores, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(advise_of_the_forklift, cores_and_priorities, true)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tactus
