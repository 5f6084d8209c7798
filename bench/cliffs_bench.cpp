#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"

/// Systems of a size at which some part of the program once became slow; each has its own target.
namespace tactus {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

System make(std::string_view recipe_name, const Given& given, std::uint64_t index = 0) {
  const Recipe& recipe = *find_recipe(recipe_name);
  return *generate(recipe, Settings(recipe.parameters, given), 1, index);
}

Options bounds_only() {
  Options options;
  options.plan = false;
  options.terms = false;
  return options;
}

void judge(benchmark::State& state, std::string_view method, const System& system,
           const Options& options = bounds_only()) {
  Verdict verdict;
  for (auto _ : state) verdict = analyze(*find_method(method), system, options);
  state.SetLabel(std::string(to_string(verdict.status)));
}

/// `tasks` on 4 cores, together as light as a few of the paper's.
System many_tasks(std::int64_t tasks) {
  const double most = 1.0 / static_cast<double>(tasks);
  return make("gcaps-table3", {{"tasks", std::to_string(tasks)},
                               {"task-util-min", std::to_string(0.2 * most)},
                               {"task-util-max", std::to_string(most)},
                               {"period-min", "1000"},
                               {"period-max", "50000"},
                               {"runlist-update", "0.0001"},
                               {"context-switch", "0.0001"}});
}

void simulate_many_tasks(benchmark::State& state, const std::string& method) {
  const System system = many_tasks(state.range(0));
  const Verdict verdict = analyze(*find_method(method), system);
  const simulate::MethodPolicy entry = *simulate::find_policy(method);
  simulate::Until until;
  until.events = 100'000;
  std::uint64_t events = 0;
  for (auto _ : state) {
    const auto policy = entry.make(system, verdict);
    events += simulate::run(system, **policy, {}, until).events;
  }
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
void SimulateGcaps(benchmark::State& state) { simulate_many_tasks(state, "gcaps.suspend"); }
void SimulateMpcp(benchmark::State& state) { simulate_many_tasks(state, "mpcp.suspend"); }
void SimulateRoundRobin(benchmark::State& state) { simulate_many_tasks(state, "tsg-rr.busy"); }
BENCHMARK(SimulateGcaps)->Arg(100)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK(SimulateMpcp)->Arg(1'000)->Unit(benchmark::kMillisecond);
BENCHMARK(SimulateRoundRobin)->Arg(1'000)->Unit(benchmark::kMillisecond);

void GcapsSuspend(benchmark::State& state) {
  judge(state, "gcaps.suspend", many_tasks(state.range(0)));
}
BENCHMARK(GcapsSuspend)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);

/// At utilisations where some sets pass and some do not.
void edge(benchmark::State& state, std::string_view method, const char* utilization) {
  judge(state, method,
        make("rtgpu-table1", {{"tasks", std::to_string(state.range(0))},
                              {"sms", "132"},
                              {"utilization", utilization}}));
}
void SelfSuspensionAtTheEdge(benchmark::State& state) { edge(state, "self-suspension", "0.4"); }
void StgmAtTheEdge(benchmark::State& state) { edge(state, "stgm", "0.8"); }
BENCHMARK(SelfSuspensionAtTheEdge)->Arg(20)->Arg(30)->Unit(benchmark::kMillisecond);
BENCHMARK(StgmAtTheEdge)->Arg(20)->Arg(30)->Unit(benchmark::kMillisecond);

/// 30 tasks at U = 2.4, where some sets have a table and some do not; the argument is the seed. 12 and
/// 34 have none, 8 and 31 have one; an exact search alone decided none of them in 10 s.
void PbsGraph(benchmark::State& state) {
  const Recipe& recipe = *find_recipe("pbs-slowdown");
  const Settings settings(recipe.parameters, Given{{"n", "30"}, {"u", "2.4"}});
  judge(state, "pbs.graph",
        *generate(recipe, settings, static_cast<std::uint64_t>(state.range(0)), 0));
}
BENCHMARK(PbsGraph)->Arg(8)->Arg(12)->Arg(31)->Arg(34)->Unit(benchmark::kMillisecond);

/// 60 tasks at U = 2.4 with harmonic periods (those of the recipe, moved to 400, 800 and 1600 together
/// with their times); the argument is the seed.
void PbsGraphHarmonic(benchmark::State& state) {
  const Recipe& recipe = *find_recipe("pbs-slowdown");
  const Settings settings(recipe.parameters, Given{{"n", "60"}, {"u", "2.4"}});
  System system = *generate(recipe, settings, static_cast<std::uint64_t>(state.range(0)), 0);
  for (Task& task : system.tasks) {
    const bool shorter = *task.period == Time::from_ms(600);
    if (!shorter && *task.period != Time::from_ms(1200)) continue;
    Time& wcet = *task.nodes[0].wcet;
    wcet = Time::from_ms(
        std::max<std::int64_t>(1, wcet.ns() * (shorter ? 2 : 4) / 3 / Time::from_ms(1).ns()));
    task.period = task.deadline = Time::from_ms(shorter ? 400 : 1600);
  }
  judge(state, "pbs.graph", system);
}
BENCHMARK(PbsGraphHarmonic)->Arg(1)->Arg(4)->Arg(9)->Unit(benchmark::kMillisecond);

/// 30 tasks one after the other, since none may run beside another one: about 2,400 jobs.
void PbsGraphSerial(benchmark::State& state) {
  constexpr std::int64_t kPeriods[] = {20,  24,  30,  40,  48,  50,  60,  80,
                                       100, 120, 150, 160, 200, 240, 300, 400};
  Random random(static_cast<std::uint64_t>(state.range(0)), 0);
  System system = make("pbs-slowdown", {{"n", "30"}, {"u", "0.9"}});
  system.interference->model = InterferenceModel::kNone;
  std::int64_t jobs = 0;
  for (Task& task : system.tasks) {
    const std::int64_t period = kPeriods[random.integer(0, std::ssize(kPeriods) - 1)];
    jobs += 4'800 / period;
    task.nodes[0].wcet = Time::from_ms(std::max<std::int64_t>(1, period / 36));
    task.period = task.deadline = Time::from_ms(period);
  }
  judge(state, "pbs.graph", system);
  state.counters["jobs"] = static_cast<double>(jobs);
}
BENCHMARK(PbsGraphSerial)->DenseRange(1, 4)->Unit(benchmark::kMillisecond);

/// Layers of 8.5 nodes on average: 62,000 layers are half a million nodes, the most that are drawn.
void DagBalanced(benchmark::State& state) {
  const std::string depth = std::to_string(state.range(0));
  judge(state, "dag.balanced",
        make("dag-layered", {{"p", "16"}, {"depth-min", depth}, {"depth-max", depth}}));
}
BENCHMARK(DagBalanced)->Arg(12'000)->Arg(62'000)->Unit(benchmark::kMillisecond)->Iterations(1);

/// As many nodes in a layer as there are layers: a million at most.
void DagBalancedWide(benchmark::State& state) {
  const std::string side = std::to_string(state.range(0));
  judge(state, "dag.balanced", make("dag-stencil", {{"w", side}, {"s", side}}));
}
BENCHMARK(DagBalancedWide)->Arg(300)->Arg(1'000)->Unit(benchmark::kMillisecond)->Iterations(1);

/// The recipe splits nodes that use the GPU: 5,650 become about 10,000. More edges cannot be drawn.
void GangRmHe(benchmark::State& state) {
  const std::string nodes = std::to_string(state.range(0));
  judge(state, "gang.rm-he",
        make("gang-fig9",
             {{"nodes-min", nodes}, {"nodes-max", nodes}, {"edge-probability", "0.02"}}));
}
BENCHMARK(GangRmHe)->Arg(1'130)->Arg(5'650)->Unit(benchmark::kMillisecond)->Iterations(1);

/// A task that leaves a millionth of the core, or of the GPU, to the others: the bound of the next one
/// is over a million periods.
System nearly_full(std::string_view on) {
  const auto nodes = [&](std::int64_t ns) {
    const std::string first =
        fmt::format(R"({{"name":"c","on":"cpu","wcet":{}}})", on == "cpu" ? ns : std::int64_t{0});
    if (on == "cpu") return first;
    return fmt::format(R"({},{{"name":"g","on":"gpu","wcet":{}}})", first, ns);
  };
  return *read_system(fmt::format(R"({{"tactus":1,"name":"full","time_unit":"ns",
      "platform":{{"elements":[{{"name":"cpu","kind":"cpu","units":2}},
        {{"name":"gpu","kind":"gpu","units":8,"runlist_update":0,"context_switch":0,
          "time_slice":1000000}}]}},
      "tasks":[
        {{"name":"h","period":1000000,"priority":2,"core":1,"nodes":[{}]}},
        {{"name":"l","period":3000000000000000,"priority":1,"core":{},"nodes":[{}]}}]}})",
                                  nodes(999'999), on == "cpu" ? 1 : 2, nodes(2'000'000)))
              .system;
}
/// A short DAG below one that uses the core for a million times as long.
System short_below_long() {
  return *read_system(R"({"tactus":1,"name":"short","time_unit":"ns",
      "platform":{"elements":[{"name":"cpu","kind":"cpu","units":1}]},
      "tasks":[
        {"name":"h","period":20000000,"nodes":[{"name":"a","on":"cpu","wcet":9000000}]},
        {"name":"l","period":100000000,"nodes":[{"name":"a","on":"cpu","wcet":9}]}]})")
              .system;
}

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](std::string_view method, std::string_view name, const System& system) {
    benchmark::RegisterBenchmark(fmt::format("{}/{}", name, method).c_str(),
                                 [=](benchmark::State& state) { judge(state, method, system); });
  };
  for (const std::string_view on : {"cpu", "gpu"}) {
    for (const Method* method : registry()) {
      if (method->check_plan != nullptr && method->id.starts_with("pbs"))
        continue;  // no recurrence
      const Verdict verdict = analyze(*method, nearly_full(on), bounds_only());
      if (verdict.status == Status::kNotApplicable) continue;
      add(method->id, fmt::format("NearlyFull/{}", on), nearly_full(on));
    }
  }
  add("gang.rm-he", "ShortBelowLong", short_below_long());
  return true;
}();

}  // namespace
}  // namespace tactus
