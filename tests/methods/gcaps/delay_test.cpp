#include <fmt/core.h>

#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/small_systems.hpp"
#include "tests/methods/gcaps/support.hpp"

/// `preemption_delay`, row by row of its table in theory.md: by hand, and by what
/// happens when a row is forgotten.
namespace tactus::gcaps::tests {
namespace {

/// What the delay `d` (2 ms) adds to the bound of `task`.
std::int64_t added(std::string_view method, std::string_view variant, const Sketch& sketch,
                   std::string_view task) {
  Sketch delayed = sketch;
  delayed.preemption_delay("2");
  const std::int64_t without = bound_ns(method, sketch.system(), variant, task);
  const std::int64_t with = bound_ns(method, delayed.system(), variant, task);
  EXPECT_GT(without, 0);
  EXPECT_GT(with, 0);
  return (with - without) / kMs;
}

Sketch two_cores() {
  Sketch sketch(3);
  sketch.runlist_update("1");
  return sketch;
}

TEST(PreemptionDelay, OfItsOwnCountsOnceASegmentInADriverAndTwiceWithAnArbiter) {
  Sketch sketch = two_cores();
  sketch.task("a", 1, "400", "1, 0+2, 1, 0+2").task("low", 2, "400", "1, 0+3");
  for (const std::string_view method : {"gcaps.suspend", "gcaps.busy"}) {
    EXPECT_EQ(added(method, "safe", sketch, "a"), 2 * 2) << method;
    EXPECT_EQ(added(method, "safe-arbiter", sketch, "a"), 2 * 2 * 2) << method;
    EXPECT_EQ(added(method, "paper", sketch, "a"), 0) << method;
  }
}

TEST(PreemptionDelay, OfItsOwnIsNothingWhereNobodyCanBeOnTheGpu) {
  Sketch sketch = two_cores();
  sketch.task("low", 1, "400", "1").task("a", 1, "400", "1, 0+2");
  for (const std::string_view variant : {"safe", "safe-arbiter"}) {
    EXPECT_EQ(added("gcaps.suspend", variant, sketch, "a"), 0) << variant;
  }
}

TEST(PreemptionDelay, CountsOnceForEachBestEffortTaskThatMayHaveToLeave) {
  Sketch sketch = two_cores();
  sketch.task("a", 1, "400", "1, 0+2");
  for (int k = 0; k < 3; ++k) sketch.best_effort("b" + std::to_string(k), 2, "", "1, 0+2");
  EXPECT_EQ(added("gcaps.suspend", "safe", sketch, "a"), 3 * 2);
  EXPECT_EQ(added("gcaps.suspend", "safe-arbiter", sketch, "a"), 2 * 3 * 2);
}

TEST(PreemptionDelay, OfALocalTaskAboveCountsOnItsGpuPartWhenItSuspends) {
  Sketch sketch = two_cores();
  sketch.task("h", 1, "400", "1, 0+2").task("i", 1, "400", "1, 0+2").task("c", 1, "400", "1");
  EXPECT_EQ(added("gcaps.suspend", "safe", sketch, "i"), 2) << "i has nobody below it";
  EXPECT_EQ(added("gcaps.suspend", "safe-arbiter", sketch, "i"), 2);
  EXPECT_EQ(added("gcaps.suspend", "safe", sketch, "c"), 0) << "c does not use the GPU";
}

TEST(PreemptionDelay, OfASpinningTaskAboveCountsForCpuOnlyTasksToo) {
  Sketch sketch = two_cores();
  sketch.task("h", 1, "400", "1, 0+2, 1, 0+2").task("c", 1, "400", "1");
  sketch.task("low", 2, "400", "1, 0+2");
  EXPECT_EQ(added("gcaps.busy", "safe", sketch, "c"), 2 * 2);
  EXPECT_EQ(added("gcaps.busy", "safe-arbiter", sketch, "c"), 2 * 2 * 2);
}

TEST(PreemptionDelay, OfARemoteTaskAboveCountsOnceASegment) {
  Sketch sketch = two_cores();
  sketch.task("h", 2, "400", "1, 0+2, 1, 0+2").task("i", 1, "400", "1, 0+2");
  for (const std::string_view method : {"gcaps.suspend", "gcaps.busy"}) {
    for (const std::string_view variant : {"safe", "safe-arbiter"}) {
      EXPECT_EQ(added(method, variant, sketch, "i"), 2 * 2) << variant << " " << method;
    }
  }
}

TEST(PreemptionDelay, IsATermOfItsOwnThatSaysHowOftenItCounts) {
  Sketch sketch = two_cores();
  sketch.preemption_delay("2").task("a", 1, "400", "1, 0+2").task("low", 2, "400", "1, 0+3");
  const System system = sketch.system();
  const auto amount = [&](std::string_view variant, std::string_view label) {
    Time sum;
    const Verdict verdict = run("gcaps.suspend", system, variant);
    for (const Term& term : find(verdict, system, "a")->terms) {
      if (term.label == label) sum += term.amount;
    }
    return sum;
  };
  EXPECT_EQ(amount("safe", "preemption delay (kappa 1)"), ms(2));
  EXPECT_EQ(amount("safe-arbiter", "preemption delay (kappa 2)"), ms(4));
}

TEST(SafeArbiter, ChargesACpuOnlyTaskNoUpdates) {
  Sketch sketch = two_cores();
  sketch.task("c", 1, "400", "5").task("low", 1, "400", "1, 0+3").task("r", 2, "400", "1, 0+3");
  for (const std::string_view method : {"gcaps.suspend", "gcaps.busy"}) {
    EXPECT_EQ(bound_ns(method, sketch.system(), "safe-arbiter", "c"), 5 * kMs) << method;
    EXPECT_EQ(bound_ns(method, sketch.system(), "safe", "c"), 6 * kMs) << method;
  }
}

TEST(SafeArbiter, ChargesRemoteOwnersToACpuOnlyTaskOnlyWhereATaskAboveItSpinsForThem) {
  // top (core 2) is above the spinner h, bottom (core 2) is not.
  const auto with = [](bool spinner) {
    Sketch sketch = two_cores();
    sketch.task("top", 2, "400", "1, 0+7");
    sketch.task("h", 1, "400", spinner ? "1, 0+2" : "3");
    sketch.task("bottom", 2, "400", "1, 0+11").task("c", 1, "400", "5");
    return sketch.system();
  };
  // c 5, h 1 + 2 + 4 updates, top 7 + 2 + 2 updates; bottom nothing.
  EXPECT_EQ(bound_ns("gcaps.busy", with(true), "safe-arbiter", "c"), (5 + 7 + 11) * kMs);
  EXPECT_EQ(bound_ns("gcaps.busy", with(false), "safe-arbiter", "c"), (5 + 3) * kMs);
}

TEST(PreemptionDelay, IsExceededWhenARowOfItsTableIsForgotten) {
  using naive::Row;
  const std::vector<Mutant> mutants = {
      {"own", Row::kOwn, "gcaps.suspend", "safe"},
      {"own", Row::kOwn, "gcaps.busy", "safe"},
      {"own", Row::kOwn, "gcaps.suspend", "safe-arbiter"},
      {"own", Row::kOwn, "gcaps.busy", "safe-arbiter"},
      {"local, suspend", Row::kLocalSuspend, "gcaps.suspend", "safe"},
      {"local, suspend", Row::kLocalSuspend, "gcaps.suspend", "safe-arbiter"},
      {"local, busy", Row::kLocalBusy, "gcaps.busy", "safe"},
      {"local, busy", Row::kLocalBusy, "gcaps.busy", "safe-arbiter"},
      {"remote", Row::kRemote, "gcaps.suspend", "safe"},
      {"remote", Row::kRemote, "gcaps.busy", "safe"},
      {"remote", Row::kRemote, "gcaps.suspend", "safe-arbiter"},
      {"remote", Row::kRemote, "gcaps.busy", "safe-arbiter"},
      {"kappa", Row::kKappa, "gcaps.suspend", "safe-arbiter"},
      {"kappa", Row::kKappa, "gcaps.busy", "safe-arbiter"},
  };
  for (const Mutant& mutant : mutants) {
    EXPECT_TRUE(systems_until_exceeded(mutant, Population::kLongDelay, 4'000))
        << mutant.name << " of " << mutant.variant << " " << mutant.method;
  }
}

}  // namespace
}  // namespace tactus::gcaps::tests
