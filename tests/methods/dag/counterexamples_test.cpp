#include <gtest/gtest.h>

#include "tests/methods/dag/simulation.hpp"

/// Section 5.1 and 6.1: where the printed method breaks, and that the repaired one does not.
namespace tactus::dag {
namespace {

constexpr std::int64_t kTenth = Sample::kUnit / 10;

/// The shortest and the longest makespan over all policies and many orders of simultaneous events.
struct Range {
  std::int64_t least = INT64_MAX, most = 0;
};
Range makespans(const Sample& sample, const DagPlan& plan,
                const std::vector<std::int64_t>& durations) {
  Range range;
  const System system = system_of(sample);
  for (Policy policy : kPolicies) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Random random(seed, 0);
      const std::int64_t end = makespan(system, plan, durations, policy, random);
      range.least = std::min(range.least, end);
      range.most = std::max(range.most, end);
    }
  }
  return range;
}

/// No run of the safe plan is longer than its bound, worst case or not.
void expect_safe_plan_holds(const Sample& sample) {
  const Verdict verdict = analyze_sample(sample, "dag.balanced");
  const DagPlan& plan = plan_of(verdict);
  EXPECT_EQ(makespans(sample, plan, worst_durations(plan)).most, bound_of(verdict));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(1, seed);
    EXPECT_LE(makespans(sample, plan, random_durations(plan, random)).most, bound_of(verdict));
  }
}

/// s -> {a, b} -> t.
const Sample kE1 = sample_of(3, {1, 2, 2, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});

TEST(E1RoundedSharesNeedTooManySms, ThePrintedBoundIsExceededByEveryDispatcher) {
  const Verdict verdict = analyze_sample(kE1, "dag.balanced", "paper");
  const DagPlan& plan = plan_of(verdict);
  EXPECT_EQ(bound_of(verdict), 30 * kTenth);
  EXPECT_EQ(plan.schedule.steps[1].spare, -1);
  EXPECT_EQ(makespans(kE1, plan, worst_durations(plan)).least, 40 * kTenth);
}
TEST(E1RoundedSharesNeedTooManySms, TheSafeBoundHolds) { expect_safe_plan_holds(kE1); }

/// s, a, b, c, y, z, j, t.
const Sample kE2 = sample_of(
    7, {1, 3, 3, 3, 1, 1, 1, 1},
    {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 6}, {2, 6}, {3, 6}, {6, 7}, {4, 7}, {5, 7}});

TEST(E2AreaIsNotASchedule, ThePrintedBoundIsExceededByEveryDispatcher) {
  const Verdict verdict = analyze_sample(kE2, "dag.balanced", "paper");
  const DagPlan& plan = plan_of(verdict);
  EXPECT_EQ(bound_of(verdict), 45 * kTenth);
  EXPECT_GE(makespans(kE2, plan, worst_durations(plan)).least, 50 * kTenth);
}
TEST(E2AreaIsNotASchedule, TheSafeBoundHolds) { expect_safe_plan_holds(kE2); }

/// s, a1, a2, a3, b1, b2, b3, t.
const Sample kE3 = sample_of(3, {1, 1, 2, 1, 1, 1, 2, 1},
                             {{0, 1}, {1, 2}, {2, 3}, {3, 7}, {0, 4}, {4, 5}, {5, 6}, {6, 7}});

/// b1 takes 0.9 and b2 0.05, everything else its bound.
std::vector<std::int64_t> early_b(const DagPlan& plan) {
  std::vector<std::int64_t> durations = worst_durations(plan);
  for (std::size_t k = 0; k < durations.size(); ++k) {
    if (plan.schedule.kernels[k].node == 4) durations[k] = 9 * kTenth;
    if (plan.schedule.kernels[k].node == 5) durations[k] = kTenth / 2;
  }
  return durations;
}

