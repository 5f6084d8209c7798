#pragma once

#include "tactus/generate/recipe.hpp"

namespace tactus::common {

/// The one workload that every family can take: chains of CPU work, copies and kernels whose time
/// on any number of SMs is known. Families that cannot take it as it is get another form of the
/// same draws (common_forms.hpp).
extern const Recipe kCommon;

}  // namespace tactus::common
