// Jitter and chains: what a verdict costs with and without late releases, and what long chains do.
#include <benchmark/benchmark.h>

#include "bench/analyse.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/end_to_end.hpp"
#include "tactus/model/paths.hpp"

namespace tactus {
namespace {

/// The same sets with a jitter of so large a part of every period; so small that most of them pass
/// or fail as without, and one evaluation is compared with another. Where they are to be linked, every
/// second task is started by the one before it.
std::vector<System> sets(const char* jitter, bool linked = false) {
  const Recipe& recipe = *find_recipe("common");
  std::vector<System> all;
  for (std::uint64_t index = 0; index < 300; ++index) {
    all.push_back(
        *generate(recipe, Settings(recipe.parameters, {{"jitter", jitter}, {"utilization", "0.6"}}),
                  1, index));
    if (!linked) continue;
    System& system = all.back();
    for (TaskIndex task = 1; task < system.tasks.size(); task += 2) {
      system.tasks[task].after = task - 1;
    }
    follow_periods(system);
  }
  return all;
}

void verdicts(benchmark::State& state, const Method* method, const char* jitter) {
  const std::vector<System> all = sets(jitter);
  analyse_in_turn(state, *method, all, "safe");
}

/// How often all bounds are found until the jitters of tasks that others start are what these say: the
/// same steps as in the methods, from outside, with a period and a jitter in the place of `after`.
int rounds_of(const Method& method, const System& linked) {
  System system = linked;
  for (Task& task : system.tasks) task.after.reset();
  for (int rounds = 1;; ++rounds) {
    const Verdict verdict = analyze(method, system);
    bool changed = false;
    for (const TaskVerdict& found : verdict.tasks) {
      for (TaskIndex k = 0; k < system.tasks.size(); ++k) {
        const Task& task = linked.tasks[k];
        if (!task.after || *task.after != found.task || !found.bound) continue;
        const Time now = *found.bound - least_time(linked.tasks[found.task]) + task.jitter;
        changed = changed || now != system.tasks[k].jitter;
        system.tasks[k].jitter = now;
      }
    }
    if (!changed) return rounds;
  }
}

void tasks_that_start_tasks(benchmark::State& state, const Method* method) {
  const std::vector<System> all = sets("0.001", true);
  int rounds = 0, most = 0;
  for (const System& system : all) {
    const int own = rounds_of(*method, system);
    rounds += own;
    most = std::max(most, own);
  }
  analyse_in_turn(state, *method, all, "safe");
  state.counters["rounds"] = static_cast<double>(rounds) / static_cast<double>(all.size());
  state.counters["most"] = most;
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const char* id :
       {"gcaps.suspend", "gcaps.busy", "tsg-rr.busy", "mpcp.suspend", "fmlp.suspend",
        "gcaps.boost.suspend", "gcaps.boost.busy", "gang.rm-he", "gang.wc"}) {
    for (const char* jitter : {"0", "0.001"}) {
      benchmark::RegisterBenchmark(
          (std::string(id) + "/jitter-" + jitter).c_str(),
          [=](benchmark::State& state) { verdicts(state, find_method(id), jitter); })
          ->Unit(benchmark::kMicrosecond);
    }
  }
  // Of methods that search, each choice has rounds of its own: there it is less clear what to count.
  for (const char* id :
       {"gcaps.suspend", "gcaps.busy", "tsg-rr.busy", "mpcp.suspend", "fmlp.suspend"}) {
    benchmark::RegisterBenchmark(
        (std::string(id) + "/after").c_str(),
        [=](benchmark::State& state) { tasks_that_start_tasks(state, find_method(id)); })
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

/// So many tasks, a tenth of them in each of ten chains; their bounds are given.
struct Chained {
  System system;
  Verdict verdict;
};
Chained chained(std::size_t tasks, const std::vector<std::int64_t>& periods_us,
                Chain::Phases phases) {
  Chained made;
  for (std::size_t k = 0; k < tasks; ++k) {
    Task& task = made.system.tasks.emplace_back();
    task.period = task.deadline = Time::from_us(periods_us[k % periods_us.size()]);
    TaskVerdict& verdict = made.verdict.tasks.emplace_back();
    verdict.task = static_cast<TaskIndex>(k);
    verdict.bound = task.deadline;
    verdict.schedulable = true;
  }
  for (std::size_t k = 0; k + 10 <= tasks; k += 10) {
    Chain& chain = made.system.chains.emplace_back();
    chain.phases = phases;
    for (std::size_t place = 0; place < std::min<std::size_t>(10, periods_us.size()); ++place) {
      chain.tasks.push_back(static_cast<TaskIndex>(k + place));
    }
  }
  return made;
}

void bound_chains(benchmark::State& state, const Chained& made) {
  for (auto _ : state) {
    Verdict verdict = made.verdict;
    verdict.status = Status::kSchedulable;
    add_end_to_end(made.system, verdict);
    benchmark::DoNotOptimize(verdict);
  }
  state.counters["chains"] = static_cast<double>(made.system.chains.size());
}

void chains_of_10_over_1000_tasks(benchmark::State& state, Chain::Phases phases) {
  bound_chains(state, chained(1'000,
                              {1'000, 2'000, 5'000, 10'000, 20'000, 50'000, 100'000, 200'000,
                               500'000, 1'000'000},
                              phases));
}
BENCHMARK_CAPTURE(chains_of_10_over_1000_tasks, any, Chain::Phases::kAny)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chains_of_10_over_1000_tasks, fixed, Chain::Phases::kFixed)
    ->Unit(benchmark::kMillisecond);

/// One chain whose first task has 10^6 jobs until the phases repeat; the rare task is the last one, so
/// that every job is looked at.
void a_fixed_chain_of_a_million_jobs(benchmark::State& state) {
  Chained made = chained(10, {1, 1, 1, 1}, Chain::Phases::kFixed);
  made.system.tasks[3].period = Time::from_us(1'000'000);
  bound_chains(state, made);
}
BENCHMARK(a_fixed_chain_of_a_million_jobs)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tactus
