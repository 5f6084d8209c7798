// `preemption_delay` in the event engine: no run exceeds a bound, and where a row of the table in
// gcaps/theory.md is forgotten, some run does.
#include <gtest/gtest.h>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/methods/gcaps/naive.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::simulate {
namespace {

using gcaps::naive::Row;

/// The next system of the hunting ground, from `index` on, whose GPU is left after a while only and
/// that says everything.
System with_delay(std::uint64_t& index) {
  const Recipe& recipe = *find_recipe("gcaps-small");
  for (;;) {
    System system = *generate(recipe, Settings(recipe.parameters, {}), 23, index++);
    const Element& gpu = system.platform.elements[1];
    if (gpu.preemption_delay && gpu.units == 1) return system;
  }
}

/// Does a run take longer than these bounds?
bool exceeded(const Method& method, const System& system, const Verdict& verdict,
              std::uint64_t index) {
  for (std::uint64_t k = 0; k < 4; ++k) {
    Until until;
    until.jobs = 20;
    until.events = 200'000;
    trace::Observed seen = run(system, **find_policy(method)->make(system, verdict),
                               trace::random_scenario(index, k), until);
    hold_to(verdict, seen);
    if (!trace::violations(seen).empty()) return true;
  }
  return false;
}

struct Mutant {
  std::string_view method, variant;
  std::optional<Row> row;
};

/// How many systems it takes to see more than the mutant's bounds; nothing when none does.
std::optional<int> systems_until_exceeded(const Mutant& mutant, int most) {
  const Method& method = *find_method(mutant.method);
  Options options;
  options.variant = mutant.variant;
  std::uint64_t index = 0;
  for (int tried = 1; tried <= most; ++tried) {
    const System system = with_delay(index);
    const auto answer = gcaps::naive::analyze(system, mutant.method, mutant.variant, mutant.row);
    Verdict verdict = analyze(method, system, options);
    verdict.status = answer.schedulable ? Status::kSchedulable : Status::kUnschedulable;
    for (TaskVerdict& task : verdict.tasks) {
      const auto bound = answer.bounds.at(system.tasks[task.task].name);
      if (!mutant.row) {
        EXPECT_EQ(task.bound.value_or(Time::from_ns(-1)).ns(), bound.value_or(-1));
      }
      task.bound = bound ? std::optional(Time::from_ns(*bound)) : std::nullopt;
    }
    if (promises(verdict) && exceeded(method, system, verdict, index)) return tried;
  }
  return std::nullopt;
}

TEST(DelayInTheEngine, NeverExceedsABound) {
  for (const std::string_view method : {"gcaps.suspend", "gcaps.busy"}) {
    for (const std::string_view variant : {"safe", "safe-arbiter"}) {
      EXPECT_FALSE(systems_until_exceeded({method, variant, {}}, support::scaled(500, 20)))
          << variant << " " << method;
    }
  }
}

TEST(DelayInTheEngine, ExceedsBoundsThatForgetARowOfItsTable) {
  const Mutant mutants[] = {
      {"gcaps.suspend", "safe", Row::kOwn},
      {"gcaps.busy", "safe", Row::kOwn},
      {"gcaps.suspend", "safe-arbiter", Row::kOwn},
      {"gcaps.busy", "safe-arbiter", Row::kOwn},
      {"gcaps.suspend", "safe", Row::kLocalSuspend},
      {"gcaps.suspend", "safe-arbiter", Row::kLocalSuspend},
      {"gcaps.busy", "safe", Row::kLocalBusy},
      {"gcaps.busy", "safe-arbiter", Row::kLocalBusy},
      {"gcaps.suspend", "safe", Row::kRemote},
      {"gcaps.busy", "safe", Row::kRemote},
      {"gcaps.suspend", "safe-arbiter", Row::kRemote},
      {"gcaps.busy", "safe-arbiter", Row::kRemote},
      {"gcaps.suspend", "safe-arbiter", Row::kKappa},
      {"gcaps.busy", "safe-arbiter", Row::kKappa},
  };
  for (const Mutant& mutant : mutants) {
    EXPECT_TRUE(systems_until_exceeded(mutant, 20'000))
        << "row " << static_cast<int>(*mutant.row) << " of " << mutant.variant << " "
        << mutant.method;
  }
}

}  // namespace
}  // namespace tactus::simulate
