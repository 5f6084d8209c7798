#pragma once

#include "tactus/generate/recipe.hpp"

namespace tactus::gcaps {

/// Random task sets of the GCAPS evaluation (Table 3 of the paper).
extern const Recipe kTable3;

}  // namespace tactus::gcaps
