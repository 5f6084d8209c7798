#pragma once

#include "tactus/generate/recipe.hpp"

namespace tactus::pbs {

/// Kernels with slowdown factors of one range, as in the experiments of the PBS paper (section 6):
/// small [1, 1.4], large [1.7, 1.9], mixed [1.1, 1.9].
extern const Recipe kSlowdown;

}  // namespace tactus::pbs
