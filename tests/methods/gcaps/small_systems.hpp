#pragma once

#include "tests/methods/gcaps/random_systems.hpp"
#include "tests/methods/gcaps/tick_simulator.hpp"

/// Small random systems in whole milliseconds, and random jobs for them: what hunts chase.
namespace tactus::gcaps::tests {

enum class Population {
  kUsual,
  kNoDelay,    ///< whoever is told to leave the GPU is gone at once
  kZeroes,     ///< most pieces take no time, and neither do updates
  kLongDelay,  ///< leaving the GPU takes longer than most pieces
};

/// 1-3 cores, 2-6 tasks.
System small_system(Random& random, Population population);

/// The longest responses seen in `runs` runs: periodic or later, in step or not, at their worst or
/// not; whoever leaves the GPU takes all the time it may, or less, and works meanwhile or not.
std::vector<Ticks> longest_seen(Scenario scenario, const System& system, int runs, Random& random);

}  // namespace tactus::gcaps::tests
