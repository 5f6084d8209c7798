#pragma once

#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/random_systems.hpp"
#include "tests/methods/gcaps/tick_simulator.hpp"

/// Small random systems in whole milliseconds, and random jobs for them: what hunts chase.
namespace tactus::gcaps::tests {

enum class Population {
  kUsual,
  kNoDelay,      ///< whoever is told to leave the GPU is gone at once
  kZeroes,       ///< most pieces take no time, and neither do updates
  kLongUpdates,  ///< updates take longer than most pieces
  kLongDelay,    ///< leaving the GPU takes longer than most pieces
  kCarryIn,      ///< short periods over long ones with several segments
  kOverlaps,     ///< the GPU begins while launch code still runs
};

/// 1-3 cores, 2-6 tasks.
System small_system(Random& random, Population population);

/// The longest responses seen in `runs` runs: periodic or later, in step or not, at their worst or
/// not; whoever leaves the GPU takes all the time it may, or less, and works meanwhile or not; what
/// falls on one instant happens in any order.
std::vector<Ticks> longest_seen(Scenario scenario, const System& system, int runs, Random& random);

/// What happens at run time under a method, as this variant assumes it.
Policy policy_of(std::string_view method, std::string_view variant);

/// Do the bounds of a method hold only if the whole set passes?
bool only_together(std::string_view method, const System& system);

/// `safe-inherit` has no bounds where GPU priorities have another order than CPU priorities.
bool has_bounds(std::string_view variant, const System& system);

/// An analysis that forgets something.
struct Mutant {
  const char* name;
  naive::Row row;
  std::string_view method, variant;
};

/// How many systems it takes to see more than the mutant's bound; nothing when none does.
std::optional<int> systems_until_exceeded(const Mutant& mutant, Population population, int most);

}  // namespace tactus::gcaps::tests
