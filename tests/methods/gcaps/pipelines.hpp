#pragma once

#include "tactus/base/random.hpp"
#include "tactus/model/system.hpp"

namespace tactus::gcaps::tests {

/// What a random system says about releases, beyond what it said before.
struct Pipelines {
  double jitters = 0.5;  ///< share of the tasks with a jitter
  double afters = 0.3;   ///< share of the tasks that another one starts
  double chains = 0.5;   ///< probability of each of up to three chains
  int longest = 40;      ///< jitter, in percent of the period
  double deadlines = 0;  ///< share of the tasks whose deadline becomes shorter
};

/// Gives tasks of a system jitter, lower bounds of their times, tasks that start them, and chains over
/// them. @pre it has been read, and gives priorities
System with_pipelines(System system, Random& random, const Pipelines& what = {});

}  // namespace tactus::gcaps::tests
