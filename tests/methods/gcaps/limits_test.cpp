#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "tests/methods/gcaps/support.hpp"

/// Files at the edge of what can be computed: the answer is "undecided", never wrong, never an
/// exception, and it comes soon.
namespace tactus::gcaps::tests {
namespace {

/// Seconds that one verdict takes, with much room for slow machines.
constexpr double kSoon = 20;

template <typename Check>
void for_every_method_and_variant(const System& system, Check check) {
  for (const std::string_view method : kMethods) {
    for (const std::string_view variant : kAllVariants) {
      SCOPED_TRACE(fmt::format("{} {}", variant, method));
      const auto start = std::chrono::steady_clock::now();
      Verdict verdict;
      ASSERT_NO_THROW(verdict = run(method, system, variant));
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      EXPECT_LT(taken.count(), kSoon);
      check(method, verdict);
    }
  }
}

void expect_undecided(std::string_view, const Verdict& verdict) {
  EXPECT_EQ(verdict.status, Status::kUndecided);
  EXPECT_FALSE(verdict.reason.empty());
  EXPECT_EQ(verdict.plan, nullptr);
}

/// Sketches are in milliseconds; 64 bits hold 9.2e12 of them.
Sketch overheads() { return Sketch(2).runlist_update("1").context_switch("1").time_slice("1"); }

TEST(Limit, IsUndecidedWhenTheWorkOfOneTaskExceeds64Bits) {
  const System system =
      overheads().task("fine", 1, "100", "1, 1+1").task("a", 1, "9e12", "5e12, 1+1, 5e12").system();
  for_every_method_and_variant(system, expect_undecided);
}

TEST(Limit, IsUndecidedWhenTheDemandOfHigherTasksExceeds64Bits) {
  const System system = overheads()
                            .task("h1", 1, "9e12", "4e12")
                            .task("h2", 1, "9e12", "4e12, 1+1")
                            .task("low", 1, "9e12", "4e12, 1+1")
                            .system();
  for_every_method_and_variant(system, expect_undecided);
}

TEST(Limit, IsUndecidedWhenOverheadsExceed64Bits) {
  const System system = Sketch(2)
                            .runlist_update("9e12")
                            .context_switch("9e12")
                            .time_slice("0.000001")
                            .task("a", 1, "9e12", "1, 1+1")
                            .task("b", 2, "9e12", "1, 1+1")
                            .system();
  for_every_method_and_variant(system, [](std::string_view method, const Verdict& verdict) {
    if (method.starts_with("gcaps") || method.starts_with("tsg-rr")) {
      expect_undecided(method, verdict);
    } else {
      EXPECT_EQ(verdict.status, Status::kSchedulable) << "locks have no overheads";
    }
  });
}

/// Eight tasks with nearly equal periods of a second fill the core up to some 10^-8. The line that a
/// recurrence follows in large steps ends where the rounding up of every task begins to count, and
/// from there the answer is many millions of short steps away.
TEST(Limit, OfStepsIsUndecidedAndNamesTheTask) {
  Sketch sketch = overheads();
  for (int i = 0; i < 8; ++i) {
    sketch.task(fmt::format("h{}", i), 1, fmt::format("{}e-6", 1'000'000'000 + 7 * i), "125");
  }
  const Verdict verdict = run("gcaps.busy", sketch.task("low", 1, "9e12", "1000").system(), "safe");
  expect_undecided("gcaps.busy", verdict);
  EXPECT_NE(verdict.reason.find("`low`"), std::string::npos) << verdict.reason;
  EXPECT_EQ(verdict.tasks.back().note, "no answer within the limit of steps");
  EXPECT_TRUE(verdict.tasks.back().terms.empty()) << "they are no demand that is too high";
  EXPECT_TRUE(verdict.tasks.front().schedulable);
}

TEST(Limit, StillDecidesNearTheEndOfTheRange) {
  const System system = overheads().task("a", 1, "9.2e12", "9.1e12").system();
  for_every_method_and_variant(system, [](std::string_view, const Verdict& verdict) {
    EXPECT_EQ(verdict.status, Status::kSchedulable);
    EXPECT_EQ(verdict.tasks[0].bound, Time::from_ms(9'100'000'000'000));
  });
}

/// No window is long enough for the last task, or already for one above it: the demand shown
/// exceeds the deadline of the first that fails.
void expect_no_bound(const Verdict& verdict) {
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_FALSE(verdict.tasks.back().bound);
  const auto failed = std::find_if(verdict.tasks.begin(), verdict.tasks.end(),
                                   [](const TaskVerdict& task) { return !task.bound; });
  Time demand;
  for (const Term& term : failed->terms) demand += term.amount;
  EXPECT_GT(demand, *failed->deadline);
}

TEST(Limit, DoesNotStandInTheWayOfAFullCore) {
  // The bound of `low` would grow by a nanosecond per step for a second, and never end.
  const System system = overheads()
                            .task("high", 1, "0.000001", "0.000001")
                            .task("low", 1, "1000", "0.000001")
                            .system();
  for_every_method_and_variant(system, [](std::string_view, const Verdict& verdict) {
    EXPECT_TRUE(verdict.tasks[0].bound);
    expect_no_bound(verdict);
  });
}

TEST(Limit, DoesNotStandInTheWayOfAFullCoreWithSeveralPeriods) {
  // 1/2 + 1/3 + 1/6: full, and no power of two says so.
  const System system = overheads()
                            .task("a", 1, "0.000002", "0.000001")
                            .task("b", 1, "0.000003", "0.000001")
                            .task("c", 1, "0.000006", "0.000001")
                            .task("low", 1, "1000", "0.000001")
                            .system();
  for_every_method_and_variant(
      system, [](std::string_view, const Verdict& verdict) { expect_no_bound(verdict); });
}

TEST(Limit, DoesNotStandInTheWayOfManyTasksOnFullCores) {
  Sketch sketch = overheads();
  for (int k = 0; k < 20; ++k) {
    sketch.task(fmt::format("t{}", k), 1 + k % 2, k < 2 ? "0.000001" : "1000", "0.000001");
  }
  for_every_method_and_variant(
      sketch.system(), [](std::string_view, const Verdict& verdict) { expect_no_bound(verdict); });
}

/// `low` has a bound, but by plain steps only after two million (each adds one job of `long`).
Sketch& add_slow(Sketch& sketch) {
  return sketch.task("long", 1, "10", "9.999999").task("low", 1, "30000000", "2");
}

TEST(Limit, IsNotReachedOnACoreThatIsNearlyFull) {
  Sketch sketch = overheads();
  for_every_method_and_variant(
      add_slow(sketch).system(), [](std::string_view, const Verdict& verdict) {
        EXPECT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
        EXPECT_EQ(verdict.tasks[1].bound, Time::from_ms(20'000'000)) << "two million periods";
      });
}

TEST(Limit, IsNotReachedDuringAnAssignmentEither) {
  // With default GPU priorities `b` fails before `low` is looked at; with those of `b` and `a`
  // swapped all pass.
  Sketch sketch(3);
  sketch.runlist_update("0").task("a", 3, "100", "0+50").task("b", 2, "30", "1, 0+10");
  const System system = add_slow(sketch).system();
  for (const std::string plain : {"gcaps.suspend", "gcaps.busy"}) {
    for (const std::string_view variant : kAllVariants) {
      SCOPED_TRACE(fmt::format("{} {}", variant, plain));
      EXPECT_EQ(run(plain, system, variant).status, Status::kUnschedulable);
      const Verdict verdict = run(plain + ".prio", system, variant);
      EXPECT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
    }
  }
}

}  // namespace
}  // namespace tactus::gcaps::tests
