#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/model/graph.hpp"

namespace tactus::dag {

/// A graph with its nodes renumbered in topological order: predecessors come first.
struct SortedGraph {
  std::vector<NodeIndex> order;  ///< by place
  std::vector<std::uint32_t> start;
  std::vector<NodeIndex> previous;  ///< places of the predecessors of each place
  std::vector<std::int64_t> weight;

  std::size_t size() const { return order.size(); }
};

/// For every place the weight of itself and all its ancestors, by short lists; nothing when the graph
/// does not allow it.
///
/// In a long graph nearly everything that comes before a node is its ancestor, or has nothing to do
/// with what comes later; in a graph that starts again and again, a node has few ancestors. So a node
/// keeps one of two lists: its ancestors, or those places before it that are no ancestors of it and
/// still lead to a later node. The work then grows with the edges and not with the square of the
/// nodes. Nodes without successors are left out of "lead to a later node", because an end of the
/// graph often collects from everywhere; they are done by themselves.
std::optional<std::vector<std::int64_t>> sums_by_lists(const SortedGraph& graph);

}  // namespace tactus::dag
