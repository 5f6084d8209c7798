#include <benchmark/benchmark.h>

#include "tactus/generate/gang_recipes.hpp"
#include "tactus/methods/gang/gang_methods.hpp"
#include "tactus/methods/gang/shares/solver.hpp"

/// The targets of the gang family; measured figures are in bench/results.
namespace tactus::gang {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

System made(const Recipe& recipe, const Given& given, std::uint64_t index = 0) {
  return *generate(recipe, Settings(recipe.parameters, given), 1, index);
}

Options without_plan() {
  Options options;
  options.plan = false;
  return options;
}

/// WC and SWC of 120 nodes on 6 elements (target: 1 ms).
void Fig8LargestDag(benchmark::State& state) {
  const System system = made(kFig8, {{"nodes-min", "120"},
                                     {"elements-min", "6"},
                                     {"edge-probability", state.range(0) == 1 ? "0.1" : "0.5"},
                                     {"processors", "32"},
                                     {"width", "0.7"}});
  for (auto _ : state) {
    benchmark::DoNotOptimize(analyze(kWc, system, without_plan()));
    benchmark::DoNotOptimize(analyze(kSwc, system, without_plan()));
  }
}
BENCHMARK(Fig8LargestDag)->Arg(1)->Arg(5)->Unit(benchmark::kMicrosecond);

void Fig8LargestDagWithPlan(benchmark::State& state) {
  const System system = made(kFig8, {{"nodes-min", "120"}, {"elements-min", "6"}});
  for (auto _ : state) benchmark::DoNotOptimize(analyze(kSwc, system));
}
BENCHMARK(Fig8LargestDagWithPlan)->Unit(benchmark::kMillisecond);

/// 1,000 nodes on one SM of 2,048 lanes, widths without a common divisor (target: 1 s).
System thousand_nodes(const char* edges) {
  System system = made(kFig8, {{"nodes-min", "1000"},
                               {"nodes-max", "1000"},
                               {"elements-min", "1"},
                               {"elements-max", "1"},
                               {"processors", "2048"},
                               {"edge-probability", edges},
                               {"width", "0.7"}});
  system.platform.elements[0].units = 1;
  system.platform.elements[0].lanes = 2048;
  return system;
}
void ThousandNodes(benchmark::State& state) {
  static constexpr const char* kEdges[] = {"0", "0.002", "0.005", "0.02", "0.1"};
  const System system = thousand_nodes(kEdges[state.range(0)]);
  state.SetLabel(kEdges[state.range(0)]);
  for (auto _ : state) benchmark::DoNotOptimize(analyze(kSwc, system, without_plan()));
}
BENCHMARK(ThousandNodes)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

/// 50 chains of 20 nodes, listed round by round: hard for the dynamic program.
void FiftyChains(benchmark::State& state) {
  System system = thousand_nodes("0");
  std::vector<Edge> edges;
  for (NodeIndex v = 50; v < 1000; ++v) edges.emplace_back(v - 50, v);
  system.tasks[0].graph = Graph(1000, edges);
  for (auto _ : state) benchmark::DoNotOptimize(analyze(kSwc, system, without_plan()));
}
BENCHMARK(FiftyChains)->Unit(benchmark::kMillisecond);

/// Kernels of so many identical blocks (target: 10,000 cost about as much as 10).
void IdenticalBlocks(benchmark::State& state) {
  System system = made(kFig9, {{"nodes-min", "60"}, {"nodes-max", "60"}, {"sms", "132"}});
  for (Node& node : system.tasks[0].nodes) {
    if (node.blocks) node.blocks = state.range(0);
  }
  for (auto _ : state) benchmark::DoNotOptimize(analyze(kSwc, system, without_plan()));
}
BENCHMARK(IdenticalBlocks)->Arg(10)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

/// 20 graphs on 64 cores and 132 SMs (target: 2 s, typically 100 ms).
System twenty_dags(double tightness) {
  System system = made(kFig10, {{"cpus", "64"}, {"sms", "132"}, {"utilisation", "1"}});
  for (std::uint64_t i = 1; system.tasks.size() < 20; ++i) {
    for (Task& task :
         made(kFig10, {{"cpus", "64"}, {"sms", "132"}, {"utilisation", "1"}}, i).tasks) {
      task.name += 'x';
      system.tasks.push_back(task);
    }
  }
  system.tasks.resize(20);
  int number = 0;
  for (Task& task : system.tasks) {
    task.name = "dag" + std::to_string(number++);
    task.period = task.deadline = Time::from_ns(
        static_cast<std::int64_t>(tightness * static_cast<double>(task.period->ns())));
  }
  return system;
}
void TwentyDags(benchmark::State& state) {
  const System system = twenty_dags(static_cast<double>(state.range(0)) / 100);
  Options options;
  options.settings["solver"] = state.range(1) == 0 ? "pareto" : "cbc";
  Verdict verdict;
  for (auto _ : state) verdict = analyze(kSwc, system, options);
  state.SetLabel(options.settings["solver"] + ": " + std::string(to_string(verdict.status)) + " " +
                 verdict.reason);
}
BENCHMARK(TwentyDags)
    ->ArgsProduct({{150, 190, 210, 220, 250, 400}, {0}})
    ->Args({400, 1})
    ->Args({250, 1})
    ->Unit(benchmark::kMillisecond);

/// One point of Fig. 8: ratio SWC / WC over 1,000 sets (all 15 points in 30 s on two cores).
void Fig8Point(benchmark::State& state) {
  double sum = 0;
  std::int64_t sets = 0;
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const System system = made(kFig8, {{"edge-probability", "0.3"}, {"width", "0.7"}}, i);
      const Verdict wc = analyze(kWc, system, without_plan());
      const Verdict swc = analyze(kSwc, system, without_plan());
      sum += static_cast<double>(swc.tasks[0].bound->ns()) /
             static_cast<double>(wc.tasks[0].bound->ns());
      ++sets;
    }
  }
  state.counters["mean_ratio"] = sum / static_cast<double>(sets);
}
BENCHMARK(Fig8Point)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace tactus::gang
