#pragma once

#include "tactus/methods/gang/shares/allocation.hpp"

namespace tactus::gang {

/// The fewest units with which one DAG alone meets its deadline, lexicographically smallest among
/// equals, by element. Polynomial: the elements are joined one after the other, keeping for every
/// number of units in all the least sum of terms. @pre some choices fit the slack.
std::vector<std::int64_t> least_units(const Demand& demand);

}  // namespace tactus::gang
