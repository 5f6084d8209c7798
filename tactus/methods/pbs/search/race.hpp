#pragma once

#include "tactus/methods/pbs/search/table_search.hpp"

namespace tactus::pbs {

/// Several searches with different child orders, each with its own tables, each on its own thread;
/// the first answer is taken. The run time of one order varies very much; the verdict is the same
/// for all. The memory limit is divided among them.
///
/// @pre threads >= 1. The calling thread runs the first order and reports the progress.
SearchResult race(const TaskSet& set, const Oracle& oracle, bool idle, const Features& features,
                  const Budget& budget, int threads);

}  // namespace tactus::pbs
