#pragma once

#include "tactus/generate/recipe.hpp"

namespace tactus::gcaps {

/// A small system, hardly schedulable, for `hunt`: 1-3 cores, 2-6 tasks, whole multiples of `unit`,
/// overheads as large as the work, some best-effort tasks, some GPU priorities of their own.
System small_system(Random& random, Time unit);

/// Which part of such systems has copies, and what gives them to one: before and after some kernels,
/// on one element, exclusive or shared. To be called after everything else is drawn.
inline constexpr Parameter kCopies = {"copies", "0.25", "part of the systems that have copies"};
void add_copies(System& system, Settings& settings, Random& random, Time unit);

/// In such systems the GPU begins before all is launched: most nodes that have a `launch` get an
/// `overlap`, and some a kernel behind them.
void add_overlaps(System& system, Random& random, Time unit);

/// Such systems in milliseconds; to leave the GPU takes time in half of them, one in four has mostly
/// pieces of no length, one in four says less than these (`load` or `times`, no priorities), and one in four copies (`copies`).
extern const Recipe kSmall;

}  // namespace tactus::gcaps
