#include "tests/methods/gcaps/support.hpp"

/// `overlap`: a GPU segment that is shorter than its launch code and its GPU work together. Beside the
/// agreement with the second implementation and the hunts.
namespace tactus::gcaps::tests {
namespace {

/// a: 2 on the CPU, then 3 of launches and 5 of GPU work that take 6 together.
System with_overlap(const Sketch& sketch) {
  System system = sketch.system();
  system.tasks[0].nodes[1].overlap = ms(2);
  return system;
}

Sketch on_two_cores() {
  return Sketch(2)
      .runlist_update("0")
      .time_slice("2")
      .context_switch("1")
      .task("a", 1, "100", "2, 3+5")
      .task("b", 2, "100", "1, 0+4");
}

struct Expected {
  std::string_view method, variant, task;
  std::int64_t milliseconds;
};

void expect_bounds(const System& system, std::span<const Expected> all) {
  for (const Expected& one : all) {
    SCOPED_TRACE(std::string(one.method) + " " + std::string(one.variant));
    const Verdict verdict = run(one.method, system, one.variant);
    const TaskVerdict* task = find(verdict, system, one.task);
    ASSERT_TRUE(task != nullptr && task->bound) << verdict.reason;
    EXPECT_EQ(*task->bound, ms(one.milliseconds)) << one.task;
    EXPECT_EQ(sum(task->terms), *task->bound) << one.task;
  }
}

TEST(Overlap, ShortensATaskAndItsSections) {
  constexpr Expected kExpected[] = {
      {"gcaps.suspend", "safe", "a", 8},
      {"gcaps.suspend", "safe", "b", 5 + 6},
      {"gcaps.suspend", "paper", "a", 8},
      {"gcaps.suspend", "paper", "b", 5 + 5},
      {"mpcp.suspend", "safe", "a", 12},
      {"mpcp.suspend", "safe", "b", 5 + 6},
      {"mpcp.suspend", kWindows, "a", 12},
      {"mpcp.suspend", kWindows, "b", 5 + 6},
      {"fmlp.busy", "safe", "a", 12},
      {"fmlp.busy", "safe", "b", 5 + 6},
      // Three slices of a, each after one of b (2 + 1), and a switch back (1).
      {"tsg-rr.suspend", "safe", "a", 8 + 12},
      {"tsg-rr.suspend", "paper", "a", 8 + 9},
  };
  expect_bounds(with_overlap(on_two_cores()), kExpected);
}

TEST(Overlap, ShortensTheTimeThatASpinningTaskKeepsItsCoreButNoLaunchCode) {
  const System system = with_overlap(
      Sketch(1).runlist_update("0").task("a", 1, "100", "2, 3+5").task("c", 1, "100", "1"));
  constexpr Expected kExpected[] = {
      {"gcaps.busy", "safe", "c", 1 + 8},
      {"gcaps.busy", "paper", "c", 1 + 10},  // Eqs. 10 and 12 print G^m and G^e
      {"gcaps.suspend", "safe", "c", 1 + 5},
      {"mpcp.busy", "safe", "c", 1 + 8},
      {"mpcp.suspend", "safe", "c", 1 + 5},
  };
  expect_bounds(system, kExpected);
}

/// A kernel that waits for its launch has given its slice away.
TEST(Overlap, CostsASliceForEachFurtherKernel) {
  System system = Sketch(2)
                      .time_slice("2")
                      .context_switch("1")
                      .task("a", 1, "100", "2, 1+1, 1+1")
                      .task("b", 2, "100", "1, 0+4")
                      .system();
  EXPECT_EQ(bound_ns("tsg-rr.suspend", system, "safe", "a"), (6 + 4) * kMs);
  system.tasks[0].nodes[1].overlap = ms(1);
  EXPECT_EQ(bound_ns("tsg-rr.suspend", system, "safe", "a"), (5 + 8) * kMs);
}

TEST(Overlap, IsNothingForWhoHoldsLaunchesBack) {
  System system = on_two_cores()
                      .cost("preempt_cost", "1")
                      .cost("resume_cost", "1")
                      .cost("start_cost", "1")
                      .arbiter_core("2")
                      .system();
  const std::int64_t without = bound_ns("gcaps.boost.suspend", system, "safe", "a");
  system.tasks[0].nodes[1].overlap = ms(2);
  EXPECT_GT(without, 0);
  EXPECT_EQ(bound_ns("gcaps.boost.suspend", system, "safe", "a"), without);
}

}  // namespace
}  // namespace tactus::gcaps::tests
