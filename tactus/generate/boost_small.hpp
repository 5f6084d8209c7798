#pragma once

#include "tactus/generate/recipe.hpp"

/// Systems in which to search for runs that exceed a bound of gcaps.boost.
namespace tactus::gcaps::boost {

/// Small systems of the family with costs, GPU orders, thresholds and an arbiter's core of their own.
extern const Recipe kSmall;
/// Two to four tasks made for carry-in: frequent tasks whose GPU work can come late and then early,
/// over rare tasks with several GPU segments.
extern const Recipe kCarryIn;
/// A frequent task over a rare one on the same core, whose phases hold several of its jobs.
extern const Recipe kLongPhases;
/// Two or three tasks with times of a few milliseconds: few enough offsets to try all.
extern const Recipe kTiny;

}  // namespace tactus::gcaps::boost
