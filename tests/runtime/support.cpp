#include "tests/runtime/support.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tactus/simulate/registry.hpp"

namespace tactus::runtime {

Ran ran(const System& system, const RunSetup& setup) {
  Ran result;
  Options options;
  options.variant = setup.variant;
  result.verdict = analyze(*find_method(setup.method), system, options);
  if (!result.verdict.plan) return result;
  RunOptions run;
  run.jobs = setup.jobs;
  run.strategy = setup.strategy;
  run.strict = setup.strict;
  run.best_effort_shares = setup.best_effort_shares;
  run.scenario = simulate::find_policy(setup.method)
                     ->admit(*trace::parse_scenario(setup.scenario, setup.seed));
  run.sink = &result.trace;
  BackendOptions backend;
  backend.scenario = run.scenario;
  backend.sms = setup.sms;
  backend.partition_step = setup.partition_step;
  backend.workload = setup.workload;
  const auto device = open_backend("emulator", system, backend);
  if (!device) {
    result.error = device.error().message;
    return result;
  }
  auto report = run_plan(system, {result.verdict.method, result.verdict.plan}, **device, run);
  if (report) {
    result.report = std::move(*report);
  } else {
    result.error = report.error().message;
  }
  return result;
}

System drawn(std::string_view method, std::uint64_t seed) {
  const Recipe& recipe = **simulate::hunting_ground(*find_method(method));
  return *generate(recipe, Settings(recipe.parameters, {}), seed, 0);
}

void expect_same_responses(const trace::Observed& run, const trace::Observed& simulated,
                           const std::string& what) {
  ASSERT_EQ(run.tasks.size(), simulated.tasks.size());
  for (TaskIndex task = 0; task < run.tasks.size(); ++task) {
    if (!run.tasks[task].took_part) continue;  // best-effort work, which some executors leave out
    std::vector<Time> ran = run.tasks[task].responses, played = simulated.tasks[task].responses;
    const std::size_t both = std::min(ran.size(), played.size());
    ASSERT_GE(both + 1, ran.size()) << what << ": the run only ends what it has released";
    ran.resize(both);
    played.resize(both);
    EXPECT_EQ(ran, played) << what << ", task " << task;
  }
}

void expect_sound(const System& system, const Ran& ran, const std::string& what) {
  ASSERT_TRUE(ran.report.has_value()) << what << ": " << ran.error;
  const bool proved = ran.verdict.status == Status::kSchedulable;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const trace::ObservedTask& seen = ran.report->tasks[task];
    EXPECT_FALSE(seen.exceeds_bound()) << what << ", task " << system.tasks[task].name << ": "
                                       << seen.longest_covered.ns() << " > " << seen.bound->ns();
    if (!proved) continue;
    EXPECT_EQ(seen.misses, 0u) << what << ", task " << system.tasks[task].name;
  }
  EXPECT_EQ(ran.report->failed, 0u) << what << ": " << ran.report->failures.front();
  for (const trace::ObservedNode& piece : ran.report->nodes) {
    EXPECT_EQ(piece.over, 0u) << what << ", " << piece.label;
    EXPECT_FALSE(piece.width_differs()) << what << ", " << piece.label;
  }
  // Precedence: every node starts after those before it have ended, job by job.
  std::map<std::tuple<TaskIndex, std::uint32_t, NodeIndex>, std::pair<Time, Time>> spans;
  for (const trace::Interval& interval : ran.trace.intervals) {
    const auto [at, first] = spans.try_emplace({interval.task, interval.job, interval.node},
                                               interval.start, interval.end);
    if (first) continue;
    at->second.first = std::min(at->second.first, interval.start);
    at->second.second = std::max(at->second.second, interval.end);
  }
  for (const auto& [place, span] : spans) {
    const auto [task, job, node] = place;
    for (const NodeIndex before : system.tasks[task].graph.predecessors(node)) {
      const auto found = spans.find({task, job, before});
      if (found == spans.end()) continue;  // it has no length
      EXPECT_LE(found->second.second, span.first) << what << ", node " << node;
    }
  }
}

}  // namespace tactus::runtime
