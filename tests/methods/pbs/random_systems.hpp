#pragma once

#include "systems.hpp"
#include "tactus/base/random.hpp"

namespace tactus::pbs::testing {

/// A small random system with any mixture of features: tables, ordered and forbidden entries, block
/// shapes, offsets, identical tasks, slowdown factors with and without listed exceptions.
SystemText random_system(Random& random);

}  // namespace tactus::pbs::testing
