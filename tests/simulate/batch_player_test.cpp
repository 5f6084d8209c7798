// Batches played on the simulated GPU: the worked schedules of the specification, and no run that
// takes longer than its table says.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tactus/methods/promise.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/methods/pbs/systems.hpp"
#include "tests/simulate/running.hpp"

namespace tactus::simulate {
namespace {

using pbs::testing::example_21;
using pbs::testing::figure_1;
using testing::hunted;
using testing::played;
using testing::shown;

/// The table that the specification gives for Figure 1 (section 9.1), not just any feasible one.
Verdict table_of_figure_1(const System& system) {
  const auto set = std::get<pbs::TaskSet>(pbs::make_task_set(system));
  const std::vector<pbs::Frame> frames = {
      {0, 1, {{0, 0}}},   {1, 5, {{1, 0}, {2, 0}}}, {5, 6, {{0, 1}}},
      {6, 9, {{1, 1}}},   {9, 10, {{0, 2}}},        {10, 14, {{1, 2}, {2, 1}}},
      {14, 15, {{0, 3}}}, {15, 18, {{1, 3}}},       {18, 19, {{0, 4}}},
  };
  Verdict verdict;
  verdict.status = Status::kSchedulable;
  verdict.tasks = pbs::bounds_of(set, frames);
  verdict.plan = std::make_shared<pbs::ScheduleTable>(set, Time(), frames);
  return verdict;
}

TEST(TablePlayer, PlaysFigure1AsTheTableSays) {
  const System system = pbs::testing::make(figure_1());
  const trace::Trace trace = played(system, "pbs.graph", table_of_figure_1(system), 20);
  EXPECT_EQ(shown(system, trace),
            "t1.k [0,1], t2.k [1,5], t3.k [1,5], t1.k [5,6], t2.k [6,9], t1.k [9,10], "
            "t2.k [10,14], t3.k [10,14], t1.k [14,15], t2.k [15,18], t1.k [18,19]");
}

TEST(TablePlayer, PlaysAChainOfKernelsAsOneKernel) {
  System system = pbs::testing::make(figure_1());
  Task& task = system.tasks[1];
  Node second = task.nodes.front();
  second.name.push_back('2');
  second.wcet = *second.wcet - Time::from_ms(1);
  task.nodes.front().wcet = Time::from_ms(1);
  task.nodes.push_back(second);
  task.graph = Graph::chain(2);
  const trace::Trace trace = played(system, "pbs.graph", table_of_figure_1(system), 20);
  EXPECT_EQ(shown(system, trace),
            "t1.k [0,1], t2.k [1,5], t3.k [1,5], t1.k [5,6], t2.k [6,9], t1.k [9,10], "
            "t2.k [10,14], t3.k [10,14], t1.k [14,15], t2.k [15,18], t1.k [18,19]");
}

TEST(TablePlayer, RepeatsTheTableEveryHyperperiod) {
  const System system = pbs::testing::make(figure_1());
  const Verdict verdict = table_of_figure_1(system);
  const trace::Trace once = played(system, "pbs.graph", verdict, 20);
  const trace::Trace twice = played(system, "pbs.graph", verdict, 40);
  const Time hyperperiod = Time::from_ms(20);
  ASSERT_EQ(twice.intervals.size(), 2 * once.intervals.size());
  for (std::size_t i = 0; i < once.intervals.size(); ++i) {
    const trace::Interval& again = twice.intervals[once.intervals.size() + i];
    EXPECT_EQ(again.task, once.intervals[i].task);
    EXPECT_EQ(again.start, once.intervals[i].start + hyperperiod);
    EXPECT_EQ(again.end, once.intervals[i].end + hyperperiod);
  }
}

TEST(TablePlayer, SubmitsABatchOfExample21Together) {
  const System system = pbs::testing::make(example_21(true));
  const Verdict verdict = analyze(*find_method("pbs.graph"), system);
  EXPECT_EQ(shown(system, played(system, "pbs.graph", verdict, 10)), "j1.k [0,8], j2.k [0,8]");
}

TEST(TablePlayer, PlaysUntilTheSlowestTaskHasHadItsJobs) {
  const System system = pbs::testing::make(figure_1());
  const Verdict verdict = table_of_figure_1(system);
  const auto policy = find_policy("pbs.graph")->make(system, verdict);
  Until until;
  until.jobs = 10;
  trace::Observed observed = run(system, **policy, trace::Scenario{}, until);
  hold_to(verdict, observed);
  EXPECT_EQ(observed.end, Time::from_ms(100));
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    EXPECT_EQ(observed.tasks[i].responses.size(),
              static_cast<std::size_t>(observed.end.ns() / system.tasks[i].period->ns()));
  }
  EXPECT_TRUE(trace::violations(observed).empty());
}

TEST(TablePlayer, NeedsATable) {
  const System system = pbs::testing::make(pbs::testing::finding(1));  // infeasible
  const Verdict verdict = analyze(*find_method("pbs.graph"), system);
  EXPECT_FALSE(find_policy("pbs.graph")->make(system, verdict));
}

/// What ends late within the first hyperperiod (afterwards the run has jobs that the analysis,
/// which ends there, has not) is what the verdict lists.
void expect_the_misses_of_the_verdict(std::string_view method) {
  const System system = pbs::testing::make(figure_1());
  const Verdict verdict = analyze(*find_method(method), system);
  std::vector<std::string> expected, seen;
  const auto text = [&](TaskIndex task, std::int64_t job, Time end) {
    return fmt::format("{}#{} at {}", system.tasks[task].name, job,
                       format_time(end, system.time_unit));
  };
  for (const MissedJob& miss : verdict.missed) {
    if (miss.finish <= Time::from_ms(20)) {
      expected.push_back(text(miss.task, miss.job, miss.finish));
    }
  }
  for (const trace::JobSpan& job : played(system, method, verdict, 20).jobs) {
    if (job.missed && job.ended) seen.push_back(text(job.task, job.job, job.end));
  }
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(seen, expected);
}

TEST(EdfPlayer, MissesOnlineWhatTheAnalysisSays) {
  expect_the_misses_of_the_verdict("pbs.edf-serial");
  expect_the_misses_of_the_verdict("pbs.edf-parallel");
}

TEST(EdfPlayer, RunsFigure1OnlineAsTheAnalysisDoes) {
  const System system = pbs::testing::make(figure_1());
  const auto online = [&](std::string_view method) {
    return shown(system, played(system, method, analyze(*find_method(method), system), 11));
  };
  EXPECT_EQ(online("pbs.edf-serial"),
            "t1.k [0,1], t2.k [1,4], t1.k [4,5], t3.k [5,8], t2.k [8,11]");
  EXPECT_EQ(online("pbs.edf-parallel"),
            "t1.k [0,6], t2.k [0,6], t3.k [0,6], t1.k [6,10], t2.k [6,10], t1.k [10,11], "
            "t2.k [10,11], t3.k [10,11]");
}

TEST(Registry, KernelsOfATableArriveAsTheFileSays) {
  trace::Scenario scenario;
  scenario.releases = trace::Releases::kSporadic;
  EXPECT_EQ(find_policy("pbs.graph")->admit(scenario).releases, trace::Releases::kOffsets);
  EXPECT_EQ(find_policy("rtgpu")->admit(scenario).releases, trace::Releases::kSporadic);
}

TEST(Hunt, FindsNoRunBeyondABatchTable) {
  for (const char* method : {"pbs.graph", "pbs.edf-serial", "pbs.edf-parallel"}) {
    EXPECT_EQ(hunted(method, "safe", 400).violations, 0U) << method;
  }
}

}  // namespace
}  // namespace tactus::simulate
