#include "tactus/methods/dag/ancestors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/model/random.hpp"

/// Loads of ancestors in graphs of several blocks of columns, against a walk from every node.
namespace tactus::dag {
namespace {

struct Shape {
  std::int64_t nodes, width;  ///< of a layer, at most
  int per_mille;              ///< of an edge from the layer before
  int long_per_mille;         ///< of a node that has one from anywhere before
  int orphans_per_mille;      ///< of a node without predecessors
};

/// Layers whose nodes are numbered in any order.
std::vector<Edge> layered(Random& random, const Shape& shape) {
  std::vector<NodeIndex> name(static_cast<std::size_t>(shape.nodes));
  for (NodeIndex i = 0; i < name.size(); ++i) name[i] = i;
  for (std::size_t i = name.size(); i-- > 1;) {
    std::swap(name[i],
              name[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i)))]);
  }
  const auto happens = [&](int per_mille) { return random.integer(1, 1'000) <= per_mille; };
  std::vector<Edge> edges;
  std::int64_t before = 0, first = 0;
  while (first < shape.nodes) {
    const std::int64_t end = std::min(shape.nodes, first + random.integer(1, shape.width));
    for (std::int64_t v = first; v < end; ++v) {
      if (happens(shape.orphans_per_mille)) continue;
      for (std::int64_t u = before; u < first; ++u) {
        if (happens(shape.per_mille)) {
          edges.push_back({name[static_cast<std::size_t>(u)], name[static_cast<std::size_t>(v)]});
        }
      }
      if (before > 0 && happens(shape.long_per_mille)) {
        const auto u = static_cast<std::size_t>(random.integer(0, before - 1));
        edges.push_back({name[u], name[static_cast<std::size_t>(v)]});
      }
    }
    before = first;
    first = end;
  }
  return edges;
}

Time by_walking(const KernelGraph& kernels, NodeIndex node) {
  std::vector<bool> seen(kernels.size());
  std::vector<NodeIndex> left{node};
  seen[node] = true;
  Time sum;
  while (!left.empty()) {
    const NodeIndex v = left.back();
    left.pop_back();
    sum += kernels.loads[v];
    for (const NodeIndex u : kernels.graph->predecessors(v)) {
      if (!seen[u]) left.push_back(u);
      seen[u] = true;
    }
  }
  return sum;
}

TEST(AncestorLoads, AreThoseOfAWalkFromEveryNode) {
  Random random(1, 0);
  const Shape shapes[] = {
      {1'700, 12, 500, 0, 0},    // soon everything before is an ancestor
      {1'700, 12, 500, 20, 5},   // but for a few
      {1'700, 40, 60, 100, 50},  // sparse
      {1'300, 5, 300, 0, 200},   // many begin late
      {2'100, 1, 1'000, 0, 0},   // a chain
      {1'500, 700, 2, 0, 0},     // hardly any edges
      {513, 20, 200, 10, 0},     // just more than one block
      {512, 20, 200, 10, 0},
  };
  for (const Shape& shape : shapes) {
    for (int again = 0; again < 4; ++again) {
      const Graph graph(static_cast<NodeIndex>(shape.nodes), layered(random, shape));
      KernelGraph kernels;
      kernels.graph = &graph;
      for (NodeIndex v = 0; v < graph.size(); ++v) {
        kernels.loads.push_back(Time::from_ns(random.integer(1, 1'000'000)));
      }
      const std::vector<Time> loads = ancestor_loads(kernels);
      for (NodeIndex v = 0; v < graph.size(); ++v) {
        ASSERT_EQ(loads[v], by_walking(kernels, v)) << shape.nodes << " " << v;
      }
    }
  }
}

}  // namespace
}  // namespace tactus::dag
