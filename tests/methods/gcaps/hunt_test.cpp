#include <fmt/core.h>

#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tests/methods/gcaps/small_systems.hpp"
#include "tests/methods/gcaps/support.hpp"

/// Hunts for response times above the bounds: small random systems, random phasing and execution
/// times. Safe bounds must hold; that published ones are exceeded shows that the hunter hunts.
namespace tactus::gcaps::tests {
namespace {

constexpr int kRuns = 6;

struct Tally {
  int checked = 0, exceeded = 0;
};

class Hunt {
 public:
  /// @param run_as the variant whose assumptions the run keeps
  Hunt(std::string_view method, std::string_view variant, std::string_view run_as)
      : method_(method), variant_(variant), run_as_(run_as) {}

  /// Runs the system under the method's policy and compares with the method's bounds.
  void chase(const System& system, Random random) {
    if (!has_bounds(run_as_, system)) return;
    const Verdict verdict = run(method_, system, variant_);
    if (only_together(method_, system) && verdict.status != Status::kSchedulable) return;
    Scenario scenario = scenario_of(system, policy_of(method_, run_as_),
                                    method_.find("busy") != std::string_view::npos, ms(1));
    if (const auto* plan = dynamic_cast<const PriorityPlan*>(verdict.plan.get())) {
      for (const PriorityPlan::Entry& entry : plan->entries) {
        scenario.tasks[entry.task].gpu_priority = entry.gpu_priority;
      }
    }
    const std::vector<Ticks> seen = longest_seen(scenario, system, kRuns, random);
    for (const TaskVerdict& task : verdict.tasks) {
      if (!task.bound) continue;
      ++tally_.checked;
      const bool exceeded = seen[task.task] * kMs > task.bound->ns();
      tally_.exceeded += exceeded ? 1 : 0;
      if (exceeded && variant_ != "paper") {
        ADD_FAILURE() << variant_ << " " << method_ << ", task " << task.task << ": seen "
                      << seen[task.task] << " ms, bound " << task.bound->ns() << " ns";
      }
    }
  }

  /// Of the published bounds only two are not known to be exceeded.
  bool can_succeed() const {
    return variant_ == "paper" && method_ != "mpcp.suspend" && method_ != "fmlp.busy";
  }
  const Tally& tally() const { return tally_; }
  std::string name() const { return fmt::format("{} {} (run as {})", variant_, method_, run_as_); }

