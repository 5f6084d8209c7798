// One GPU context at a time, round robin, and one lock around the GPU: hand-made schedules with
// every start and end. The systems are the counterexamples F1 to F7 of the specification (what the
// printed bounds miss is in these schedules) and Example 2 of the paper.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tests/simulate/running.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::simulate {
namespace {

using testing::played;
using testing::shown;

/// A task of one CPU node and, unless `exec` is 0, one GPU node behind it.
struct Sketch {
  const char* name;
  int core, offset, cpu, launch, exec;
};

/// Most urgent first, periods of 100.
System sketch(const std::string& gpu, std::initializer_list<Sketch> tasks) {
  std::string text;
  int priority = 9;
  for (const Sketch& task : tasks) {
    std::string nodes = fmt::format(R"({{"name":"c","on":"cpu","wcet":{}}})", task.cpu);
    if (task.exec > 0) {
      nodes += fmt::format(R"(,{{"name":"g","on":"gpu","wcet":{},"launch":{}}})", task.exec,
                           task.launch);
    }
    text += fmt::format(
        R"({}{{"name":"{}","core":{},"offset":{},"period":100,"priority":{},"nodes":[{}]}})",
        text.empty() ? "" : ",", task.name, task.core, task.offset, priority--, nodes);
  }
  return read(R"({"tactus":1,"name":"x","time_unit":"ms","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":2},{"name":"gpu","kind":"gpu","units":1)" +
              gpu + R"(}]},"tasks":[)" + text + "]}");
}

std::string schedule(const System& system, std::string_view method, std::int64_t until = 60) {
  return shown(system, played(system, method, analyze(*find_method(method), system), until));
}

const char* const kUpdateOf0 = R"(,"runlist_update":0)";
const char* const kUpdateOf1 = R"(,"runlist_update":1)";

TEST(Gcaps, KeepsTheGpuFromBeginToEndEvenWhileLaunchCodeRuns) {
  const System f1 = sketch(kUpdateOf0, {{"a", 1, 0, 1, 10, 1}, {"b", 2, 0, 2, 0, 5}});
  EXPECT_EQ(schedule(f1, "gcaps.suspend"),
            "a.c [0,1], b.c [0,2], a.g [1,11], a.g [11,12], b.g [12,17]");
  EXPECT_EQ(schedule(f1, "gcaps.busy"),
            "a.c [0,1], b.c [0,2], a.g [1,11], b.spin [2,17], a.g [11,12], a.spin [11,12], "
            "b.g [12,17]");
}

/// The last 2 of the launch code run beside the GPU work, and so may x in their place.
TEST(Gcaps, BeginsBeforeAllIsLaunchedWhereThatOverlaps) {
  System alone = sketch(kUpdateOf0, {{"a", 1, 0, 2, 3, 5}});
  System both = sketch(kUpdateOf0, {{"x", 1, 3, 3, 0, 0}, {"a", 1, 0, 2, 3, 5}});
  alone.tasks[0].nodes[1].overlap = both.tasks[1].nodes[1].overlap = Time::from_ms(2);
  for (const char* method : {"gcaps.suspend", "tsg-rr.suspend", "mpcp.suspend"}) {
    if (method[0] == 't') {
      for (System* system : {&alone, &both}) {
        system->platform.elements[1].time_slice = Time::from_ms(9);
        system->platform.elements[1].context_switch = Time();
      }
    }
    EXPECT_EQ(schedule(alone, method), "a.c [0,2], a.g [2,3], a.g [3,8], a.g [3,5]") << method;
    const bool boosted = method[0] == 'm';
    EXPECT_EQ(schedule(both, method), boosted
                                          ? "a.c [0,2], a.g [2,3], a.g [3,8], a.g [3,5], x.c [5,8]"
                                          : "a.c [0,2], a.g [2,3], x.c [3,6], a.g [3,8], a.g [6,8]")
        << method;
  }
}

/// a takes the core from b between its GPU work and its End; c, on the other core, pays for it.
TEST(Gcaps, LeavesTheGpuOnlyWhenItsOwnerHasTheCoreAgain) {
  const System f2 =
      sketch(kUpdateOf1, {{"a", 1, 3, 20, 0, 0}, {"b", 1, 0, 1, 0, 2}, {"c", 2, 1, 1, 0, 5}});
  EXPECT_EQ(schedule(f2, "gcaps.suspend"),
            "b.c [0,1], b.update [1,2], c.c [1,2], b.g [2,4], c.update [2,3], a.c [3,23], "
            "b.update [23,24], c.g [24,29], c.update [29,30]");
}

/// Best-effort tasks share the GPU in slices of 1 while no real-time task is active: one of them
/// coming or going changes who runs, so the GPU idles in [3,4] and [10,11].
TEST(Gcaps, LetsTheGpuIdleWhileABestEffortTaskComesOrGoes) {
  System system =
      sketch(kUpdateOf1, {{"r", 1, 50, 1, 0, 0}, {"a", 1, 0, 1, 0, 4}, {"b", 2, 0, 3, 0, 4}});
  system.tasks[1].best_effort = system.tasks[2].best_effort = true;
  EXPECT_EQ(schedule(system, "gcaps.suspend", 20),
            "a.c [0,1], b.c [0,3], a.update [1,2], a.g [2,3], b.update [3,4], b.g [4,5], "
            "a.g [5,6], b.g [6,7], a.g [7,8], b.g [8,9], a.g [9,10], a.update [10,11], "
            "b.g [11,12], b.update [12,13]");
}

TEST(RoundRobin, SwitchesBeforeASliceUnlessTheContextIsAlone) {
  const System f5 =
      sketch(R"(,"time_slice":2,"context_switch":1)", {{"a", 1, 0, 1, 0, 4}, {"b", 2, 0, 1, 0, 8}});
  EXPECT_EQ(schedule(f5, "tsg-rr.suspend"),
            "a.c [0,1], b.c [0,1], b.g [2,4], a.g [5,7], b.g [8,10], a.g [11,13], b.g [13,17]");
}

TEST(Fmlp, ServesRequestsInTheirOrderAndAsksOnlyFromTheCore) {
  const System f6 = sketch("", {{"a", 1, 3, 1, 1, 10}, {"b", 1, 2, 1, 1, 2}});
  EXPECT_EQ(schedule(f6, "fmlp.suspend"),
            "b.c [2,3], a.c [3,4], a.g [4,5], a.g [5,15], b.g [15,16], b.g [16,18]");
}

TEST(Mpcp, KeepsABoostedHolderThatSpinsOnItsCore) {
  const System f7 = sketch("", {{"a", 1, 2, 2, 0, 0}, {"b", 1, 0, 1, 1, 10}});
  EXPECT_EQ(schedule(f7, "mpcp.busy"),
            "b.c [0,1], b.g [1,2], b.g [2,12], b.spin [2,12], a.c [12,14]");
  EXPECT_EQ(schedule(f7, "mpcp.suspend"), "b.c [0,1], b.g [1,2], a.c [2,4], b.g [2,12]");
}

/// c asks after b, but is more urgent: the priority queue lets it pass, the FIFO does not.
TEST(Mpcp, ServesTheMostUrgentRequestFirstWhereFmlpServesTheOldest) {
  const System system =
      sketch("", {{"c", 2, 3, 1, 0, 2}, {"b", 1, 2, 1, 0, 3}, {"a", 1, 0, 1, 0, 9}});
  EXPECT_EQ(schedule(system, "mpcp.suspend"),
            "a.c [0,1], a.g [1,10], b.c [2,3], c.c [3,4], c.g [10,12], b.g [12,15]");
  EXPECT_EQ(schedule(system, "fmlp.suspend"),
            "a.c [0,1], a.g [1,10], b.c [2,3], c.c [3,4], b.g [10,13], c.g [13,15]");
}

/// Example 2: tau3 arrives at 70, the others at 0.
System example_2() {
  System system = read_file("examples/gcaps-table2.system.json");
  system.tasks[2].offset = Time::from_ms(70);
  return system;
}

/// Until both tau3 and tau4 have begun: the paper's window [73,74].
const char* const kBegin =
    "tau1.c1 [0,2], tau1.update [2,3], tau1.g1 [3,5], tau1.g1 [5,9], tau2.c1 [5,9], "
    "tau1.update [9,10], tau1.c2 [10,14], tau1.update [14,15], tau1.g2 [15,17], tau1.g2 [17,19], "
    "tau2.c1 [17,19], tau1.update [19,20], tau1.c3 [20,23], tau2.c1 [23,57], tau4.c1 [57,73], "
    "tau3.c1 [70,74], tau4.update [73,74], tau3.update [74,75], tau4.g1 [74,76], ";

TEST(Example2, MakesTau4LateWhenTau3ComesFirstOnTheGpu) {
  const System system = example_2();
  EXPECT_EQ(schedule(system, "gcaps.suspend", 80), std::string(kBegin) + "tau3.g1 [75,80]");
  const trace::Trace trace =
      played(system, "gcaps.suspend", analyze(*find_method("gcaps.suspend"), system), 215);
  std::string tau4;
  for (const trace::Interval& piece : trace.intervals) {
    if (piece.task != 3 || piece.start < Time::from_ms(80)) continue;
    tau4 += fmt::format("[{},{}] ", format_time(piece.start, system.time_unit),
                        format_time(piece.end, system.time_unit));
  }
  // Its GPU work waits for tau3 until 189, its last CPU work for tau2 until 207; it ends at 210.
  EXPECT_EQ(tau4, "[189,199] [207,208] [208,210] [210,215] ");
  EXPECT_TRUE(std::any_of(trace.jobs.begin(), trace.jobs.end(), [](const trace::JobSpan& job) {
    return job.task == 3 && job.missed && job.end == Time::from_ms(210);
  }));
}

TEST(Example2, IsInTimeWithTheGpuPrioritiesOfTau3AndTau4Swapped) {
  System system = example_2();
  const std::int64_t levels[] = {4, 3, 1, 2};
  for (TaskIndex i = 0; i < 4; ++i) system.tasks[i].gpu_priority = levels[i];
  EXPECT_EQ(schedule(system, "gcaps.suspend", 88),
            std::string(kBegin) +
                "tau3.g1 [75,80], tau4.g1 [76,82], tau1.c1 [80,82], tau1.update [82,83], "
                "tau1.g1 [83,85], tau1.g1 [85,88]");
  const trace::Trace trace =
      played(system, "gcaps.suspend", analyze(*find_method("gcaps.suspend"), system), 250);
  for (const trace::JobSpan& job : trace.jobs) EXPECT_FALSE(job.missed);
}

}  // namespace
}  // namespace tactus::simulate
