#pragma once

#include "tactus/generate/recipe.hpp"

/// The experiments of the gang paper, Section VII (docs/use/methods/gang.md).
namespace tactus::gang {

extern const Recipe kFig8, kFig9, kFig10;

}  // namespace tactus::gang
