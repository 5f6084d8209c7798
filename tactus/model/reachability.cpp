#include "tactus/model/reachability.hpp"

namespace tactus {

Reachability::Reachability(const Graph& graph)
    : ancestors_(graph.size(), graph.size()), descendants_(graph.size(), graph.size()) {
  const std::vector<NodeIndex> order = topological_order(graph);
  for (NodeIndex node : order) {
    for (NodeIndex previous : graph.predecessors(node)) {
      // Through an edge that the closure already has, nothing new can come.
      if (bits::test(ancestors_[node], previous)) continue;
      bits::unite(ancestors_[node], ancestors_[previous]);
      bits::set(ancestors_[node], previous);
    }
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    const NodeIndex node = order[i];
    for (NodeIndex next : graph.successors(node)) {
      if (bits::test(descendants_[node], next)) continue;
      bits::unite(descendants_[node], descendants_[next]);
      bits::set(descendants_[node], next);
    }
  }
}

}  // namespace tactus
