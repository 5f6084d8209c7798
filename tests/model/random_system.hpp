#pragma once

#include "tactus/base/random.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// A small random system that the reader accepts, in which every attribute of the format takes
/// every sort of value it may have: extremes, awkward names, any graph, any batch.
System random_system(Random& random);

}  // namespace tactus
