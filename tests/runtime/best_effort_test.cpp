// Best-effort tasks run on what the plan leaves, and the report says what they got.
#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/runtime/api.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/measure/measure_batches.hpp"
#include "tests/runtime/support.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::runtime {
namespace {

/// A task on 8 of 24 SMs, and best-effort work without a period.
System with_best_effort(const std::string& nodes, const std::string& more = "",
                        const std::string& own_nodes = "") {
  return simulate::read(R"({"tactus":1,"name":"b","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1},{"name":"copy","kind":"copy","units":1},
      {"name":"gpu","kind":"gpu","units":24)" +
                        more + R"(}]},"tasks":[
      {"name":"camera","core":1,"period":10,"deadline":10,"nodes":[
        {"name":"detect","on":"gpu","times":[{"units":8,"wcet":5}]})" +
                        own_nodes + R"(]},
      {"name":"train","core":1,"best_effort":true,"nodes":[)" +
                        nodes + "]}]}");
}

bool notes(const Ran& seen, std::string_view text) {
  return std::find(seen.report->notes.begin(), seen.report->notes.end(), text) !=
         seen.report->notes.end();
}

TEST(BestEffort, RunsOnTheSmsThatThePlanLeavesAsOftenAsItCan) {
  const System system = with_best_effort(R"({"name":"step","on":"gpu","wcet":4,"parallelism":16})");
  for (const char* method : {"gang.swc", "gang.wc", "rtgpu"}) {
    const Ran seen = ran(system, {.method = method, .jobs = 10});
    ASSERT_TRUE(seen.report) << method << ": " << seen.error;
    EXPECT_TRUE(seen.report->good());
    EXPECT_TRUE(notes(seen, "best-effort tasks run on what the plan leaves, 16 SMs: `train`"))
        << method;
    const trace::ObservedTask& train = seen.report->tasks[1];
    EXPECT_TRUE(train.took_part);
    EXPECT_EQ(train.responses.size(), 25U) << "one after the other, for 100 ms";
    EXPECT_FALSE(train.deadline);
    EXPECT_EQ(seen.report->nodes.back().widest, 16);
  }
}

TEST(BestEffort, NeverUsesTheSmsOfATask) {
  const System system = with_best_effort(R"({"name":"step","on":"gpu","wcet":3,"parallelism":16})");
  for (const char* method : {"gang.swc", "rtgpu"}) {
    const Ran seen = ran(system, {.method = method, .jobs = 10});
    ASSERT_TRUE(seen.report);
    std::map<std::uint32_t, TaskIndex> owner;
    for (const trace::Interval& interval : seen.trace.intervals) {
      EXPECT_EQ(owner.try_emplace(interval.unit, interval.task).first->second, interval.task);
    }
    EXPECT_EQ(owner.size(), 24U);
  }
}

TEST(BestEffort, ChangesNoResponseOfAnotherTask) {
  const System with = with_best_effort(R"({"name":"step","on":"gpu","wcet":3,"parallelism":16})");
  System without = with;
  without.tasks.pop_back();
  for (const char* method : {"gang.swc", "rtgpu"}) {
    const Ran beside = ran(with, {.method = method, .jobs = 10});
    const Ran alone = ran(without, {.method = method, .jobs = 10});
    ASSERT_TRUE(beside.report && alone.report);
    EXPECT_EQ(beside.report->tasks[0].responses, alone.report->tasks[0].responses);
  }
}

TEST(BestEffort, RunsGraphsOfTheUserToo) {
  const System system =
      with_best_effort(R"({"name":"step","on":"gpu","times":[{"units":4,"wcet":2}]})");
  int graph = 0;
  Workload work;
  work.bind("train", "step", UserGraph{.graph = &graph});
  const Ran seen = ran(system, {.method = "gang.swc", .jobs = 10, .workload = &work});
  ASSERT_TRUE(seen.report) << seen.error;
  EXPECT_EQ(seen.report->tasks[1].responses.size(), 50U);
  EXPECT_EQ(seen.report->nodes.back().widest, 16) << "the whole of what is left";
}

TEST(BestEffort, IsNotRunWhereNothingIsLeftAndTheReportSaysSo) {
  // The task has the core and the engine of the file, too, so that none of them is left.
  const std::string own =
      R"(,{"name":"read","on":"cpu","wcet":1},{"name":"load","on":"copy","wcet":1})";
  const auto why = [&](const std::string& nodes, std::optional<std::int64_t> sms) {
    const Ran seen =
        ran(with_best_effort(nodes, "", own), {.method = "gang.swc", .jobs = 2, .sms = sms});
    EXPECT_TRUE(seen.report) << seen.error;
    EXPECT_FALSE(seen.report->tasks[1].took_part);
    for (const std::string& note : seen.report->notes) {
      if (note.starts_with("best-effort task `train` is not run: ")) return note.substr(37);
    }
    return std::string("no note");
  };
  const std::string kernel = R"({"name":"step","on":"gpu","wcet":3,"parallelism":16})";
  EXPECT_EQ(why(kernel, 8), "the plan leaves no SMs");
  EXPECT_EQ(why(kernel + R"(,{"name":"host","on":"cpu","wcet":1})", 24),
            "the plan and the file leave no core for its CPU work");
  EXPECT_EQ(why(kernel + R"(,{"name":"send","on":"copy","wcet":1})", 24),
            "the plan and the file leave no engine for its copies");
}

/// Two kernels under a table on a GPU of 8 SMs, and best-effort work.
System table_with_best_effort() {
  return simulate::read(R"({"tactus":1,"name":"t","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":8}]},"tasks":[
      {"name":"camera","period":10,"deadline":10,"nodes":[{"name":"detect","on":"gpu","wcet":2}]},
      {"name":"lidar","period":20,"deadline":20,"nodes":[{"name":"cluster","on":"gpu","wcet":5}]},
      {"name":"train","best_effort":true,"nodes":[
        {"name":"step","on":"gpu","wcet":4,"parallelism":16}]}]})");
}

