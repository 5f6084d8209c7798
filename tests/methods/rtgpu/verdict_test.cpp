#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tests/methods/rtgpu/builder.hpp"

/// Worked examples and what the verdict says about them.
namespace tactus::rtgpu {
namespace {

using testing::Builder;
using testing::ms;
using testing::spare_sms_hurt;
using testing::with;

Verdict rtgpu(const System& system, const Options& options = {}) {
  return analyze(*find_method("rtgpu"), system, options);
}

const AllocationPlan& plan_of(const Verdict& verdict) {
  return dynamic_cast<const AllocationPlan&>(*verdict.plan);
}

TEST(SpareSms, HurtALessUrgentTask) {
  const System system = spare_sms_hurt();
  const Verdict least = rtgpu(system);
  EXPECT_EQ(least.status, Status::kSchedulable);
  EXPECT_EQ(least.tasks[1].bound, ms(32.3));
  EXPECT_EQ(plan_of(least).spare_sms, 6);
  ASSERT_EQ(least.warnings.size(), 1U);
  EXPECT_NE(least.warnings[0].find("6 SMs are spare"), std::string::npos);

  const Verdict all = rtgpu(system, with("safe", "hi=7,lo=1"));
  EXPECT_EQ(all.status, Status::kUnschedulable);
  EXPECT_FALSE(all.tasks[1].bound);
  // Where a task misses, bounds of less urgent ones promise nothing.
  EXPECT_TRUE(all.hold_only_together);
  EXPECT_FALSE(least.hold_only_together);
  Time r1;  // Eq. (7): finite, but beyond the deadline
  for (const SegmentBound& segment : plan_of(all).entries[1].segments) r1 += *segment.bound;
  EXPECT_EQ(r1, ms(46.3));
}

TEST(SpareSms, AreNoReasonToWarnWhereNobodyCanBeHurt) {
  EXPECT_TRUE(rtgpu(Builder(8).task("a", 50).kernel(8, 8).build()).warnings.empty());
  EXPECT_TRUE(rtgpu(Builder(2).task("a", 50).kernel(8, 8).task("b", 60).kernel(8, 8).build())
                  .warnings.empty());
}

TEST(Failure, NamesTheTaskAndTheSmsThatWouldDo) {
  // `b` needs 12 = 24 / (2 * 1); with its 2 SMs it would take 6.
  const System system =
      Builder(2).task("a", 20).kernel(8, 8).task("b", 21, 6).kernel(24, 24).build();
  const Verdict verdict = rtgpu(system);
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_EQ(
      verdict.reason,
      "task `b` misses its deadline even with all SMs it can still get (1); 3 SMs would be enough");
  EXPECT_EQ(verdict.plan, nullptr);
  EXPECT_FALSE(verdict.tasks[0].bound);
  EXPECT_TRUE(verdict.tasks[0].terms.empty());
  ASSERT_EQ(verdict.tasks[1].terms.size(), 1U);
  EXPECT_EQ(verdict.tasks[1].terms[0].amount, ms(12));
}

TEST(Failure, SaysWhenNoNumberOfSmsWouldDo) {
  const System system = Builder(2).task("a", 20).cpu(12).task("b", 30).cpu(13).build();
  EXPECT_EQ(rtgpu(system).reason, "task `b` misses its deadline; no number of SMs would be enough");
}

TEST(Failure, SaysWhenThereAreFewerSmsThanTasksWithKernels) {
  const System system = Builder(2).task("a", 90).kernel(8, 8).task("b", 91).rigid(8, 8, 2).build();
  EXPECT_EQ(rtgpu(system).reason,
            "not enough SMs: the tasks need at least 3, the gpu has 2; 3 SMs would be enough");
  for (std::string_view method : {"rtgpu.greedy", "self-suspension", "stgm"}) {
    EXPECT_EQ(analyze(*find_method(method), system).reason,
              "not enough SMs: the tasks need at least 3, the gpu has 2");
  }
}

TEST(Failure, UnderAGivenAllocationMakesTheBoundsBelowConditional) {
  const System system = Builder(4).task("a", 20, 5).kernel(20, 20).task("b", 40).cpu(3).build();
  const Verdict verdict = rtgpu(system, with("safe", "a=1"));
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_EQ(verdict.tasks[1].bound, ms(3));
  ASSERT_EQ(verdict.warnings.size(), 1U);
  EXPECT_NE(verdict.warnings[0].find("less urgent than `a`"), std::string::npos);
}

TEST(PaperVariant, WarnsOnlyWhereItIsUnsafe) {
  const System system = Builder(4).task("a", 20).copy(2).kernel(4, 4).cpu(1).build();
  for (std::string_view method : {"rtgpu", "rtgpu.greedy"}) {
    EXPECT_TRUE(analyze(*find_method(method), system, with("paper")).warnings.empty());
  }
  for (std::string_view method : {"self-suspension", "stgm"}) {
    EXPECT_EQ(analyze(*find_method(method), system, with("paper")).warnings.size(), 1U);
    EXPECT_TRUE(analyze(*find_method(method), system, with("safe")).warnings.empty());
  }
}

TEST(Chain, OfZeroLengthCopiesIsNeverBlocked) {
  // Literal Eq. (5) would charge the absent copy of `a` the blocking by `b`.
  const System system =
      Builder(4).task("a", 20).cpu(2).copy(0).kernel(4, 4).cpu(1).task("b", 40).copy(7).build();
  EXPECT_EQ(rtgpu(system).tasks[0].bound, ms(5));
}

TEST(Chain, MergesAdjacentCpuNodesAndLaunches) {
  const System system =
      Builder(4).task("a", 40).cpu(2).cpu(3).kernel(4, 4).launch(1).kernel(4, 4).launch(1).build();
  const Verdict verdict = rtgpu(system);
  EXPECT_EQ(verdict.tasks[0].bound, ms(2 + 3 + 1 + 2 + 1 + 2));
  const auto& entry = plan_of(verdict).entries[0];
  const auto& segments = entry.segments;
  const auto nodes = [&](std::size_t i) {
    const auto span = entry.nodes(segments[i]);
    return std::vector<NodeIndex>(span.begin(), span.end());
  };
  ASSERT_EQ(segments.size(), 4U);  // cpu (two nodes and a launch), kernel, launch, kernel
  EXPECT_EQ(nodes(0), (std::vector<NodeIndex>{0, 1, 2}));
  EXPECT_EQ(segments[0].bound, ms(6));
  EXPECT_EQ(segments[2].kind, "cpu");
  EXPECT_EQ(nodes(2), (std::vector<NodeIndex>{3}));
}

TEST(Chain, KeepsTheLaunchOfAnEmptyKernelWhichNeedsNoSm) {
  const System system =
      Builder(1).task("a", 40).cpu(2).rigid(0, 0, 9).launch(1).task("b", 50).kernel(4, 4).build();
  const Verdict verdict = rtgpu(system);
  EXPECT_EQ(verdict.tasks[0].bound, ms(3));
  EXPECT_EQ(plan_of(verdict).entries[0].sms, 0);
}

TEST(BestEffort, BlocksWithItsCopiesAndNothingElse) {
  const auto build = [](bool background) {
    Builder builder(4);
    builder.task("a", 40).cpu(2).copy(3).kernel(4, 4);
    if (background) builder.best_effort("b").cpu(9).copy(6).rigid(20, 20, 2);
    return builder.build();
  };
  EXPECT_EQ(rtgpu(build(false)).tasks[0].bound, ms(2 + 3 + 2));
  EXPECT_EQ(rtgpu(build(true)).tasks[0].bound, ms(2 + 3 + 6 + 2));
  // self-suspension: its whole suspension, on its width.
  EXPECT_EQ(
      analyze(*find_method("self-suspension"), build(true), with("safe", "a=4")).tasks[0].bound,
      ms(2 + 3 + 1 + 26));
}

TEST(Cores, AreAnalysedEachOnItsOwn) {
  const auto build = [](std::int64_t core) {
    return Builder(4, 2).task("a", 10).core(1).cpu(4).task("b", 20).core(core).cpu(5).build();
  };
  EXPECT_EQ(rtgpu(build(1)).tasks[1].bound, ms(13));  // carry-in: a's jobs may be back to back
  EXPECT_EQ(rtgpu(build(2)).tasks[1].bound, ms(5));
}

TEST(Priorities, AreDeadlineMonotonicWhereTheFileHasNone) {
  const Verdict verdict = rtgpu(
      Builder(4).task("late", 40).cpu(1).task("soon", 20).cpu(1).task("same", 40).cpu(1).build());
  const auto& entries = plan_of(verdict).entries;
  EXPECT_EQ(entries[0].task, 1U);
  EXPECT_EQ(entries[1].task, 0U);  // a tie: earlier in the file is more urgent
  EXPECT_EQ(entries[2].task, 2U);
  EXPECT_EQ(entries[0].priority, 3);
}

TEST(Limits, AreNotReachedOnACoreThatIsNearlyFull) {
  // `a` leaves one nanosecond of each period, so `b` is through after 10^9 periods.
  const System system = Builder(4)
                            .tick(Time::from_ns(1))
                            .task("a", 1e6)
                            .cpu(999'999)
                            .task("b", 2e15)
                            .cpu(1e9)
                            .build();
  for (std::string_view method : {"rtgpu", "rtgpu.greedy", "self-suspension", "stgm"}) {
    const Verdict verdict = analyze(*find_method(method), system);
    EXPECT_EQ(verdict.status, Status::kSchedulable) << method << " " << verdict.reason;
    EXPECT_GE(verdict.tasks[1].bound, Time::from_ns(1'000'000'000'000'000)) << method;
  }
}

TEST(Limits, StopWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  Options options;
  options.stop = stop.get_token();
  const System system = Builder(4).task("a", 90).kernel(4, 4).task("b", 91).kernel(4, 4).build();
  for (std::string_view method : {"rtgpu", "rtgpu.greedy", "self-suspension", "stgm"}) {
    EXPECT_EQ(analyze(*find_method(method), system, options).status, Status::kUndecided);
  }
}

TEST(Overflow, IsUndecidedToo) {
  System system = Builder(4).task("a", 90).kernel(4, 4, 0, 1.8).build();
  system.tasks[0].nodes[0].load = Time::max();
  system.tasks[0].nodes[0].interleave = Factor{9'000'000'000};
  EXPECT_EQ(rtgpu(system).status, Status::kUndecided);
}

}  // namespace
}  // namespace tactus::rtgpu