 private:
  std::string_view method_, variant_, run_as_;
  Tally tally_;
};

/// Hunts for every method whose id begins with `family`. Published bounds must be exceeded now and
/// then where docs/use/methods/gcaps.md says that they can be.
void hunt(std::string_view family, Population population = Population::kUsual) {
  const bool usual = population == Population::kUsual;
  const int systems = scaled(500, 20);
  std::vector<Hunt> hunts;
  for (const std::string_view method : kMethods) {
    if (!method.starts_with(family)) continue;
    for (const std::string_view variant : {"safe", "safe-arbiter", "safe-inherit"}) {
      // The published bounds of .prio take another order, with which an rt_mutex can end in a deadlock.
      const bool inherits = variant == "safe-inherit";
      if (variant != "safe" && !method.starts_with("gcaps")) break;
      hunts.emplace_back(method, variant, variant);
      if (usual && !(inherits && method.ends_with(".prio"))) {
        hunts.emplace_back(method, "paper", variant);
      }
    }
    if (variants_of(method).back() == kWindows) hunts.emplace_back(method, kWindows, "safe");
  }
  for (int index = 0; index < systems && !testing::Test::HasFailure(); ++index) {
    Random random(77 + static_cast<std::uint64_t>(population), static_cast<std::uint64_t>(index));
    const System system = small_system(random, population);
    SCOPED_TRACE(fmt::format("system {}", index));
    for (Hunt& one : hunts) one.chase(system, random);
  }
  for (const Hunt& one : hunts) {
    EXPECT_GE(one.tally().checked, systems / (usual ? 2 : 3)) << one.name();
    EXPECT_GE(one.tally().exceeded, one.can_succeed() ? 1 : 0) << one.name();
  }
}

TEST(Hunt, FindsNoSafeBoundOfGcapsExceeded) { hunt("gcaps"); }
TEST(Hunt, FindsNoSafeBoundOfTheRoundRobinExceeded) { hunt("tsg-rr"); }
TEST(Hunt, FindsNoSafeBoundOfMpcpExceeded) { hunt("mpcp"); }
TEST(Hunt, FindsNoSafeBoundOfFmlpExceeded) { hunt("fmlp"); }

TEST(Hunt, FindsNoSafeBoundOfGcapsExceededWhereLeavingTheGpuTakesLong) {
  hunt("gcaps", Population::kLongDelay);
}

TEST(Hunt, FindsNoSafeBoundOfGcapsExceededWhereUpdatesTakeLong) {
  hunt("gcaps", Population::kLongUpdates);
}

/// Of the other rows of `safe-inherit` no hunt has seen that they are needed; the argument needs them.
TEST(SecondReading, IsExceededWhenARowOfItsTableIsForgotten) {
  using naive::Row;
  const std::vector<Mutant> mutants = {
      {"second request", Row::kSecondRequest, "gcaps.suspend", "safe-inherit"},
      {"second request", Row::kSecondRequest, "gcaps.busy", "safe-inherit"},
      {"lent on release", Row::kLentOnRelease, "gcaps.suspend", "safe-inherit"},
      {"holder kept off", Row::kHolderKeptOff, "gcaps.suspend", "safe-inherit"},
      {"holder kept off", Row::kHolderKeptOff, "gcaps.busy", "safe-inherit"},
  };
  for (const Mutant& mutant : mutants) {
    EXPECT_TRUE(systems_until_exceeded(mutant, Population::kLongUpdates, 500))
        << mutant.name << " in " << mutant.variant << " " << mutant.method;
  }
}

TEST(Hunt, FindsNoSafeBoundExceededAmongPiecesOfNoLength) {
  for (const char* family : {"gcaps", "tsg-rr", "mpcp", "fmlp"}) hunt(family, Population::kZeroes);
}

TEST(Hunt, FindsNoSafeBoundExceededWhereLaunchesOverlapWithGpuWork) {
  for (const char* family : {"gcaps", "tsg-rr", "mpcp", "fmlp"}) {
    hunt(family, Population::kOverlaps);
  }
}

/// That a kernel which waits for its launch needs a slice more, no hunt has seen; the argument needs it.
TEST(Overlap, IsExceededWhenItIsTakenForMoreThanItIs) {
  using naive::Row;
  const std::vector<Mutant> mutants = {
      {"launches of others", Row::kLaunchesOfOthers, "gcaps.suspend", "safe"},
      {"launches of others", Row::kLaunchesOfOthers, "gcaps.suspend", "safe-arbiter"},
  };
  for (const Mutant& mutant : mutants) {
    EXPECT_TRUE(systems_until_exceeded(mutant, Population::kOverlaps, 4'000))
        << mutant.name << " in " << mutant.variant << " " << mutant.method;
  }
}

TEST(Hunt, AmongPiecesOfNoLengthSeesWhereTheEndOfAWindowIsForgotten) {
  using naive::Row;
  const std::vector<Mutant> mutants = {
      {"F10", Row::kEndOfWindow, "mpcp.suspend", "safe"},
      {"F10", Row::kEndOfWindow, "mpcp.busy", "safe"},
      {"F10", Row::kEndOfWindow, "fmlp.suspend", "safe"},
      {"F10", Row::kEndOfWindow, "fmlp.busy", "safe"},
      {"F11", Row::kEndOfWindow, "gcaps.suspend", "safe"},
      {"F11", Row::kEndOfWindow, "gcaps.busy", "safe"},
      {"F11", Row::kEndOfWindow, "gcaps.suspend", "safe-arbiter"},
      {"F11", Row::kEndOfWindow, "gcaps.busy", "safe-arbiter"},
      {"F11", Row::kEndOfWait, "mpcp.suspend", "safe"},
  };
  for (const Mutant& mutant : mutants) {
    EXPECT_TRUE(systems_until_exceeded(mutant, Population::kZeroes, 20'000))
        << mutant.name << " in " << mutant.variant << " " << mutant.method;
  }
}

}  // namespace
}  // namespace tactus::gcaps::tests
