#pragma once

#include "tactus/generate/recipe.hpp"

namespace tactus::rtgpu {

/// Small systems, hardly schedulable, to find violations: 2-4 chains with lower bounds far below
/// the upper ones, one or two copy engines, rigid, malleable and measured kernels, launch code,
/// best-effort copies.
extern const Recipe kSmall;

}  // namespace tactus::rtgpu
