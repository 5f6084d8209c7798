// Gangs on shares of their own: who waits for whom, bounds for what the machine gave, random sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tactus/methods/gang/widths.hpp"
#include "tests/runtime/support.hpp"
#include "tests/simulate/support.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::runtime {
namespace {

using simulate::Schedule;
using simulate::schedule_of;

/// A gang of 2, one of 3 and one of 1 on 4 cores: whether the last passes the second differs.
System gangs() {
  return simulate::read(R"({"tactus":1,"name":"g","time_unit":"unit","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":4}]},"tasks":[{"name":"g","period":30,"deadline":30,"nodes":[
        {"name":"two","on":"cpu","wcet":4,"parallelism":2},
        {"name":"three","on":"cpu","wcet":2,"parallelism":3},
        {"name":"four","on":"cpu","wcet":1,"parallelism":4},
        {"name":"one","on":"cpu","wcet":3}],"edges":[["two","four"]]}]})");
}

TEST(RunGang, LetsAGangThatFitsPassOneThatDoesNotOnlyIfWorkConserving) {
  const System system = gangs();
  const Ran wc = ran(system, {.method = "gang.wc"}), swc = ran(system, {.method = "gang.swc"});
  ASSERT_TRUE(wc.report && swc.report) << wc.error << swc.error;
  EXPECT_EQ(schedule_of(system, wc.trace), (Schedule{{"two", {{{0, 4}, 2}}},
                                                     {"one", {{{0, 3}, 1}}},
                                                     {"three", {{{4, 6}, 3}}},
                                                     {"four", {{{6, 7}, 4}}}}));
  EXPECT_EQ(schedule_of(system, swc.trace), (Schedule{{"two", {{{0, 4}, 2}}},
                                                      {"three", {{{4, 6}, 3}}},
                                                      {"one", {{{4, 7}, 1}}},
                                                      {"four", {{{7, 8}, 4}}}}));
  EXPECT_TRUE(wc.report->good() && swc.report->good());
}

TEST(RunGang, GivesEveryTaskItsOwnSmsRoundedUpAndBoundsItOnThem) {
  const System system = simulate::read_file("examples/gang-shares.system.json");
  const Ran exact = ran(system, {.method = "gang.swc", .jobs = 20});
  const Ran rounded =
      ran(system, {.method = "gang.swc", .jobs = 20, .sms = 132, .partition_step = 8});
  ASSERT_TRUE(exact.report && rounded.report) << exact.error << rounded.error;
  std::map<std::string, std::int64_t> got;
  for (const trace::ObservedShare& share : rounded.report->shares) {
    if (system.platform.elements[share.element].kind == ElementKind::kGpu) {
      got[system.tasks[share.task].name] = share.got;
    }
  }
  EXPECT_EQ(got, (std::map<std::string, std::int64_t>{{"pedestrians", 8}, {"lanes", 8}}));
  for (TaskIndex task = 0; task < 2; ++task) {
    EXPECT_LT(*rounded.report->tasks[task].bound, *exact.report->tasks[task].bound);
  }
  expect_sound(system, exact, "exact");
  expect_sound(system, rounded, "rounded");
}

TEST(RunGang, BoundsTasksAsThePlanDoesWhereItGotWhatItAskedFor) {
  const System system = simulate::read_file("examples/gang-shares.system.json");
  for (const char* delta : {"dp", "exact"}) {
    Options options;
    options.settings["delta"] = delta;
    const Verdict verdict = analyze(*find_method("gang.swc"), system, options);
    const auto device = open_backend("emulator", system, {});
    const auto report = run_plan(system, {"gang.swc", verdict.plan}, **device, {});
    ASSERT_TRUE(report);
    for (const TaskVerdict& task : verdict.tasks) {
      EXPECT_EQ(report->tasks[task.task].bound, task.bound) << delta;
    }
  }
}

TEST(RunGang, KeepsTasksOnTheirOwnSms) {
  const System system = simulate::read_file("examples/gang-hog.system.json");
  const Ran seen = ran(system, {.method = "gang.swc", .jobs = 5});
  ASSERT_TRUE(seen.report) << seen.error;
  std::map<std::uint32_t, TaskIndex> owner;
  for (const trace::Interval& interval : seen.trace.intervals) {
    if (system.platform.elements[interval.element].kind != ElementKind::kGpu) continue;
    EXPECT_EQ(owner.try_emplace(interval.unit, interval.task).first->second, interval.task);
  }
  EXPECT_EQ(owner.size(), 24u);
}

TEST(RunGang, SharesTheWholeGpuWhenAskedToAndPromisesNothingThen) {
  const System system = simulate::read_file("examples/gang-hog.system.json");
  const Ran seen = ran(system, {.method = "gang.swc", .jobs = 5, .strategy = Strategy::kShared});
  ASSERT_TRUE(seen.report) << seen.error;
  for (const trace::ObservedTask& task : seen.report->tasks) EXPECT_FALSE(task.bound);
  EXPECT_EQ(seen.report->shares.size(), 4u);  // only the cores
}

