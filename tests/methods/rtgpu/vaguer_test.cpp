#include <gtest/gtest.h>

#include "tests/methods/rtgpu/comparison.hpp"

/// A vaguer description of the same kernels never gets a smaller bound, nor a "schedulable" that
/// the exacter one does not get. Searches of these sizes are complete.
namespace tactus::rtgpu {
namespace {

using namespace testing;
using reference::Model;

struct Asked {
  std::string_view method, variant;
};
constexpr Asked kAsked[] = {
    {"rtgpu", "safe"}, {"rtgpu", "tight"}, {"self-suspension", "safe"}, {"stgm", "safe"}};

constexpr Shape kShape = {.tasks_most = 4, .sms_most = 10, .utilization = 70, .measured = 0.8};

/// Changes every kernel that `change` likes.
template <typename Change>
System changed(System system, Change change) {
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) change(node);
  }
  return system;
}

struct Tally {
  int bounds = 0, larger = 0, schedulable = 0;
};

/// Under a common allocation and by search.
void expect_not_better(const System& vague, const System& exact, Random& random, Tally& tally) {
  const Model model = reference::model_of(vague);
  const auto counts = random_counts(random, model);
  if (!counts) return;
  const std::string allocation = option_of(vague, model, *counts);
  for (const auto& [method, variant] : kAsked) {
    const Verdict above = analyze_with(method, vague, with(variant, allocation));
    const Verdict below = analyze_with(method, exact, with(variant, allocation));
    for (std::size_t i = 0; i < above.tasks.size(); ++i) {
      const Time vaguely = above.tasks[i].bound.value_or(Time::max());
      const Time exactly = below.tasks[i].bound.value_or(Time::max());
      ASSERT_GE(vaguely, exactly) << method << " " << variant;
      ++tally.bounds;
      tally.larger += vaguely > exactly ? 1 : 0;
    }
    if (analyze_with(method, vague, with(variant)).status != Status::kSchedulable) continue;
    ++tally.schedulable;
    ASSERT_EQ(analyze_with(method, exact, with(variant)).status, Status::kSchedulable)
        << method << " " << variant;
  }
}

TEST(Vaguer, FewerEntriesOfACurveNeverGetASmallerBound) {
  Random random(81, 0);
  Tally tally;
  for (int set = 0; set < sets(1500); ++set) {
    // Without lower bounds: see AnEntryMoreCanHurtOthersThroughItsLowerBound.
    const System exact = changed(random_system(random, kShape), [](Node& node) {
      for (TimesEntry& entry : node.times) entry.bcet = Time();
    });
    const System vague = changed(exact, [&](Node& node) {
      std::erase_if(node.times, [&](const TimesEntry& entry) {
        return &entry != &node.times.back() && random.chance(0.4);
      });
    });
    ASSERT_NO_FATAL_FAILURE(expect_not_better(vague, exact, random, tally)) << "set " << set;
  }
  EXPECT_GT(tally.larger, 50);
  EXPECT_GT(tally.schedulable, 50);
}

/// The rule "the shortest entry that fits" makes `hi` run on 2 SMs as soon as that entry is known.
/// It is faster there at most, but can be much faster at least, and then comes back too soon.
TEST(Vaguer, AnEntryMoreCanHurtOthersThroughItsLowerBound) {
  const auto build = [](const std::vector<Builder::Measured>& curve) {
    return Builder(4)
        .task("hi", 12)
        .priority(2)
        .cpu(1)
        .times(curve)
        .cpu(1)
        .task("lo", 4)
        .priority(1)
        .cpu(2, 0)
        .build();
  };
  EXPECT_EQ(analyze_with("rtgpu", build({{4, 9, 9}})).status, Status::kSchedulable);
  EXPECT_EQ(analyze_with("rtgpu", build({{2, 8, 0}, {4, 9, 9}})).status, Status::kUnschedulable);
}

TEST(Vaguer, AGangIsACurveOfOneEntry) {
  Random random(82, 0);
  int same = 0;
  for (int set = 0; set < sets(800); ++set) {
    const System gangs = random_system(random, {.cores_most = 1, .odd = true, .utilization = 60});
    const System curves = changed(gangs, [](Node& node) {
      if (!node.parallelism) return;
      node.times = {{*node.parallelism, *node.wcet, node.bcet, {}}};
      node.parallelism.reset();
      node.wcet.reset();
      node.bcet = Time();
    });
    for (std::string_view method : {"rtgpu", "rtgpu.greedy", "self-suspension", "stgm"}) {
      const Verdict a = analyze_with(method, gangs), b = analyze_with(method, curves);
      ASSERT_EQ(counts_of(a), counts_of(b)) << method << " set " << set;
      for (std::size_t i = 0; i < a.tasks.size(); ++i) {
        ASSERT_EQ(a.tasks[i].bound, b.tasks[i].bound) << method << " set " << set;
        same += a.tasks[i].bound ? 1 : 0;
      }
    }
  }
  EXPECT_GT(same, 500);
}

/// Eq. 3 on one block per SM: what a measurement of a kernel with that load would give.
std::vector<TimesEntry> sampled(const Node& node, std::int64_t sms) {
  std::vector<TimesEntry> curve;
  for (std::int64_t units = 1; units <= sms; ++units) {
    const Time parallel = *node.load - node.overhead;
    curve.push_back({units,
                     div_up(parallel, units) + node.overhead,
                     Time::from_ns(node.load_min.ns() / units),
                     {}});
  }
  return curve;
}

TEST(Vaguer, ALoadNeverGetsASmallerBoundThanTheCurveThatFollowsFromIt) {
  Random random(83, 0);
  Tally tally;
  for (int set = 0; set < sets(1500); ++set) {
    const System loads = changed(random_system(random, {.utilization = 70}),
                                 [](Node& node) { node.interleave.reset(); });
    const std::int64_t sms = loads.platform.elements.back().units;
    const System curves = changed(loads, [&](Node& node) {
      if (!node.load) return;
      node.times = sampled(node, sms);
      node.load.reset();
      node.load_min = node.overhead = Time();
    });
    ASSERT_NO_FATAL_FAILURE(expect_not_better(loads, curves, random, tally)) << "set " << set;
  }
  EXPECT_GT(tally.larger, 50);
  EXPECT_GT(tally.schedulable, 50);
}

}  // namespace
}  // namespace tactus::rtgpu