TEST(BestEffort, RunsBesideATableIfTheGpuHasMoreSmsThanTheFile) {
  const System system = table_with_best_effort();
  const Ran seen = ran(system, {.method = "pbs.graph", .jobs = 10, .sms = 24});
  ASSERT_TRUE(seen.report) << seen.error;
  EXPECT_TRUE(seen.report->good());
  EXPECT_TRUE(notes(seen, "best-effort tasks run on what the plan leaves, 16 SMs: `train`"));
  EXPECT_EQ(seen.report->tasks[2].responses.size(), 50U) << "one after the other, for 200 ms";
  const Ran alone = [&] {
    System without = system;
    without.tasks.pop_back();
    return ran(without, {.method = "pbs.graph", .jobs = 10});
  }();
  ASSERT_TRUE(alone.report);
  EXPECT_EQ(seen.report->tasks[0].responses, alone.report->tasks[0].responses);
  EXPECT_EQ(seen.report->tasks[1].responses, alone.report->tasks[1].responses);
}

TEST(BestEffort, SharesTheGpuOfATableOnlyOnRequest) {
  const System system = table_with_best_effort();
  const Ran not_run = ran(system, {.method = "pbs.graph", .jobs = 10});
  ASSERT_TRUE(not_run.report);
  EXPECT_TRUE(notes(not_run, "best-effort task `train` is not run: the plan leaves no SMs"));
  const Ran seen = ran(system, {.method = "pbs.graph", .jobs = 10, .best_effort_shares = true});
  ASSERT_TRUE(seen.report) << seen.error;
  EXPECT_TRUE(notes(seen, "best-effort tasks run at the lowest priority: `train`"));
  EXPECT_GT(seen.report->tasks[2].responses.size(), 0U);
  EXPECT_TRUE(seen.report->good()) << "the emulator starts the table's kernels first";
}

TEST(BestEffort, IsBesideTheBatchesWhenTheyAreMeasured) {
  const System system = table_with_best_effort();
  for (const bool shares : {false, true}) {
    BackendOptions machine;
    machine.sms = shares ? 8 : 24;
    const auto device = open_backend("emulator", system, machine);
    ASSERT_TRUE(device);
    MeasureBatchesOptions options;
    options.repeats = 2;
    options.best_effort_shares = shares;
    const auto measured = measure_batches(system, **device, options);
    ASSERT_TRUE(measured) << measured.error().message;
    ASSERT_EQ(measured->notes.size(), 2U);
    EXPECT_NE(measured->notes[0].find(shares ? "at the lowest priority" : "the table has 8 SMs"),
              std::string::npos);
    EXPECT_EQ(measured->singles.front().samples.back(), Time::from_ms(2));
  }
}

TEST(BestEffort, WithoutATimeDoesNotStopTheClockOfTheEmulator) {
  const System system = with_best_effort(R"({"name":"step","on":"gpu","wcet":0,"parallelism":16})");
  const Ran seen = ran(system, {.method = "gang.swc", .jobs = 2});
  ASSERT_TRUE(seen.report) << seen.error;
  EXPECT_TRUE(notes(
      seen, "best-effort task `train` is not run: the emulator takes its time from the file"));
}

}  // namespace
}  // namespace tactus::runtime
