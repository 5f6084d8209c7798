#include "tests/methods/gcaps/support.hpp"
#include "tests/methods/gcaps/tick_simulator.hpp"

/// Section 8: for every finding a system whose published bound is exceeded by a schedule that the
/// tick simulator produces, and whose safe bound is not.
namespace tactus::gcaps::tests {
namespace {

struct Start {
  std::string_view task;
  Ticks at;
};

/// The longest response of `task` when every other task is released as `starts` says, each job at
/// its worst; one tick is 1 ms.
Ticks observed(const System& system, Policy policy, bool busy, const std::vector<Start>& starts,
               std::string_view task, trace::Ties ties = {}) {
  Scenario scenario = scenario_of(system, policy, busy, ms(1));
  scenario.ties = [ties](Ticks) { return ties; };
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    if (system.tasks[i].name == task) wanted = i;
    for (const Start& start : starts) {
      if (system.tasks[i].name != start.task) continue;
      scenario.tasks[i].jobs.push_back({start.at, scenario.tasks[i].worst});
    }
  }
  return worst_responses(scenario, 100)[wanted];
}

/// The paper's bound is below what happens, the safe one is not.
void expect_finding(std::string_view method, const System& system, std::string_view task,
                    std::int64_t paper, std::int64_t seen, std::int64_t safe, Ticks observation) {
  SCOPED_TRACE(method);
  EXPECT_EQ(bound_ns(method, system, "paper", task), paper * kMs);
  EXPECT_EQ(bound_ns(method, system, "safe", task), safe * kMs);
  EXPECT_EQ(observation, seen);
  EXPECT_GT(observation, paper);
  EXPECT_LE(observation, safe);
}

TEST(Finding, F1AnOwnerKeepsTheGpuDuringItsLaunches) {
  const System system = Sketch(2)
                            .runlist_update("0")
                            .task("a", 1, "100", "1, 10+1")
                            .task("b", 2, "100", "2, 0+5")
                            .system();
  const std::vector<Start> starts = {{"a", 0}, {"b", 0}};
  expect_finding("gcaps.suspend", system, "b", 8, 17, 18,
                 observed(system, Policy::kGcaps, false, starts, "b"));
  expect_finding("gcaps.busy", system, "b", 8, 17, 18,
                 observed(system, Policy::kGcaps, true, starts, "b"));
  // With free updates nothing depends on who serves them.
  for (const bool busy : {false, true}) {
    EXPECT_EQ(observed(system, Policy::kGcapsArbiter, busy, starts, "b"), 17);
    EXPECT_EQ(bound_ns(busy ? "gcaps.busy" : "gcaps.suspend", system, "safe-arbiter", "b"),
              18 * kMs);
  }
}

TEST(Finding, F2AnOwnerCanBeKeptOffItsCore) {
  const System system = Sketch(2)
                            .runlist_update("1")
                            .task("a", 1, "100", "20")
                            .task("b", 1, "100", "1, 0+2")
                            .task("c", 2, "100", "1, 0+5")
                            .system();
  const std::vector<Start> starts = {{"a", 3}, {"b", 0}, {"c", 1}};
  expect_finding("gcaps.suspend", system, "c", 14, 29, 35,
                 observed(system, Policy::kGcaps, false, starts, "c"));
  expect_finding("gcaps.busy", system, "c", 14, 29, 36,
                 observed(system, Policy::kGcaps, true, starts, "c"));
}

TEST(Finding, F3EverySegmentMakesTwoRequestsOfTheLock) {
  // Every task has a core of its own, so that nothing depends on who may preempt an update.
  const System system = Sketch(4)
                            .runlist_update("5")
                            .task("a", 1, "100", "1, 0+2, 4, 0+2, 1")
                            .task("r1", 2, "100", "1, 0+3")
                            .task("r2", 3, "100", "1, 0+20")
                            .task("r3", 4, "100", "1, 0+2")
                            .system();
  const std::vector<Start> starts = {{"a", 10}, {"r1", 9}, {"r2", 20}, {"r3", 44}};
  expect_finding("gcaps.suspend", system, "a", 45, 46, 50,
                 observed(system, Policy::kGcaps, false, starts, "a"));
  expect_finding("gcaps.busy", system, "a", 45, 46, 50,
                 observed(system, Policy::kGcaps, true, starts, "a"));
}

// A reading, not an erratum (docs/errata.md): whoever is granted the lock runs its update at once,
// before every other task of its core.
TEST(Finding, F4SeveralLocalUpdatesCanBeQueuedWhenATaskArrives) {
  const System system = Sketch(2)
                            .runlist_update("3")
                            .task("a", 1, "100", "2")
                            .task("r", 2, "100", "1, 0+2")
                            .task("l1", 1, "100", "1, 0+2")
                            .task("l2", 1, "100", "1, 0+2")
                            .system();
  expect_finding(
      "gcaps.suspend", system, "a", 5, 8, 8,
      observed(system, Policy::kGcaps, false, {{"a", 10}, {"r", 1}, {"l1", 7}, {"l2", 7}}, "a"));
  // A spinning l1 would keep l2 off the core, so that here the lower one must come first.
  expect_finding(
      "gcaps.busy", system, "a", 5, 8, 8,
      observed(system, Policy::kGcaps, true, {{"a", 10}, {"r", 1}, {"l1", 8}, {"l2", 6}}, "a"));
  // An arbiter on a core of its own takes the updates out of the way.
  for (const bool busy : {false, true}) {
    EXPECT_EQ(observed(system, Policy::kGcapsArbiter, busy,
                       {{"a", 10}, {"r", 1}, {"l1", 8}, {"l2", 6}}, "a"),
              2);
    EXPECT_EQ(bound_ns(busy ? "gcaps.busy" : "gcaps.suspend", system, "safe-arbiter", "a"),
              2 * kMs);
  }
}

/// F4 where an update can be preempted, and inherits under an rt_mutex.
TEST(SecondReading, OfF4HasNoUpdateInTheWayOfTheMostUrgentTask) {
  const System system = Sketch(2)
                            .runlist_update("3")
                            .task("a", 1, "100", "2")
                            .task("r", 2, "100", "1, 0+2")
                            .task("l1", 1, "100", "1, 0+2")
                            .task("l2", 1, "100", "1, 0+2")
                            .system();
  for (const bool busy : {false, true}) {
    EXPECT_EQ(observed(system, Policy::kGcapsInherit, busy,
                       {{"a", 10}, {"r", 1}, {"l1", 8}, {"l2", 6}}, "a"),
              2);
    EXPECT_EQ(bound_ns(busy ? "gcaps.busy" : "gcaps.suspend", system, "safe-inherit", "a"),
              2 * kMs);
  }
}

/// F3: two requests per segment, each of which can find a lower holder, also under an rt_mutex.
TEST(SecondReading, OfF3FindsALowerHolderAtEveryRequest) {
  const System system = Sketch(4)
                            .runlist_update("10")
                            .task("a", 1, "200", "1, 0+2, 1, 0+2")
                            .task("r1", 2, "200", "0+1")
                            .task("r2", 3, "200", "0+1")
                            .task("r3", 4, "200", "0+1")
                            .system();
  for (const bool busy : {false, true}) {
    const char* method = busy ? "gcaps.busy" : "gcaps.suspend";
    const Ticks seen = observed(system, Policy::kGcapsInherit, busy,
                                {{"a", 0}, {"r1", 0}, {"r2", 21}, {"r3", 41}}, "a");
    EXPECT_EQ(bound_ns(method, system, "paper", "a"), 76 * kMs);
    EXPECT_EQ(bound_ns(method, system, "safe-inherit", "a"), 86 * kMs);
    EXPECT_EQ(seen, 81) << method;
  }
}

/// Inheritance does not help a holder against a task that is above everybody who waits for it.
TEST(SecondReading, HasHoldersKeptOffTheirCores) {
  const System system = Sketch(2)
                            .runlist_update("3")
                            .task("x", 2, "100", "20")
                            .task("a", 1, "100", "1, 0+2")
                            .task("l", 2, "100", "0+1")
                            .system();
  for (const bool busy : {false, true}) {
    const char* method = busy ? "gcaps.busy" : "gcaps.suspend";
    // l has the lock from 0 on, x is on its core from 1 to 21, and a asks at 1.
    const Ticks seen =
        observed(system, Policy::kGcapsInherit, busy, {{"a", 0}, {"l", 0}, {"x", 1}}, "a");
    EXPECT_EQ(bound_ns(method, system, "paper", "a"), 15 * kMs);
    EXPECT_EQ(seen, 31) << method;
    EXPECT_EQ(bound_ns(method, system, "safe-inherit", "a"), 35 * kMs);
  }
}

/// x keeps w off its core, w is served before i, i owns the GPU for which x spins.
TEST(SecondReading, AnotherGpuOrderCanEndInADeadlock) {
  const System system = Sketch(3)
                            .runlist_update("3")
                            .task("x", 1, "100", "0+1", R"("gpu_priority":3)")
                            .task("w", 1, "100", "0+1", R"("gpu_priority":2)")
                            .task("i", 2, "100", "0+20", R"("gpu_priority":4)")
                            .task("z", 3, "100", "0+1", R"("gpu_priority":1)")
                            .system();
  const std::vector<Start> starts = {{"i", 0}, {"z", 5}, {"w", 6}, {"x", 7}};
  EXPECT_EQ(observed(system, Policy::kGcapsInherit, true, starts, "x"), 93);  // till the end
  EXPECT_EQ(observed(system, Policy::kGcapsInherit, true, starts, "i"), 100);
  EXPECT_LT(observed(system, Policy::kGcapsInherit, false, starts, "x"), 40);
  EXPECT_LT(observed(system, Policy::kGcaps, true, starts, "x"), 40);
  for (const char* method : {"gcaps.suspend", "gcaps.busy", "gcaps.busy.prio"}) {
    const Verdict verdict = run(method, system, "safe-inherit");
    EXPECT_EQ(verdict.status, Status::kNotApplicable) << method;
    EXPECT_NE(verdict.reason.find("an rt_mutex"), std::string::npos) << verdict.reason;
  }
}

TEST(Finding, F5TheSwitchBackToATaskTakesTimeToo) {
  const System system = Sketch(2)
                            .time_slice("2")
                            .context_switch("1")
                            .task("a", 1, "100", "1, 0+4")
                            .task("b", 2, "100", "1, 0+8")
                            .system();
  const std::vector<Start> starts = {{"a", 0}, {"b", 0}};
  expect_finding("tsg-rr.suspend", system, "a", 11, 13, 13,
                 observed(system, Policy::kTsgRr, false, starts, "a"));
  expect_finding("tsg-rr.busy", system, "a", 11, 13, 13,
                 observed(system, Policy::kTsgRr, true, starts, "a"));
}

TEST(Finding, F6AFifoQueueMakesATaskWaitBehindALocalHigherOne) {
  const System system =
      Sketch(1).task("a", 1, "100", "1, 1+10").task("b", 1, "100", "1, 1+2").system();
  expect_finding("fmlp.suspend", system, "b", 6, 16, 17,
                 observed(system, Policy::kFmlp, false, {{"a", 3}, {"b", 2}}, "b"));
}

TEST(Finding, F7ASpinningBoostedHolderBlocksForAllOfItsSegment) {
  const System system = Sketch(1).task("a", 1, "100", "2").task("b", 1, "100", "1, 1+10").system();
  const std::vector<Start> starts = {{"a", 2}, {"b", 0}};
  expect_finding("mpcp.busy", system, "a", 3, 12, 13,
                 observed(system, Policy::kMpcp, true, starts, "a"));
  // A holder that suspends gives the core back after its launches, and the bound of 3 is right.
  EXPECT_EQ(bound_ns("mpcp.suspend", system, "safe", "a"), 3 * kMs);
  for (Ticks at = 0; at < 15; ++at) {
    EXPECT_LE(observed(system, Policy::kMpcp, false, {{"a", at}, {"b", 0}}, "a"), 3) << at;
  }
}

TEST(Finding, F8ARequestBehindWhichNobodyWaitsStillMeetsHigherOnes) {
  // A safe variant of MPCP that counts higher requests in a window which starts empty finds none:
  // b's section has no length, so that nothing makes a late, and the window never opens.
  const System system = Sketch(2).task("a", 1, "100", "0+5").task("b", 2, "100", "1, 0+0").system();
  for (const bool busy : {false, true}) {
    EXPECT_EQ(observed(system, Policy::kMpcp, busy, {{"a", 1}, {"b", 0}}, "b"), 6);
    EXPECT_EQ(bound_ns(busy ? "mpcp.busy" : "mpcp.suspend", system, "safe", "b"), 6 * kMs);
  }
}

TEST(Finding, F9AJobWithoutWorkStillWaitsForItsTurn) {
  // A window of length 0 holds no job to wait for, so R = 0 solves every recurrence of such a task.
  const System gpu = Sketch(2).task("a", 1, "100", "0+5").task("b", 2, "100", "0+0").system();
  const System cpu =
      Sketch(1).runlist_update("0").task("a", 1, "100", "5").task("b", 1, "100", "0").system();
  EXPECT_EQ(observed(gpu, Policy::kMpcp, false, {{"a", 1}, {"b", 2}}, "b"), 4);
  EXPECT_EQ(bound_ns("mpcp.suspend", gpu, "safe", "b"), 5 * kMs);
  for (const std::string_view method : {"gcaps.suspend", "gcaps.busy", "mpcp.busy", "fmlp.busy"}) {
    EXPECT_EQ(bound_ns(method, cpu, "safe", "b"), 5 * kMs) << method;
  }
}

TEST(Finding, F10ARequestOfNoLengthAtTheEndMeetsWhoComesAtThatInstant) {
  // b asks again at 10, when a is released again: a window that is open on the right holds only the
  // first job of a, and its bound was 10.
  const System system = Sketch(2)
                            .task("a", 1, "10", "0+5")
                            .task("b", 2, "100", "0+0, 5, 0+0", R"("deadline":20)")
                            .system();
  for (const bool busy : {false, true}) {
    EXPECT_EQ(observed(system, Policy::kMpcp, busy, {{"a", 0}, {"a", 10}, {"b", 0}}, "b"), 15);
    EXPECT_EQ(bound_ns(busy ? "mpcp.busy" : "mpcp.suspend", system, "safe", "b"), 15 * kMs);
  }
  const System tight = Sketch(2)
                           .task("a", 1, "10", "0+5")
                           .task("b", 2, "100", "0+0, 5, 0+0", R"("deadline":10)")
                           .system();
  EXPECT_EQ(bound_ns("mpcp.suspend", tight, "safe", "b"), -1) << "10 is not enough";
}

TEST(Finding, F10TheCoreCanBeTakenAtThatInstantToo) {
  // b must be on its core to ask, and h is released at the very end of b's window.
  const System system = Sketch(1).task("h", 1, "10", "5").task("b", 1, "100", "5, 0+0").system();
  for (const std::string_view method : {"mpcp.suspend", "mpcp.busy", "fmlp.suspend", "fmlp.busy"}) {
    const Policy policy = method.starts_with("mpcp") ? Policy::kMpcp : Policy::kFmlp;
    EXPECT_EQ(observed(system, policy, false, {{"h", 0}, {"h", 10}, {"b", 0}}, "b"), 15) << method;
    EXPECT_EQ(bound_ns(method, system, "safe", "b"), 15 * kMs) << method;
  }
}

TEST(Finding, F11ARequestMayPassAtTheVeryInstantAtWhichTheLockBecomesFree) {
  // b waits from 0 on; whenever the lock becomes free, a asks again. The bound of b was 6.
  const System system = Sketch(2).task("a", 1, "5", "0+5").task("b", 2, "100", "0+0, 1").system();
  std::vector<Start> starts = {{"b", 0}};
  for (Ticks at = 0; at < 100; at += 5) starts.push_back({"a", at});
  for (const bool busy : {false, true}) {
    EXPECT_EQ(observed(system, Policy::kMpcp, busy, starts, "b"), 6) << "who waits is served first";
    EXPECT_EQ(observed(system, Policy::kMpcp, busy, starts, "b", {.newcomers_first = true}), 100)
        << "not served until the end";
    EXPECT_EQ(bound_ns(busy ? "mpcp.busy" : "mpcp.suspend", system, "safe", "b"), -1) << "no bound";
  }
}

TEST(Finding, F11AFreeEndOfASegmentNeedsTheCoreToo) {
  // b's GPU work is done at 10; to say so b must be on its core, where h is released at 10.
  const System system =
      Sketch(1).runlist_update("0").task("h", 1, "10", "5").task("b", 1, "100", "0+5").system();
  const std::vector<Start> starts = {{"h", 0}, {"h", 10}, {"b", 0}};
  for (const Policy policy : {Policy::kGcaps, Policy::kGcapsArbiter}) {
    EXPECT_EQ(observed(system, policy, false, starts, "b", {.requests_before_releases = true}), 10);
    EXPECT_EQ(observed(system, policy, false, starts, "b"), 15) << "h may come first";
  }
  for (const std::string_view variant : {"safe", "safe-arbiter"}) {
    EXPECT_EQ(bound_ns("gcaps.suspend", system, variant, "b"), 15 * kMs) << variant;
  }
}

TEST(Finding, AJobWithoutWorkThatNobodyDelaysTakesNoTime) {
  const System system = Sketch(1).task("a", 1, "100", "0").system();
  for (const std::string_view method : {"tsg-rr.suspend", "mpcp.busy", "fmlp.suspend"}) {
    EXPECT_EQ(bound_ns(method, system, "safe", "a"), 0) << method;
  }
}

}  // namespace
}  // namespace tactus::gcaps::tests
