// What running a plan costs the host: jobs a second through the executors, on the emulator.
#include <benchmark/benchmark.h>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/executors/run_plan.hpp"
#include "tactus/simulate/registry.hpp"

namespace tactus {
namespace {

constexpr std::uint32_t kJobs = 100;

System drawn(const char* recipe, const std::map<std::string, std::string, std::less<>>& settings) {
  const Recipe* found = find_recipe(recipe);
  return *generate(*found, Settings(found->parameters, settings), 1, 0);
}

/// Runs the plan that `method` makes for a system, again and again.
void run_plan(benchmark::State& state, const System& system, const char* method) {
  const Verdict verdict = analyze(*find_method(method), system);
  if (!verdict.plan) return state.SkipWithError("no plan");
  std::int64_t pieces = 0;
  for (auto _ : state) {
    runtime::RunOptions options;
    options.jobs = kJobs;
    options.scenario = simulate::find_policy(method)->admit({});
    const auto device = runtime::open_backend("emulator", system, {});
    const auto report = runtime::run_plan(system, {method, verdict.plan}, **device, options);
    if (!report) return state.SkipWithError(report.error().message.c_str());
    for (const trace::ObservedNode& piece : report->nodes) {
      pieces += static_cast<std::int64_t>(piece.runs);
    }
  }
  state.SetItemsProcessed(pieces);  // kernels, copies and CPU segments
}

void BM_Dag(benchmark::State& state) {
  run_plan(state, drawn("dag-laplace", {{"sms", std::to_string(state.range(0))}}), "dag.balanced");
}
BENCHMARK(BM_Dag)->Arg(8)->Arg(132)->Unit(benchmark::kMillisecond);

void BM_Pbs(benchmark::State& state) {
  run_plan(state, drawn("pbs-slowdown", {{"u", "0.8"}}), "pbs.graph");
}
BENCHMARK(BM_Pbs)->Unit(benchmark::kMillisecond);

void BM_Rtgpu(benchmark::State& state) {
  run_plan(state, drawn("rtgpu-table1", {{"utilization", "0.4"}}), "rtgpu");
}
BENCHMARK(BM_Rtgpu)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tactus
