#pragma once

#include "tactus/generate/recipe.hpp"

namespace tactus::gcaps {

/// A small system, hardly schedulable, for `hunt`: 1-3 cores, 2-6 tasks, whole multiples of `unit`,
/// overheads as large as the work, some best-effort tasks, some GPU priorities of their own.
System small_system(Random& random, Time unit);

/// Such systems in milliseconds; to leave the GPU takes time in half of them, one in four has mostly
/// pieces of no length, and one in four says less than these (`load` or `times`, no priorities).
extern const Recipe kSmall;

}  // namespace tactus::gcaps
