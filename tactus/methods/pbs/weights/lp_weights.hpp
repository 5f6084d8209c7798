#pragma once

#include <vector>

#include "tactus/methods/pbs/weights/weights.hpp"

namespace tactus::pbs {

/// Weights from linear programs: any y that respects the batches is valid, so take those that make
/// the demand of some interval largest: once with g_i = H / T_i, then for periods x with g_i = the
/// jobs of i in [0, x] that are due by x. At most `most` vectors.
///
/// Soundness does not depend on the solver: its result is rounded down to integers, compared with
/// every batch (listed ones scanned, levels by an exact or a never lighter knapsack), scaled down
/// where it is too heavy, and raised as the plain weights are.
std::vector<Weights> lp_weights(const TaskSet& set, const WeightConstraints& constraints,
                                std::size_t most);

}  // namespace tactus::pbs
