#include "tactus/methods/gang/bound/element_load.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace tactus::gang {
namespace {

/// Step 1 of Theorem 2: two states a node, "the path has touched p" and "not yet" (whose volume is
/// 0 where it exists).
Volume least_path_volume(const GangDag& dag, ElementIndex element) {
  std::vector<std::optional<Volume>> touched(dag.nodes.size());
  std::vector<bool> untouched(dag.nodes.size());
  std::optional<Volume> least;
  const auto improve = [](std::optional<Volume>& best, Volume candidate) {
    if (!best || candidate < *best) best = candidate;
  };
  for (NodeIndex v = 0; v < dag.nodes.size(); ++v) {
    const GangNode& node = dag.nodes[v];
    bool reached_untouched = dag.graph.predecessors(v).empty();
    std::optional<Volume> reached_touched;
    for (NodeIndex u : dag.graph.predecessors(v)) {
      reached_untouched = reached_untouched || untouched[u];
      if (touched[u]) improve(reached_touched, *touched[u]);
    }
    if (node.on == element) {
      if (reached_untouched) reached_touched = 0;
      touched[v] = add(*reached_touched, multiply(node.width, node.wcet.ns()));
    } else {
      touched[v] = reached_touched;
      untouched[v] = reached_untouched;
    }
    if (dag.graph.successors(v).empty() && touched[v]) improve(least, *touched[v]);
  }
  return *least;  // some node is on p, and every node lies on a complete path
}

}  // namespace

void weigh_again(ElementLoad& load, const GangDag& dag) {
  load.width.clear();
  load.copies.clear();
  load.volume.clear();
  load.widest = 0;
  load.total = load.interfering = 0;
  for (std::size_t k = 0; k < load.nodes.size(); ++k) {
    const GangNode& node = dag.nodes[load.nodes[k]];
    load.width.push_back(node.width);
    load.copies.push_back(node.copies);
    load.volume.push_back(multiply(multiply(node.width, node.copies), node.wcet.ns()));
    load.widest = std::max(load.widest, node.width);
    load.total = add(load.total, load.volume.back());
    if (!bits::none(load.interferers[k])) {
      load.interfering = add(load.interfering, load.volume[k]);
    }
  }
  load.least_path = least_path_volume(dag, load.element);
}

std::vector<ElementLoad> loads_of(const GangDag& dag) {
  std::map<ElementIndex, ElementLoad> by_element;
  for (NodeIndex v = 0; v < dag.nodes.size(); ++v) {
    ElementLoad& load = by_element[dag.nodes[v].on];
    load.element = dag.nodes[v].on;
    load.nodes.push_back(v);
  }
  const Reachability order(dag.graph);
  std::vector<ElementLoad> loads;
  for (auto& [element, load] : by_element) {
    const std::size_t count = load.nodes.size();
    load.interferers = bits::Matrix(count, count);
    load.ancestors = bits::Matrix(count, count);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t j = 0; j < k; ++j) {
        // Indices follow a topological order: only the earlier one can be the ancestor.
        if (order.before(load.nodes[j], load.nodes[k])) {
          bits::set(load.ancestors[k], j);
        } else {
          bits::set(load.interferers[k], j);
          bits::set(load.interferers[j], k);
        }
      }
      if (dag.nodes[load.nodes[k]].copies > 1) bits::set(load.interferers[k], k);
    }
    weigh_again(load, dag);
    loads.push_back(std::move(load));
  }
  return loads;
}

}  // namespace tactus::gang