TEST(E3EdgesAreMissing, ThePrintedBoundIsExceededAfterEarlyCompletion) {
  const Verdict verdict = analyze_sample(kE3, "dag.balanced", "paper");
  const DagPlan& plan = plan_of(verdict);
  EXPECT_EQ(bound_of(verdict), 50 * kTenth);
  const Segments segments(8, plan.schedule);
  const System system = system_of(kE3);
  EXPECT_TRUE(
      extra_edges(system.tasks[0].graph, plan.schedule, segments, Ordering::kPrinted).empty());
  EXPECT_EQ(makespans(kE3, plan, early_b(plan)).least, 595 * kTenth / 10);
}
TEST(E3EdgesAreMissing, TheSafeBoundHolds) {
  const Verdict verdict = analyze_sample(kE3, "dag.balanced");
  const DagPlan& plan = plan_of(verdict);
  EXPECT_EQ(bound_of(verdict), 50 * kTenth);
  EXPECT_LE(makespans(kE3, plan, early_b(plan)).most, 50 * kTenth);
  expect_safe_plan_holds(kE3);
}
TEST(E3EdgesAreMissing, TheSafeStepsNeedTheirBarriers) {
  const Verdict verdict = analyze_sample(kE3, "dag.balanced");
  DagPlan plan = plan_of(verdict);
  plan.ordering = Ordering::kNone;
  EXPECT_GT(makespans(kE3, plan, early_b(plan)).most, bound_of(verdict));
}

/// s -> {a, b} -> t on two SMs. Rule 2 of the text runs a, which can fill both, alone; line 12 asks
/// whether every kernel could, and puts b beside it.
const Sample kLine12 = sample_of(2, {1, 3, 2, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});

TEST(Line12, IsSlowerThanGreedyWhereRule2IsNot) {
  EXPECT_EQ(bound_of(kLine12, "dag.balanced", "paper"), 50 * kTenth);
  EXPECT_EQ(bound_of(kLine12, "dag.greedy"), 45 * kTenth);
  EXPECT_EQ(bound_of(kLine12, "dag.balanced"), 45 * kTenth);
}

/// Two independent kernels on two SMs.
const Sample kPair = sample_of(2, {2, 4}, {});

TEST(GreedyWithoutItsChain, ExceedsTheSum) {
  const Verdict verdict = analyze_sample(kPair, "dag.greedy");
  DagPlan plan = plan_of(verdict);
  EXPECT_EQ(bound_of(verdict), 30 * kTenth);
  EXPECT_EQ(makespans(kPair, plan, worst_durations(plan)).most, 30 * kTenth);
  plan.ordering = Ordering::kNone;
  EXPECT_EQ(makespans(kPair, plan, worst_durations(plan)).most, 40 * kTenth);
}

/// Loads 4, 4, 4 on five SMs: together 4, one after another 3.
TEST(SerialFallback, SplitsAGroupThatIsSlowerTogether) {
  const Sample sample = sample_of(5, {4, 4, 4}, {});
  EXPECT_EQ(bound_of(sample, "dag.balanced"), 30 * kTenth);
  EXPECT_EQ(bound_of(sample, "dag.greedy"), 30 * kTenth);
}

/// How often the printed bound breaks on the paper's own generator; the exact share depends on the
/// random graphs, its order of magnitude does not (a prototype saw 65 of 100 at M = 8).
TEST(ThePrintedMethod, IsExceededOnMostOfThePapersOwnGraphs) {
  int exceeded = 0;
  for (std::uint64_t index = 0; index < 100; ++index) {
    Sample sample = random_layered(index, 8);
    const Verdict verdict = analyze_sample(sample, "dag.balanced", "paper");
    const DagPlan& plan = plan_of(verdict);
    const System system = system_of(sample);
    bool broken = false;
    for (Policy policy : kPolicies) {
      for (std::uint64_t seed = 0; seed < 10 && !broken; ++seed) {
        Random random(seed, index);
        const auto durations = seed == 0 ? worst_durations(plan) : random_durations(plan, random);
        broken = makespan(system, plan, durations, policy, random) > bound_of(verdict);
      }
    }
    exceeded += broken ? 1 : 0;
  }
  EXPECT_GT(exceeded, 40);
  EXPECT_LT(exceeded, 90);
}

}  // namespace
}  // namespace tactus::dag
