#include <benchmark/benchmark.h>

#include "tactus/generate/dag_graphs.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"

/// The targets of the dag family, one thread: a 1,000-node graph planned in under 5 ms, 100,000
/// nodes in under 2 s, more than 200,000 layered graphs generated a second at P = 8, Fig. 4 at
/// 1,000 graphs a point for all methods in under 5 s.
namespace tactus {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

System make(std::string_view recipe_name, const Given& given, std::uint64_t index = 0) {
  const Recipe& recipe = *find_recipe(recipe_name);
  return *generate(recipe, Settings(recipe.parameters, given), 1, index);
}

void plan(benchmark::State& state, const System& system, std::string_view method,
          std::string_view effort = "normal") {
  Options options;
  options.settings["effort"] = effort;
  for (auto _ : state) {
    benchmark::DoNotOptimize(analyze(*find_method(method), system, options));
  }
  state.counters["nodes"] = static_cast<double>(system.tasks[0].nodes.size());
  state.counters["edges"] = static_cast<double>(system.tasks[0].graph.edge_count());
}

/// About 1,000 nodes: 30 layers of 33 on average.
System thousand() {
  return make("dag-layered", {{"p", "64"}, {"depth-min", "33"}, {"depth-max", "33"}});
}
/// About 100,000 nodes.
System hundred_thousand() {
  return make("dag-layered", {{"p", "64"}, {"depth-min", "3040"}, {"depth-max", "3040"}});
}

void BM_Plan1000(benchmark::State& state) { plan(state, thousand(), "dag.balanced"); }
BENCHMARK(BM_Plan1000)->Unit(benchmark::kMillisecond);
void BM_Plan1000HighEffort(benchmark::State& state) {
  plan(state, thousand(), "dag.balanced", "high");
}
BENCHMARK(BM_Plan1000HighEffort)->Unit(benchmark::kMillisecond);
void BM_Plan100000(benchmark::State& state) { plan(state, hundred_thousand(), "dag.balanced"); }
BENCHMARK(BM_Plan100000)->Unit(benchmark::kMillisecond)->Iterations(3);

void BM_LayeredShapes(benchmark::State& state) {
  std::uint64_t index = 0;
  for (auto _ : state) {
    Random random(1, index++);
    const dag::Shape shape = dag::layered({}, random);
    benchmark::DoNotOptimize(dag::draw_loads(shape.size, 20, true, random));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_LayeredShapes);

void BM_LayeredSystems(benchmark::State& state) {
  const Recipe& recipe = *find_recipe("dag-layered");
  const Settings settings(recipe.parameters, {});
  std::uint64_t index = 0;
  for (auto _ : state) benchmark::DoNotOptimize(generate(recipe, settings, 1, index++));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_LayeredSystems);

/// Seven points of 1,000 graphs, all four methods and the printed variant.
void BM_Figure4(benchmark::State& state) {
  const Recipe& recipe = *find_recipe("dag-layered");
  for (auto _ : state) {
    for (const char* sms : {"4", "8", "16", "32", "64", "128", "256"}) {
      const Settings settings(recipe.parameters, {{"sms", sms}});
      for (std::uint64_t index = 0; index < 1000; ++index) {
        const System system = *generate(recipe, settings, 1, index);
        for (std::string_view id :
             {"dag.balanced", "dag.greedy", "dag.greedy-unaware", "dag.graham"}) {
          benchmark::DoNotOptimize(analyze(*find_method(id), system));
        }
        Options printed;
        printed.variant = "paper";
        benchmark::DoNotOptimize(analyze(*find_method("dag.balanced"), system, printed));
      }
    }
  }
}
BENCHMARK(BM_Figure4)->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
}  // namespace tactus
