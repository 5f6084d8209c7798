// Chains of CPU, copy and GPU segments under the run-times of the RTGPU family: one system under
// all three with every start and end, and hunts for runs beyond a bound.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/methods/method.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/methods/rtgpu/builder.hpp"
#include "tests/simulate/running.hpp"

namespace tactus::simulate {
namespace {

using rtgpu::testing::Builder;
using rtgpu::testing::with;
using testing::hunted;
using testing::played;
using testing::shown;

/// The less urgent task starts with a long copy, the more urgent one wants to copy soon after.
System example() {
  return Builder(4)
      .task("a", 40)
      .cpu(2)
      .copy(3)
      .kernel(8, 8)
      .cpu(1)
      .task("b", 50)
      .copy(5)
      .kernel(8, 8)
      .cpu(6)
      .build();
}

std::string schedule(const System& system, std::string_view method) {
  const Verdict verdict = analyze(*find_method(method), system, with("safe", "a=2,b=2"));
  return shown(system, played(system, method, verdict, 40));
}

TEST(Federated, CopiesAreNotPreemptedCpuSegmentsAre) {
  // A kernel of 8 on 2 SMs, which are 4 virtual ones, takes 2.
  EXPECT_EQ(schedule(example(), "rtgpu"),
            "a.n0 [0,2], b.n0 [0,5], a.n1 [5,8], b.n1 [5,7], b.n2 [7,10], a.n2 [8,10], "
            "a.n3 [10,11], b.n2 [11,14]");
}

TEST(Federated, SelfSuspensionHoldsTheAcceleratorForCopyAndKernel) {
  // Without interleaving the kernel takes 4.
  EXPECT_EQ(schedule(example(), "self-suspension"),
            "a.n0 [0,2], b.n0 [0,5], b.n1 [5,9], a.n1 [9,12], b.n2 [9,15], a.n2 [12,16], "
            "a.n3 [16,17]");
}

TEST(Federated, StgmKeepsTheCoreAndAsksOnlyWhileItOwnsIt) {
  EXPECT_EQ(schedule(example(), "stgm"),
            "a.n0 [0,2], a.n1 [2,5], a.spin [2,9], a.n2 [5,9], a.n3 [9,10], b.n0 [10,15], "
            "b.spin [10,19], b.n1 [15,19], b.n2 [19,25]");
}

TEST(Federated, WhatABusyWaitingJobHasAskedForGoesOnWithoutIt) {
  System system = example();
  system.tasks[0].offset = Time::from_ms(3);  // b's copy is under way
  EXPECT_EQ(schedule(system, "stgm"),
            "b.n0 [0,5], b.spin [0,3], a.n0 [3,5], a.n1 [5,8], a.spin [5,12], a.n2 [8,12], "
            "a.n3 [12,13], b.n1 [13,17], b.spin [13,17], b.n2 [17,23]");
}

TEST(Federated, EveryTaskHasSmsOfItsOwn) {
  const System system = example();
  const Verdict verdict = analyze(*find_method("rtgpu"), system, with("safe", "a=1,b=3"));
  int kernels = 0;
  for (const trace::Interval& interval : played(system, "rtgpu", verdict, 40).intervals) {
    if (system.platform.elements[interval.element].kind != ElementKind::kGpu) continue;
    ++kernels;
    EXPECT_EQ(interval.unit, interval.task == 0 ? 0U : 1U);
    EXPECT_EQ(interval.width, interval.task == 0 ? 1U : 3U);
  }
  EXPECT_EQ(kernels, 2);
}

TEST(Federated, AKernelTakesTheUnitsOfTheEntryInUse) {
  const System system =
      Builder(8).task("a", 40).times({{2, 9, 9}, {4, 5, 5}}).task("b", 50).rigid(3, 3, 2).build();
  const auto widths = [&](std::string allocation) {
    const Verdict verdict =
        analyze(*find_method("rtgpu"), system, with("safe", std::move(allocation)));
    std::vector<trace::Interval> intervals = played(system, "rtgpu", verdict, 40).intervals;
    std::sort(intervals.begin(), intervals.end(),
              [](const trace::Interval& a, const trace::Interval& b) { return a.task < b.task; });
    std::string all;
    for (const trace::Interval& interval : intervals) {
      all += fmt::format("{} on {}+{} for {} ", system.tasks[interval.task].name, interval.unit,
                         interval.width, (interval.end - interval.start).ns() / 1'000'000);
    }
    return all;
  };
  EXPECT_EQ(widths("a=3,b=4"), "a on 0+2 for 9 b on 3+2 for 3 ");
  EXPECT_EQ(widths("a=5,b=3"), "a on 0+4 for 5 b on 5+2 for 3 ");
}

TEST(Federated, BestEffortTasksComeLastAndNeverStartWithoutSpareSms) {
  const System roomy =
      Builder(3).task("a", 40).cpu(2).kernel(8, 8).best_effort("x").copy(1).kernel(30, 30).build();
  const auto runs_x = [](const System& system) {
    const Verdict verdict = analyze(*find_method("rtgpu"), system, with("safe", "a=2"));
    const trace::Trace trace = played(system, "rtgpu", verdict, 40);
    return std::any_of(trace.intervals.begin(), trace.intervals.end(),
                       [](const trace::Interval& interval) { return interval.task == 1; });
  };
  EXPECT_TRUE(runs_x(roomy));
  System tight = roomy;
  tight.platform.elements.back().units = 2;
  EXPECT_FALSE(runs_x(tight));
}

TEST(Federated, NeedsAnAllocation) {
  const System system = Builder(1).task("a", 40).kernel(8, 8).task("b", 50).kernel(8, 8).build();
  const Verdict verdict = analyze(*find_method("rtgpu"), system);  // too few SMs
  EXPECT_FALSE(find_policy("rtgpu")->make(system, verdict));
}

TEST(Hunt, FindsNoRunBeyondASafeOrTightBoundOfTheRtgpuFamily) {
  EXPECT_EQ(hunted("rtgpu", "safe", 500).violations, 0U);
  EXPECT_EQ(hunted("rtgpu", "paper", 200).violations, 0U);  // sound as printed
  EXPECT_EQ(hunted("rtgpu", "tight", 500).violations, 0U);
  EXPECT_EQ(hunted("rtgpu.greedy", "tight", 200).violations, 0U);
  EXPECT_EQ(hunted("self-suspension", "safe", 500).violations, 0U);
  EXPECT_EQ(hunted("stgm", "safe", 500).violations, 0U);
}

TEST(Hunt, FindsRunsBeyondThePrintedBoundsOfTheBaselines) {
  EXPECT_GT(hunted("self-suspension", "paper", 300).violations, 0U);
  EXPECT_GT(hunted("stgm", "paper", 300).violations, 0U);
}

}  // namespace
}  // namespace tactus::simulate
