#pragma once

#include <optional>
#include <stop_token>

#include "tactus/methods/dag/ancestor_lists.hpp"

namespace tactus::dag {

/// For every place the weight of itself and all its ancestors, by chains; nothing when the graph has so
/// many chains that more than `most_visits` of nodes would be needed.
///
/// A chain is a list of places each of which is a predecessor of the next, so the ancestors of a node
/// among them are always the first few. For 16 chains at a time, one pass over the nodes counts how
/// many these are: the most that any predecessor has. A graph whose layers have w nodes takes about
/// w / 16 passes, however long it is. Nodes without successors are nobody's ancestors, and in no chain.
std::optional<std::vector<std::int64_t>> sums_by_chains(const SortedGraph& graph,
                                                        std::size_t most_visits,
                                                        const std::stop_token& stop = {});

}  // namespace tactus::dag
