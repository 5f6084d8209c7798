#pragma once

#include "tactus/generate/recipe.hpp"

namespace tactus::rtgpu {

/// The task sets of the RTGPU experiments (Table 1 of the paper).
extern const Recipe kTable1;

}  // namespace tactus::rtgpu
