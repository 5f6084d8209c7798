#pragma once

#include "tactus/generate/recipe.hpp"

namespace tactus::gcaps {

/// A small system, hardly schedulable, for `hunt`: 1-3 cores, 2-6 tasks, whole multiples of `unit`,
/// overheads as large as the work, some best-effort tasks, some GPU priorities of their own.
System small_system(Random& random, Time unit);

/// Such systems in milliseconds.
extern const Recipe kSmall;

}  // namespace tactus::gcaps
