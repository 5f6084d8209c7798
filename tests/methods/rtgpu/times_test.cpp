#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>

#include "tactus/generate/recipe.hpp"
#include "tests/methods/rtgpu/comparison.hpp"

/// What the time of a kernel means to the methods that divide the SMs: measured curves, rigid and
/// malleable kernels, and a time on the whole GPU.
namespace tactus::rtgpu {
namespace {

using namespace testing;
using reference::Counts;
using reference::Model;

struct Question {
  std::string_view method, variant;
  std::vector<reference::TaskResult> (*analyse)(const Model&, const Counts&, bool);
};

constexpr std::string_view kMethods[] = {"rtgpu", "rtgpu.greedy", "self-suspension", "stgm"};

TEST(WholeGpuTime, IsTakenWhereOneSmIsTheWholeGpu) {
  System system = Builder(1).task("a", 20).rigid(9, 4).build();
  system.tasks[0].nodes[0].parallelism.reset();
  for (std::string_view method : kMethods) {
    EXPECT_EQ(analyze_with(method, system).tasks.at(0).bound, ms(9)) << method;
  }
}

TEST(WholeGpuTime, IsNotThatOfOneSm) {
  System system = Builder(16).task("a", 20).rigid(9, 4).build();
  for (std::string_view method : kMethods) {
    EXPECT_EQ(analyze_with(method, system).status, Status::kSchedulable) << "1 was written";
  }
  system.tasks[0].nodes[0].parallelism.reset();
  for (std::string_view method : kMethods) {
    EXPECT_EQ(analyze_with(method, system).status, Status::kNotApplicable) << method;
  }
}

TEST(WholeGpuTime, OfAUnitWithLanesNeedsAWidthInLanes) {
  System system = Builder(4).task("a", 20).rigid(9, 4).build();
  system.platform.elements.back().lanes = 64;
  system.tasks[0].nodes[0].parallelism.reset();
  EXPECT_EQ(analyze_with("rtgpu", system).status, Status::kNotApplicable);
  system.tasks[0].nodes[0].threads = 32;
  const Verdict verdict = analyze_with("rtgpu", system);
  ASSERT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
  EXPECT_EQ(plan_of(verdict).entries[0].sms, 1);
}

TEST(Interleave, CountsAsTwoWhereItIsMissing) {
  System system = Builder(2).task("a", 20).kernel(8, 8, 2, 1.5).build();
  EXPECT_EQ(analyze_with("rtgpu", system).tasks[0].bound, ms(2 + (8 * 1.5 - 2) / 2));
  system.tasks[0].nodes[0].interleave.reset();
  // Two virtual SMs on one SM give nothing: not below the time on that SM.
  EXPECT_EQ(analyze_with("rtgpu", system).tasks[0].bound, ms(2 + (8 * 2 - 2) / 2.0));
  EXPECT_GE(*analyze_with("rtgpu", system).tasks[0].bound, ms(8));
  EXPECT_EQ(analyze_with("stgm", system).tasks[0].bound, ms(8)) << "it does not interleave";
}

/// A kernel that at 4 SMs is never faster than 9, at 2 sometimes at once: with 2 `hi` comes back
/// too soon for `lo`.
System slower_at_best_on_more_sms() {
  return Builder(4)
      .task("hi", 12)
      .priority(2)
      .cpu(1)
      .times({{2, 10, 0}, {4, 9, 9}})
      .cpu(1)
      .task("lo", 4)
      .priority(1)
      .cpu(2, 0)
      .build();
}

TEST(Times, ALargerCountCanHelpTheTasksBelow) {
  const System system = slower_at_best_on_more_sms();
  for (std::string_view variant : {"safe", "tight"}) {
    const Verdict verdict = analyze_with("rtgpu", system, with(variant));
    ASSERT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
    EXPECT_EQ(counts_of(verdict), (Counts{4, 0}));
    EXPECT_EQ(verdict.tasks[0].bound, ms(11));
    EXPECT_EQ(verdict.tasks[1].bound, ms(4));
    EXPECT_EQ(analyze_with("rtgpu", system, with(variant, "hi=2")).status, Status::kUnschedulable);
  }
}

/// The search of the baseline must not drop 4 SMs for `hi` because `lo` misses with 2.
TEST(Times, ALargerCountCanHelpInSelfSuspensionToo) {
  const Verdict verdict = analyze_with("self-suspension", slower_at_best_on_more_sms());
  ASSERT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
  EXPECT_EQ(counts_of(verdict), (Counts{4, 0}));
}

/// With 2 SMs `hi` does not use the accelerator at all, and `lo` never waits for it.
TEST(Times, AKernelThatTakesNoTimeOnMoreSmsIsNoCompetitorThere) {
  const System system = Builder(3)
                            .task("hi", 10)
                            .priority(2)
                            .cpu(1)
                            .times({{1, 6, 0}, {2, 0, 0}})
                            .task("lo", 5)
                            .priority(1)
                            .times({{1, 4, 4}})
                            .build();
  for (std::string_view method : kMethods) {
    const Verdict verdict = analyze_with(method, system);
    ASSERT_EQ(verdict.status, Status::kSchedulable) << method << ": " << verdict.reason;
    EXPECT_EQ(plan_of(verdict).entries[0].sms, method.starts_with("rtgpu") ? 1 : 2) << method;
  }
  EXPECT_EQ(analyze_with("self-suspension", system).tasks[1].bound, ms(4));
}

TEST(Times, GreedyMayMissThemAndSaysSo) {
  const Verdict verdict = analyze_with("rtgpu.greedy", slower_at_best_on_more_sms());
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_EQ(verdict.reason,
            "task `lo` misses its deadline, and has no kernels; greedy found none, but some "
            "kernel's least time rises with its SMs: `rtgpu` may find one");
}

TEST(Times, AnAllocationThatDoesNotExistIsRefutedByTrialOfAll) {
  System system = slower_at_best_on_more_sms();
  system.tasks[1].deadline = ms(3);
  EXPECT_EQ(analyze_with("rtgpu", system).reason,
            "no allocation of the SMs makes every task meet its deadline; the search came as far "
            "as task `lo`");
}

TEST(Times, AKernelRunsOnTheEntryThatIsShortestNotOnAllItsSms) {
  const System system =
      Builder(9).task("a", 20).times({{2, 8, 1}, {4, 5, 2}, {6, 7, 3}, {8, 5, 4}}).build();
  const auto on = [&](std::int64_t sms) {
    const Verdict verdict = analyze_with("rtgpu", system, with("safe", fmt::format("a={}", sms)));
    const AllocationPlan::Entry& entry = plan_of(verdict).entries.at(0);
    EXPECT_EQ(entry.virtual_sms, sms) << "a measured kernel does not interleave";
    return fmt::format("{} units: [{}, {}]", entry.units.at(0).units,
                       format_time(entry.segments.at(0).lower, TimeUnit::kMs),
                       format_time(*entry.bound, TimeUnit::kMs));
  };
  EXPECT_EQ(on(2), "2 units: [1, 8]");
  EXPECT_EQ(on(3), "2 units: [1, 8]");
  EXPECT_EQ(on(4), "4 units: [2, 5]");
  EXPECT_EQ(on(6), "4 units: [2, 5]") << "7 on 6 units is longer";
  EXPECT_EQ(on(9), "4 units: [2, 5]") << "8 units are as fast, and more";
  EXPECT_EQ(analyze_with("rtgpu", system, with("safe", "a=1")).reason,
            "--allocation: task `a` is given 1 SMs, but needs at least 2");
}

TEST(Times, BestEffortKernelsBlockForTheirLongestEntry) {
  const System system = Builder(8)
                            .task("a", 40)
                            .kernel(4, 4, 0, 1)
                            .best_effort("idle")
                            .times({{2, 5, 1}, {4, 9, 2}, {8, 3, 1}})
                            .build();
  EXPECT_EQ(analyze_with("self-suspension", system).tasks[0].bound, ms(4 + 9));
}

/// Systems with curves whose lower bounds may rise with the SMs.
const Shape kCurves[] = {
    {.measured = 0.8},
    {.cores_most = 2, .buses_most = 2, .odd = true, .measured = 0.6},
    {.tasks_most = 3, .sms_most = 10, .utilization = 110, .measured = 1},
    {.tasks_most = 5, .utilization = 60, .measured = 0.9},
};

Shape curves(int set) { return kCurves[static_cast<std::size_t>(set) % std::size(kCurves)]; }

TEST(Times, TheSearchFindsTheAllocationOfTheFullGrid) {
  Random random(71, 0);
  int found = 0, none = 0, greedy_missed = 0;
  const int count = sets(6000);
  for (int set = 0; set < count; ++set) {
    const System system = random_system(random, curves(set));
    const Model model = reference::model_of(system);
    const bool tight = set % 2 == 1;
    const auto analyse = [&](const Model& m, const Counts& c) {
      return reference::rtgpu(m, c, tight);
    };
    const auto expected = reference::first_by_grid(model, analyse);
    const Options options = with(tight ? "tight" : "safe");
    ASSERT_EQ(counts_of(analyze_with("rtgpu", system, options)), expected) << "set " << set;
    const Verdict greedy = analyze_with("rtgpu.greedy", system, options);
    if (const auto counts = counts_of(greedy)) {
      ASSERT_TRUE(reference::feasible(analyse(model, *counts))) << "set " << set;
    } else if (expected) {
      ASSERT_NE(greedy.reason.find("greedy found none"), std::string::npos) << greedy.reason;
      ++greedy_missed;
    }
    ++(expected ? found : none);
  }
  EXPECT_GT(found, count / 10);
  EXPECT_GT(none, count / 10);
  EXPECT_GT(greedy_missed, 0);  // else no set would need the counts beyond the first that fits
}

TEST(Times, TheSearchesOfTheBaselinesFindTheAllocationOfTheFullGrid) {
  Random random(72, 0);
  int found = 0;
  const int count = sets(800);
  for (int set = 0; set < count; ++set) {
    Shape shape = curves(set);
    shape.cores_most = 1;
    shape.utilization = shape.utilization * 2 / 3;
    const System system = random_system(random, shape);
    const Model model = reference::model_of(system);
    const bool paper = set % 2 == 1;
    for (const auto& [method, variant, analyse] :
         {Question{"self-suspension", paper ? "paper" : "safe", reference::self_suspension},
          Question{"stgm", paper ? "paper" : "safe", reference::stgm}}) {
      const auto expected = reference::first_by_grid(
          model,
          [&, analyse = analyse](const Model& m, const Counts& c) { return analyse(m, c, paper); });
      const Verdict verdict = analyze_with(method, system, with(variant));
      ASSERT_EQ(counts_of(verdict), expected) << method << " set " << set << verdict.reason;
      found += expected ? 1 : 0;
    }
  }
  EXPECT_GT(found, count / 10);
  EXPECT_LT(found, count * 19 / 10);
}

TEST(Times, BoundsUnderAGivenAllocationEqualPlainIteration) {
  Random random(73, 0);
  int bounds = 0;
  for (int set = 0; set < sets(2000); ++set) {
    Shape shape = curves(set);
    shape.cores_most = 1;
    const System system = random_system(random, shape);
    const Model model = reference::model_of(system);
    const auto counts = random_counts(random, model);
    if (!counts) continue;
    const std::string allocation = option_of(system, model, *counts);
    const bool other = set % 2 == 1;
    for (const auto& [method, variant, analyse] :
         {Question{"rtgpu", other ? "tight" : "safe", reference::rtgpu},
          Question{"self-suspension", other ? "paper" : "safe", reference::self_suspension},
          Question{"stgm", other ? "paper" : "safe", reference::stgm}}) {
      const auto expected = analyse(model, *counts, other);
      const Verdict verdict = analyze_with(method, system, with(variant, allocation));
      for (std::size_t k = 0; k < counts->size(); ++k) {
        const auto& bound = plan_of(verdict).entries[k].bound;
        ASSERT_EQ(bound, time_of(expected[k].response)) << method << " set " << set;
        bounds += bound ? 1 : 0;
      }
    }
  }
  EXPECT_GT(bounds, 1000);
}

/// Thirty tasks that all have two counts that help others, and one below that nothing helps.
System hopeless_curves() {
  Builder out(200);
  for (int i = 0; i < 30; ++i) {
    out.task(fmt::format("t{}", i), 1000 + i)
        .cpu(1)
        .times({{1, 100, 0}, {2, 100, 1}, {3, 99, 2}, {4, 98, 3}})
        .cpu(1);
  }
  return out.task("last", 2000).cpu(1990).build();
}

TEST(SearchBudget, EndsTheSearchThroughCurvesWithoutAnAnswer) {
  const Verdict verdict = analyze_with("rtgpu", hopeless_curves());
  EXPECT_EQ(verdict.status, Status::kUndecided);
  EXPECT_NE(verdict.reason.find("allocation search exceeded"), std::string::npos);
  EXPECT_NE(verdict.reason.find("--time-limit"), std::string::npos) << verdict.reason;
}

TEST(SearchBudget, EndsTheSearchOfABaselineOnALargeGpuToo) {
  const Recipe& recipe = *find_recipe("rtgpu-table1");
  const std::map<std::string, std::string, std::less<>> given = {
      {"tasks", "30"}, {"sms", "132"}, {"utilization", "0.46"}};
  const auto system = generate(recipe, Settings(recipe.parameters, given), 5, 0);
  ASSERT_TRUE(system);
  const Verdict verdict = analyze_with("self-suspension", *system);
  EXPECT_EQ(verdict.status, Status::kUndecided);
  EXPECT_NE(verdict.reason.find("default budget"), std::string::npos) << verdict.reason;
}

TEST(SearchBudget, IsATimeWhereOneIsGiven) {
  Options options;
  options.settings.emplace("time-limit", "0.05");
  EXPECT_EQ(analyze_with("rtgpu", hopeless_curves(), options).reason,
            "allocation search exceeded the time limit");
  options.settings["time-limit"] = "soon";
  EXPECT_EQ(analyze_with("rtgpu", hopeless_curves(), options).status, Status::kNotApplicable);
}

/// Both miss with the least SMs, and `lo` has no kernels; but with 4 SMs for `hi` both pass.
TEST(Times, GreedyGoesOnWhileATaskThatMissesCanHaveMore) {
  System system = slower_at_best_on_more_sms();
  system.tasks[0].deadline = ms(11);
  for (std::string_view method : {"rtgpu", "rtgpu.greedy"}) {
    const Verdict verdict = analyze_with(method, system);
    ASSERT_EQ(verdict.status, Status::kSchedulable) << method << ": " << verdict.reason;
    EXPECT_EQ(counts_of(verdict), (Counts{4, 0})) << method;
  }
}

}  // namespace
}  // namespace tactus::rtgpu
