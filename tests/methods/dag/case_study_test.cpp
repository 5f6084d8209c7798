#include <gtest/gtest.h>

#include "tactus/generate/recipe.hpp"
#include "tests/methods/dag/simulation.hpp"

/// The case study of Section 5.3, simulated. There times were measured, and Greedy ran "without
/// enforcing sequential constraints", so its kernels overlap; its bound, which the experiment
/// dag-tables compares, is the sum of its kernels.
namespace tactus::dag {
namespace {

struct GraphsOf {
  const char *recipe, *sms, *load;
};

/// Makespans, summed over graphs with the same settings. Every block takes its bound, and blocks
/// are dispatched in the order in which they are released.
struct Sums {
  double printed = 0, safe = 0, unordered = 0, chained = 0;

  /// Percent by which the plan of the printed method is faster than Greedy.
  double gain() const { return 100 * (1 - printed / unordered); }
  double gain_over_the_chain() const { return 100 * (1 - printed / chained); }
  double safe_gain() const { return 100 * (1 - safe / unordered); }
};

Sums simulate(const GraphsOf& setup) {
  const Recipe& recipe = *find_recipe(setup.recipe);
  Sums sums;
  for (std::uint64_t index = 0; index < sweep(200); ++index) {
    const System system = *generate(
        recipe, Settings(recipe.parameters, {{"sms", setup.sms}, {"load", setup.load}}), 1, index);
    const auto run = [&](std::string_view method, std::string_view variant, bool ordered) {
      Options options;
      options.variant = variant;
      const Verdict verdict = analyze(*find_method(method), system, options);
      DagPlan plan = plan_of(verdict);
      if (!ordered) plan.ordering = Ordering::kNone;
      Random random(1, index);
      return static_cast<double>(
          makespan(system, plan, worst_durations(plan), Policy::kFifo, random));
    };
    sums.printed += run("dag.balanced", "paper", true);
    sums.safe += run("dag.balanced", kSafe, true);
    sums.unordered += run("dag.greedy", kSafe, false);
    sums.chained += run("dag.greedy", kSafe, true);
  }
  return sums;
}

/// 37 % below the bound of Greedy, but only 4 % below a Greedy whose kernels overlap; the paper
/// measured 21.3 %.
TEST(CaseStudy, GreedyIsMuchFasterThanItsBoundIfItsKernelsOverlap) {
  const Sums small = simulate({"dag-gauss", "8", "4"}), large = simulate({"dag-gauss", "30", "20"});
  EXPECT_NEAR(small.gain_over_the_chain(), 37, 3);
  EXPECT_NEAR(small.gain(), 4, 2);
  EXPECT_NEAR(large.gain_over_the_chain(), 27, 3);
  EXPECT_NEAR(large.gain(), 5.5, 2);
}

TEST(CaseStudy, GaussianEliminationGainsMostInTheTwoSetupsThatThePaperNames) {
  for (const GraphsOf& most :
       {GraphsOf{"dag-gauss", "8", "4"}, GraphsOf{"dag-gauss", "30", "20"}}) {
    for (const GraphsOf& less :
         {GraphsOf{"dag-gauss", "30", "4"}, GraphsOf{"dag-gauss", "8", "20"}}) {
      EXPECT_GT(simulate(most).gain(), simulate(less).gain() + 1) << most.sms << " " << less.sms;
    }
  }
}

/// Tables 1 and 2 have up to 20 %. With the repaired plans nothing is lost by more than 4 %.
TEST(CaseStudy, LaplaceAndStencilGainNothingInASimulation) {
  for (const char* recipe : {"dag-laplace", "dag-stencil"}) {
    for (const char* sms : {"8", "30"}) {
      for (const char* load : {"4", "20"}) {
        const Sums sums = simulate({recipe, sms, load});
        EXPECT_NEAR(sums.gain(), -2.5, 4.5) << recipe << " " << sms << " " << load;
        EXPECT_NEAR(sums.safe_gain(), -1.5, 2.5) << recipe << " " << sms << " " << load;
      }
    }
  }
}

}  // namespace
}  // namespace tactus::dag