TEST(RunGang, SaysThatAGpuStartsBlocksInOrder) {
  const System system = simulate::read_file("examples/gang-shares.system.json");
  const Ran wc = ran(system, {.method = "gang.wc"}), swc = ran(system, {.method = "gang.swc"});
  EXPECT_EQ(wc.report->notes.size(), 2u);
  EXPECT_EQ(swc.report->notes.size(), 0u);
  EXPECT_TRUE(wc.report->tasks[0].bound);
}

/// The emulator starts every kernel on the width of the plan, after its launch on a core.
TEST(RunGang, RunsMeasuredKernelsOnTheWidthsOfThePlan) {
  const System system = simulate::read_file("examples/gang-times.system.json");
  const Ran seen = ran(system, {.method = "gang.swc", .jobs = 5});
  ASSERT_TRUE(seen.report) << seen.error;
  EXPECT_TRUE(seen.report->good());
  std::map<std::pair<TaskIndex, NodeIndex>, std::int64_t> planned;
  const gang::Widths widths = gang::noted_widths(seen.verdict, system);
  for (TaskIndex task = 0; task < widths.size(); ++task) {
    for (const NodeUnits& width : widths[task]) planned[{task, width.node}] = width.units;
  }
  ASSERT_EQ(planned.size(), 3u);
  int launches = 0;
  for (const trace::ObservedNode& piece : seen.report->nodes) {
    const bool gpu = system.platform.elements[piece.element].kind == ElementKind::kGpu;
    launches += piece.label.ends_with(" (launch)") ? 1 : 0;
    if (!gpu) continue;
    const std::int64_t units = planned.at({piece.task, piece.node});
    EXPECT_EQ(piece.asked, units) << piece.label;
    for (const TimesEntry& entry : system.tasks[piece.task].nodes[piece.node].times) {
      if (entry.units == units) {
        EXPECT_EQ(piece.bound, entry.wcet) << piece.label;
      }
    }
  }
  EXPECT_EQ(launches, 3);
  for (const TaskVerdict& task : seen.verdict.tasks) {
    EXPECT_EQ(seen.report->tasks[task.task].bound, task.bound);
  }
  expect_sound(system, seen, "times");
}

TEST(RunGang, RefusesSeveralGpusAndLanesOffAGpu) {
  const auto system = [](const std::string& elements) {
    return simulate::read(R"({"tactus":1,"name":"g","platform":{"elements":[)" + elements +
                          R"(]},"tasks":[{"name":"g","period":30,"nodes":[
                              {"name":"n","on":"a","wcet":1},{"name":"m","on":"b","wcet":1}]}]})");
  };
  EXPECT_EQ(
      ran(system(R"({"name":"a","kind":"gpu","units":1},{"name":"b","kind":"gpu","units":1})"),
          {.method = "gang.wc"})
          .error,
      "the file has several GPUs; one is run at a time");
  EXPECT_EQ(
      ran(system(
              R"({"name":"a","kind":"cpu","units":1,"lanes":2},{"name":"b","kind":"gpu","units":1})"),
          {.method = "gang.wc"})
          .error,
      "element `a` has lanes; only the SMs of a GPU can be run so");
}

/// Where units have no lanes; there, the GPU chooses another SM than the simulator does.
TEST(RunGang, AgreesWithTheSimulator) {
  for (const char* method : {"gang.wc", "gang.swc"}) {
    int runs = 0;
    for (int seed = 0; seed < support::scaled(600); ++seed) {
      const System system = drawn(method, static_cast<std::uint64_t>(seed));
      const auto& elements = system.platform.elements;
      if (std::any_of(elements.begin(), elements.end(),
                      [](const Element& element) { return element.lanes > 1; })) {
        continue;
      }
      const Ran seen = ran(system, {.method = method, .scenario = "sync,worst", .jobs = 6});
      if (!seen.verdict.plan || !seen.report) continue;
      if (seen.verdict.tasks.size() < 2) continue;  // it would simulate the whole platform
      ++runs;
      const auto simulated = simulate::simulate(system, method, "sync,worst,fifo", 6);
      expect_same_responses(*seen.report, simulated.outcome,
                            std::string(method) + " " + std::to_string(seed));
    }
    EXPECT_GT(runs, 10) << method;
  }
}

TEST(RunGang, KeepsBoundsAndPrecedenceOnRandomSystems) {
  for (const char* method : {"gang.wc", "gang.swc"}) {
    int runs = 0;
    for (int seed = 0; seed < support::scaled(150); ++seed) {
      System system = drawn(method, static_cast<std::uint64_t>(seed));
      for (const char* scenario : {"sync,worst", "sporadic,early", "burst,uniform"}) {
        const Ran seen = ran(system, {.method = method,
                                      .scenario = scenario,
                                      .jobs = 8,
                                      .seed = static_cast<std::uint64_t>(seed)});
        if (!seen.verdict.plan || !seen.report) continue;
        ++runs;
        expect_sound(system, seen, std::string(method) + " " + std::to_string(seed));
      }
    }
    EXPECT_GT(runs, 50) << method;
  }
}

}  // namespace
}  // namespace tactus::runtime
