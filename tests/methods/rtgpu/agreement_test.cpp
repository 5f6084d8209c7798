#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/methods/rtgpu/comparison.hpp"

/// The methods against the lemmas written down plainly (reference.cpp), on random systems.
namespace tactus::rtgpu {
namespace {

using reference::Counts;
using reference::Model;
using reference::TaskResult;
using testing::analyze_with;
using testing::counts_of;
using testing::option_of;
using testing::plan_of;
using testing::random_counts;
using testing::random_system;
using testing::Shape;
using testing::time_of;
using testing::with;

using Analyse = std::vector<TaskResult> (*)(const Model&, const Counts&, bool);

const Shape kShapes[] = {
    {},                                               // the paper's shape
    {.lowers = false},                                // lower = upper
    {.cores_most = 2, .buses_most = 2, .odd = true},  // everything at once
    {.tasks_most = 5, .sms_most = 10, .utilization = 50},
    {.tasks_most = 3, .odd = true, .utilization = 120},
    {.odd = true, .measured = 0.6, .lowers_rise = false},  // curves, so that greedy is exact
    {.tasks_most = 3, .utilization = 60, .measured = 0.8, .lowers_rise = false},
};

void expect_same_bounds(std::string_view method, std::string_view variant, Analyse analyse,
                        bool flag, std::uint64_t seed, int count, bool one_core) {
  Random random(seed, 0);
  int bounds = 0, misses = 0;
  for (int set = 0; set < count; ++set) {
    Shape shape = kShapes[static_cast<std::size_t>(set) % std::size(kShapes)];
    if (one_core) shape.cores_most = 1;
    const System system = random_system(random, shape);
    const Model model = reference::model_of(system);
    const auto counts = random_counts(random, model);
    if (!counts) continue;
    const auto expected = analyse(model, *counts, flag);
    const Verdict verdict =
        analyze_with(method, system, with(variant, option_of(system, model, *counts)));
    ASSERT_NE(verdict.plan, nullptr) << verdict.reason;
    const AllocationPlan& plan = plan_of(verdict);
    for (std::size_t k = 0; k < counts->size(); ++k) {
      ASSERT_EQ(plan.entries[k].bound, time_of(expected[k].response)) << "set " << set;
      ++(expected[k].response ? bounds : misses);
      ASSERT_EQ(plan.entries[k].segments.size(), expected[k].segments.size()) << "set " << set;
      for (std::size_t i = 0; i < expected[k].segments.size(); ++i) {
        ASSERT_EQ(plan.entries[k].segments[i].bound, time_of(expected[k].segments[i]))
            << "set " << set << " segment " << i;
      }
    }
  }
  EXPECT_GT(bounds, count / 2);  // else the sets would not test much
  EXPECT_GT(misses, count / 10);
}

TEST(GivenAllocation, RtgpuBoundsEqualPlainIteration) {
  expect_same_bounds("rtgpu", "safe", reference::rtgpu, false, 11, testing::sets(2000), false);
}

TEST(GivenAllocation, PaperIsTheSameAsSafe) {
  expect_same_bounds("rtgpu", "paper", reference::rtgpu, false, 12, testing::sets(300), false);
}

TEST(GivenAllocation, TightBoundsEqualTheLeastOfAllChoices) {
  expect_same_bounds("rtgpu", "tight", reference::rtgpu, true, 13, testing::sets(2000), false);
}

TEST(GivenAllocation, SelfSuspensionBoundsEqualPlainIteration) {
  expect_same_bounds("self-suspension", "safe", reference::self_suspension, false, 14,
                     testing::sets(1000), false);
  expect_same_bounds("self-suspension", "paper", reference::self_suspension, true, 15,
                     testing::sets(1000), false);
}

TEST(GivenAllocation, StgmBoundsEqualPlainIteration) {
  expect_same_bounds("stgm", "safe", reference::stgm, false, 16, testing::sets(1000), true);
  expect_same_bounds("stgm", "paper", reference::stgm, true, 17, testing::sets(1000), true);
}

TEST(Search, FindsTheAllocationOfTheFullGridExactlyAndGreedily) {
  Random random(21, 0);
  int found = 0, raised = 0, none = 0;
  const int count = testing::sets(5000);
  for (int set = 0; set < count; ++set) {
    const System system =
        random_system(random, kShapes[static_cast<std::size_t>(set) % std::size(kShapes)]);
    const Model model = reference::model_of(system);
    const bool tight = set % 2 == 1;
    const auto expected = reference::first_by_grid(
        model, [&](const Model& m, const Counts& c) { return reference::rtgpu(m, c, tight); });
    const Options options = with(tight ? "tight" : "safe");
    ASSERT_EQ(counts_of(analyze_with("rtgpu", system, options)), expected) << "set " << set;
    ASSERT_EQ(counts_of(analyze_with("rtgpu.greedy", system, options)), expected) << "set " << set;
    if (!expected) {
      ++none;
      continue;
    }
    ++found;
    for (std::size_t k = 0; k < expected->size(); ++k) {
      if ((*expected)[k] > model.tasks[k].min_sms) {
        ++raised;
        break;
      }
    }
  }
  EXPECT_GT(found, count / 10);
  EXPECT_GT(raised, count / 100);
  EXPECT_GT(none, count / 10);
}

void expect_grid_allocation(std::string_view method, Analyse analyse, std::uint64_t seed,
                            bool one_core) {
  Random random(seed, 0);
  int found = 0;
  const int count = testing::sets(600);
  for (int set = 0; set < count; ++set) {
    Shape shape = kShapes[static_cast<std::size_t>(set) % std::size(kShapes)];
    if (one_core) shape.cores_most = 1;
    shape.utilization = shape.utilization * 2 / 3;
    const System system = random_system(random, shape);
    const Model model = reference::model_of(system);
    const bool paper = set % 2 == 1;
    const auto expected = reference::first_by_grid(
        model, [&](const Model& m, const Counts& c) { return analyse(m, c, paper); });
    const Verdict verdict = analyze_with(method, system, with(paper ? "paper" : "safe"));
    ASSERT_EQ(counts_of(verdict), expected) << "set " << set << " " << verdict.reason;
    found += expected ? 1 : 0;
  }
  EXPECT_GT(found, count / 10);
  EXPECT_LT(found, count * 9 / 10);
}

TEST(Search, OfSelfSuspensionFindsTheFirstAllocationOfTheGrid) {
  expect_grid_allocation("self-suspension", reference::self_suspension, 22, false);
}

TEST(Search, OfStgmFindsTheFirstAllocationOfTheGrid) {
  expect_grid_allocation("stgm", reference::stgm, 23, true);
}

TEST(Search, SaysHowManySmsWouldDo) {
  Random random(24, 0);
  int would_do = 0;
  for (int set = 0; set < testing::sets(1500); ++set) {
    System system = random_system(random, kShapes[0]);
    const Verdict verdict = analyze_with("rtgpu", system, {});
    const auto at = verdict.reason.find(" SMs would be enough");
    if (verdict.status != Status::kUnschedulable || at == std::string::npos) continue;
    if (verdict.reason.find("no number of SMs") != std::string::npos) continue;
    const auto start = verdict.reason.rfind(' ', at - 1) + 1;
    const std::int64_t sms = std::stoll(verdict.reason.substr(start, at - start));
    Element& gpu = system.platform.elements.back();
    ASSERT_GT(sms, gpu.units);
    gpu.units = sms;
    ASSERT_EQ(analyze_with("rtgpu", system, {}).status, Status::kSchedulable) << "set " << set;
    gpu.units = sms - 1;
    ASSERT_EQ(analyze_with("rtgpu", system, {}).status, Status::kUnschedulable) << "set " << set;
    ++would_do;
  }
  EXPECT_GT(would_do, 10);
}

TEST(Monotonicity, OwnSmsHelpLessUrgentOnesDoNotMatterMoreUrgentOnesHurt) {
  Random random(31, 0);
  int moved = 0;
  for (int set = 0; set < testing::sets(1500); ++set) {
    Shape shape = kShapes[static_cast<std::size_t>(set) % std::size(kShapes)];
    shape.sms_most = 20;
    const System system = random_system(random, shape);
    const Model model = reference::model_of(system);
    auto counts = random_counts(random, model);
    if (!counts) continue;
    const bool tight = set % 2 == 1;
    const auto bounds = [&](const Counts& c) {
      System big = system;
      big.platform.elements.back().units = 1000;
      return plan_of(analyze_with("rtgpu", big,
                                  with(tight ? "tight" : "safe", option_of(system, model, c))))
          .entries;
    };
    const auto before = bounds(*counts);
    const auto changed =
        static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(counts->size()) - 1));
    if (model.tasks[changed].min_sms == 0) continue;
    (*counts)[changed] += random.integer(1, 5);
    const auto after = bounds(*counts);
    const Time never = Time::max();
    for (std::size_t k = 0; k < after.size(); ++k) {
      const Time old_bound = before[k].bound.value_or(never);
      const Time new_bound = after[k].bound.value_or(never);
      const bool as_claimed = k < changed    ? new_bound == old_bound
                              : k == changed ? new_bound <= old_bound
                                             : new_bound >= old_bound;
      ASSERT_TRUE(as_claimed) << "set " << set << " task " << k << " changed " << changed;
      moved += new_bound != old_bound ? 1 : 0;
    }
  }
  EXPECT_GT(moved, 50);
}

