#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace tactus {

using NodeIndex = std::uint32_t;
using Edge = std::pair<NodeIndex, NodeIndex>;

/// A directed graph on the nodes 0 .. size()-1, stored as compact sorted adjacency in both
/// directions. Immutable; equal graphs compare equal whatever the order their edges came in.
///
///     Graph g(3, {{0, 1}, {0, 2}});
///     for (NodeIndex next : g.successors(0)) ...
class Graph {
 public:
  Graph() = default;
  /// @pre every edge joins two different nodes below `size`. An edge listed twice counts twice.
  Graph(NodeIndex size, std::span<const Edge> edges);
  Graph(NodeIndex size, std::initializer_list<Edge> edges)
      : Graph(size, std::span(edges.begin(), edges.size())) {}

  /// The chain 0 -> 1 -> ... -> size-1.
  static Graph chain(NodeIndex size);

  NodeIndex size() const {
    return next_start_.empty() ? 0 : static_cast<NodeIndex>(next_start_.size() - 1);
  }
  std::size_t edge_count() const { return next_.size(); }

  std::span<const NodeIndex> successors(NodeIndex node) const {
    return row(next_, next_start_, node);
  }
  std::span<const NodeIndex> predecessors(NodeIndex node) const {
    return row(previous_, previous_start_, node);
  }

  /// Is it `chain(size())`, of one node or more? Known since it was made.
  bool is_listed_chain() const { return listed_chain_; }

  /// All edges, sorted.
  std::vector<Edge> edges() const;

  friend bool operator==(const Graph&, const Graph&) = default;

 private:
  using Starts = std::vector<std::uint32_t>;
  static std::span<const NodeIndex> row(const std::vector<NodeIndex>& all, const Starts& starts,
                                        NodeIndex node) {
    return {all.data() + starts[node], all.data() + starts[node + 1]};
  }

  // Without nodes all are empty: such a graph allocates nothing, and every task begins with one.
  Starts next_start_, previous_start_;
  std::vector<NodeIndex> next_, previous_;
  bool listed_chain_ = false;
};

/// The nodes of one cycle in order (the last precedes the first), empty when there is none. Linear.
std::vector<NodeIndex> find_cycle(const Graph& graph);

/// The lexicographically smallest topological order (always the ready node listed first in the
/// file). @pre no cycle.
std::vector<NodeIndex> topological_order(const Graph& graph);

}  // namespace tactus
