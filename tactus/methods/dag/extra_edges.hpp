#pragma once

#include <utility>
#include <vector>

#include "tactus/methods/dag/schedule.hpp"

namespace tactus::dag {

/// What keeps the steps of a plan in order at run time.
enum class Ordering {
  kBarriers,  ///< every kernel of a step waits for every kernel of the step before
  kPrinted,   ///< the edges of the paper, which are too few (E3)
  kNone,      ///< only the file's edges (Graham)
};

/// A precedence between two kernels, by their places in `Schedule::kernels`.
using KernelEdge = std::pair<std::uint32_t, std::uint32_t>;

/// Which kernels are segments of which node.
class Segments {
 public:
  Segments(NodeIndex nodes, const Schedule& schedule);

  /// Places of the node's segments, in the order they run.
  std::span<const std::uint32_t> of(NodeIndex node) const {
    return {places_.data() + starts_[node], places_.data() + starts_[node + 1]};
  }
  std::uint32_t first(NodeIndex node) const { return of(node).front(); }
  std::uint32_t last(NodeIndex node) const { return of(node).back(); }
  bool is_cut(NodeIndex node) const { return of(node).size() > 1; }

 private:
  std::vector<std::uint32_t> starts_, places_;
};

/// The precedences that are there without any plan, unsorted: the file's edges, from the last
/// segment of a node to the first of the next, and the links between segments of a node.
std::vector<KernelEdge> natural_edges(const Graph& graph, const Segments& segments);

/// The edges to add to those of the file and to the links between segments of a node, sorted. An
/// edge that exists already is not repeated.
std::vector<KernelEdge> extra_edges(const Graph& graph, const Schedule& schedule,
                                    const Segments& segments, Ordering ordering);

}  // namespace tactus::dag
