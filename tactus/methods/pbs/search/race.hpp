#pragma once

#include "tactus/methods/pbs/search/search.hpp"

namespace tactus::pbs {

/// Several searches with different child orders, each with its own tables, on threads of their own;
/// the first answer wins. Run times of one order are heavy-tailed, the verdict is the same for all.
/// The memory limit is divided among them.
///
/// @pre threads >= 1. The calling thread runs the first order, and tells the progress.
SearchResult race(const TaskSet& set, const Oracle& oracle, bool idle, const Features& features,
                  const Budget& budget, int threads);

}  // namespace tactus::pbs
