#pragma once

#include "tactus/methods/gang/bound/totals.hpp"

namespace tactus::gang {

enum class Scheduler {
  kWorkConserving,      ///< a ready gang that fits starts
  kSemiWorkConserving,  ///< a ready gang that does not fit may hold back those behind it
};

/// Delta of every node of the load: the most processors of one pool that can idle while the node is
/// ready but not running. @pre every width is at most `pool`, and `totals` serve it.
std::vector<std::int64_t> idle_processors(const ElementLoad& load, const Totals& totals,
                                          std::int64_t pool, Scheduler scheduler);

}  // namespace tactus::gang
