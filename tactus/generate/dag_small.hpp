#pragma once

#include "tactus/generate/recipe.hpp"

namespace tactus::dag {

/// Tiny graphs of kernels on few SMs, in the shapes that broke the printed method.
extern const Recipe kSmall;

}  // namespace tactus::dag
