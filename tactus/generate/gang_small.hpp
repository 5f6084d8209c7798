#pragma once

#include "tactus/generate/recipe.hpp"

namespace tactus::gang {

/// Tiny graphs of wide gangs on few processors, with and without lanes and limits of an SM; mostly
/// one task, sometimes several that share the platform.
extern const Recipe kSmall;

}  // namespace tactus::gang
