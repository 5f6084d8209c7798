#pragma once

#include <vector>

#include "tactus/generate/random.hpp"

namespace tactus {

/// `total` split into `count` shares, uniformly over all such splits: the distribution of
/// UUniFast, drawn as the gaps between sorted uniform points. That needs no `pow`, whose last bit
/// differs between C libraries. Draws: count - 1 reals.
std::vector<double> split_uniformly(double total, std::size_t count, Random& random);

}  // namespace tactus
