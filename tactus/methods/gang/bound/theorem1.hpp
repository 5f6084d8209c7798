#pragma once

#include <optional>

#include "tactus/methods/gang/bound/theorem2.hpp"

namespace tactus::gang {

/// Theorem 1: the largest bound of a complete path. Computing it is strongly NP-hard; all paths are
/// tried, or none (and nothing is returned) when there are more than `path_budget`. Copies of a
/// node are one node here, since a path through either has the same bound.
std::optional<Fraction> theorem1(const PreparedDag& dag, const DagBound& bound,
                                 std::size_t path_budget, const std::stop_token& stop = {});

}  // namespace tactus::gang