TEST(Tight, NeverExceedsThePaperAndNeverNeedsMoreSms) {
  Random random(32, 0);
  int better = 0;
  for (int set = 0; set < testing::sets(1500); ++set) {
    const System system =
        random_system(random, kShapes[static_cast<std::size_t>(set) % std::size(kShapes)]);
    const Verdict paper = analyze_with("rtgpu", system, with("safe"));
    const Verdict tight = analyze_with("rtgpu", system, with("tight"));
    if (paper.status != Status::kSchedulable) {
      const bool hinted = paper.reason.find("`tight` proves") != std::string::npos;
      ASSERT_EQ(hinted, tight.status == Status::kSchedulable) << paper.reason;
      better += hinted ? 1 : 0;
      continue;
    }
    ASSERT_EQ(tight.status, Status::kSchedulable);
    for (std::size_t k = 0; k < plan_of(paper).entries.size(); ++k) {
      ASSERT_LE(plan_of(tight).entries[k].sms, plan_of(paper).entries[k].sms);
      ASSERT_LE(*plan_of(paper).entries[k].whole_job, *plan_of(paper).entries[k].per_copy);
    }
  }
  EXPECT_GT(better, 0);
}

TEST(Terms, AddUpToTheBoundOrExceedTheDeadline) {
  Random random(33, 0);
  int with_bound = 0, without = 0;
  for (int set = 0; set < testing::sets(1000); ++set) {
    Shape shape = kShapes[static_cast<std::size_t>(set) % std::size(kShapes)];
    shape.cores_most = 1;
    const System system = random_system(random, shape);
    const Model model = reference::model_of(system);
    const auto counts = random_counts(random, model);
    if (!counts) continue;
    for (std::string_view method : {"rtgpu", "self-suspension", "stgm"}) {
      for (std::string_view variant : {"safe", "paper", "tight"}) {
        if (variant == "tight" && method != "rtgpu") continue;
        const Verdict verdict =
            analyze_with(method, system, with(variant, option_of(system, model, *counts)));
        for (const TaskVerdict& task : verdict.tasks) {
          Time sum;
          for (const Term& term : task.terms) {
            ASSERT_NE(term.amount, Time());
            sum += term.amount;
          }
          if (task.bound) {
            ASSERT_EQ(sum, *task.bound) << method << " " << variant << " set " << set;
            ++with_bound;
          } else {
            ASSERT_GT(sum, *task.deadline) << method << " " << variant << " set " << set;
            ++without;
          }
        }
      }
    }
  }
  EXPECT_GT(with_bound, 1000);
  EXPECT_GT(without, 1000);
}

}  // namespace
}  // namespace tactus::rtgpu
