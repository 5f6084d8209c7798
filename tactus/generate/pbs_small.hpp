#pragma once

#include "tactus/generate/recipe.hpp"

namespace tactus::pbs {

/// Small systems, hardly schedulable, to find violations: 2-5 kernels with short periods, offsets
/// and deadlines of their own, and a table of some batches (ordered ones among them) or slowdown
/// factors, some with block data.
extern const Recipe kSmall;

}  // namespace tactus::pbs
