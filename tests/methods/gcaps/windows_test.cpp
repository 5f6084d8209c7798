#include <fmt/core.h>

#include "tests/methods/gcaps/small_systems.hpp"
#include "tests/methods/gcaps/support.hpp"

/// Finer windows under a lock (`--windows on`), beside the agreement with the second implementation
/// and the hunts, which all variants share.
namespace tactus::gcaps::tests {
namespace {

constexpr std::array<std::string_view, 4> kLocks = {"mpcp.suspend", "mpcp.busy", "fmlp.suspend",
                                                    "fmlp.busy"};

TEST(LockWindows, CountOneJobWhereTheWholeResponseCountsTwo) {
  // h has the core for 4 of 10 ms and can delay each of the two short phases of i once; the 12 ms that
  // i is on the GPU in between are no harm.
  const System system = Sketch(1).task("h", 1, "10", "4").task("i", 1, "40", "1, 0+12, 1").system();
  EXPECT_EQ(bound_ns("mpcp.suspend", system, "safe", "i"), 26 * kMs) << "three jobs of h";
  EXPECT_EQ(bound_ns("mpcp.suspend", system, kWindows, "i"), 22 * kMs) << "one per phase";
  EXPECT_EQ(bound_ns("fmlp.suspend", system, kWindows, "i"), 22 * kMs);
}

/// Found by `validate` over all offsets of small systems: c has done its work at 5, but a, which is
/// released again just then, and b keep it off its core, so that it asks at 9.
TEST(LockWindows, AreClosedBeforeARequest) {
  const System system = Sketch(1)
                            .task("a", 1, "5", "2, 1+0")
                            .task("b", 1, "8", "1")
                            .task("c", 1, "18", "1, 0+0")
                            .system();
  for (const std::string_view method : {"mpcp.suspend", "fmlp.suspend"}) {
    EXPECT_GE(bound_ns(method, system, kWindows, "c"), 9 * kMs) << method;
  }
}

TEST(LockWindows, AreNeverWorseAndTheirTermsAddUp) {
  const int systems = scaled(3'000);
  for (const std::string_view method : kLocks) {
    int better = 0, more = 0;
    for (int index = 0; index < systems; ++index) {
      Random random(90, static_cast<std::uint64_t>(index));
      const System system = random_system(random);
      const Verdict without = run(method, system, "safe"), with = run(method, system, kWindows);
      SCOPED_TRACE(fmt::format("{}, system {}", method, index));
      for (std::size_t k = 0; k < with.tasks.size(); ++k) {
        const TaskVerdict &task = with.tasks[k], &before = without.tasks[k];
        more += task.bound && !before.bound ? 1 : 0;
        if (task.bound) {
          ASSERT_EQ(sum(task.terms), *task.bound);
        }
        if (!before.bound) continue;
        ASSERT_TRUE(task.bound);
        ASSERT_LE(*task.bound, *before.bound);
        better += *task.bound < *before.bound ? 1 : 0;
      }
    }
    EXPECT_GT(better, systems / 10) << method;
    EXPECT_GT(more, systems / 100) << method;
  }
}

/// Of the jitters of sections and the window of a request no hunt has seen that they are needed.
TEST(LockWindows, AreExceededWhenARowOfTheirTableIsForgotten) {
  using naive::Row;
  const std::vector<Mutant> mutants = {
      {"phase windows", Row::kPhaseWindows, "mpcp.suspend", kWindows},
      {"phase windows", Row::kPhaseWindows, "fmlp.suspend", kWindows},
      {"half windows", Row::kHalfPhaseWindows, "mpcp.suspend", kWindows},
      {"half windows", Row::kHalfPhaseWindows, "mpcp.busy", kWindows},
      {"jitters of phases", Row::kCarriedPhases, "mpcp.suspend", kWindows},
      {"jitters of phases", Row::kCarriedPhases, "fmlp.suspend", kWindows},
      {"boosts", Row::kLowerBoosts, "mpcp.suspend", kWindows},
      {"boosts", Row::kLowerBoosts, "fmlp.busy", kWindows},
      {"lower sections", Row::kLowerSections, "mpcp.suspend", kWindows},
      {"lower sections", Row::kLowerSections, "fmlp.suspend", kWindows},
  };
  for (const Mutant& mutant : mutants) {
    const auto found = systems_until_exceeded(mutant, Population::kCarryIn, 3'000);
    EXPECT_TRUE(found) << mutant.name << " in " << mutant.method;
  }
}

TEST(LockWindows, AreNotOfTheBoundsThatWerePublished) {
  const System system = Sketch(1).task("h", 1, "10", "4").system();
  Options options = options_of(kWindows);
  options.variant = "paper";
  const Verdict verdict = analyze(*find_method("mpcp.suspend"), system, options);
  EXPECT_EQ(verdict.status, Status::kNotApplicable);
  EXPECT_NE(verdict.reason.find("--windows"), std::string::npos) << verdict.reason;
}

}  // namespace
}  // namespace tactus::gcaps::tests
