#include "tactus/methods/dag/ancestors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "tactus/base/random.hpp"
#include "tactus/methods/dag/ancestor_chains.hpp"
#include "tactus/methods/dag/ancestor_lists.hpp"

/// Loads of ancestors in graphs of several blocks of columns, against a walk from every node.
namespace tactus::dag {
namespace {

struct Shape {
  std::int64_t nodes, width;  ///< of a layer, at most
  int per_mille;              ///< of an edge from the layer before
  int long_per_mille;         ///< of a node that has one from anywhere before
  int orphans_per_mille;      ///< of a node without predecessors
};

/// Layers whose nodes are numbered in any order, or layer by layer.
std::vector<Edge> layered(Random& random, const Shape& shape, bool in_order = false) {
  std::vector<NodeIndex> name(static_cast<std::size_t>(shape.nodes));
  for (NodeIndex i = 0; i < name.size(); ++i) name[i] = i;
  for (std::size_t i = name.size(); i-- > 1 && !in_order;) {
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

/// A graph whose nodes are in order, with random loads; ended by one node after all others, or not.
struct InOrder {
  Graph graph;
  KernelGraph kernels;
  SortedGraph sorted;

  InOrder(Random& random, const Shape& shape, bool with_end)
      : graph(static_cast<NodeIndex>(shape.nodes) + (with_end ? 1 : 0),
              edges(random, shape, with_end)) {
    kernels.graph = &graph;
    sorted.start.push_back(0);
    for (NodeIndex v = 0; v < graph.size(); ++v) {
      kernels.loads.push_back(Time::from_ns(random.integer(1, 1'000'000)));
      const auto before = graph.predecessors(v);
      sorted.previous.insert(sorted.previous.end(), before.begin(), before.end());
      sorted.order.push_back(v);
      sorted.start.push_back(static_cast<std::uint32_t>(sorted.previous.size()));
      sorted.weight.push_back(kernels.loads.back().ns());
    }
  }
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;

 private:
  static std::vector<Edge> edges(Random& random, const Shape& shape, bool with_end) {
    const auto nodes = static_cast<NodeIndex>(shape.nodes);
    std::vector<Edge> edges = layered(random, shape, true);
    if (!with_end) return edges;
    std::vector<char> goes_on(nodes);
    for (const auto& [from, to] : edges) goes_on[from] = 1;
    for (NodeIndex v = 0; v < nodes; ++v) {
      if (goes_on[v] == 0) edges.emplace_back(v, nodes);
    }
    return edges;
  }
};

/// How many of the graphs of these shapes have an answer; it must be that of walks.
template <typename Sums>
void expect_the_same(std::span<const Shape> shapes, Sums sums_of) {
  Random random(2, 0);
  int answered = 0, tried = 0;
  for (const Shape& shape : shapes) {
    for (int again = 0; again < 8; ++again) {
      const InOrder made(random, shape, again % 2 == 0);
      const std::optional<std::vector<std::int64_t>> sums = sums_of(made.sorted);
      ++tried;
      if (!sums) continue;
      ++answered;
      for (NodeIndex v = 0; v < made.graph.size(); ++v) {
        ASSERT_EQ(Time::from_ns((*sums)[v]), by_walking(made.kernels, v))
            << shape.nodes << " " << v;
      }
    }
  }
  EXPECT_GT(answered, tried / 3);
}

/// Long graphs with nodes that begin late and nodes that end early, as lists see them.
TEST(AncestorLoads, AreTheSameByListsWhereTheseAreShort) {
  constexpr Shape kShapes[] = {{1'700, 12, 500, 0, 0},   {1'700, 12, 500, 20, 5},
                               {1'700, 6, 300, 50, 100}, {1'300, 5, 300, 0, 200},
                               {2'100, 1, 1'000, 0, 0},  {300, 40, 60, 100, 50}};
  expect_the_same(kShapes, [](const SortedGraph& graph) { return sums_by_lists(graph); });
}

/// Few chains and many, some that begin late; with one pass over the nodes or a hundred.
TEST(AncestorLoads, AreTheSameByChains) {
  constexpr Shape kShapes[] = {{1'700, 12, 500, 0, 0},    {1'700, 12, 500, 20, 5},
                               {1'300, 30, 900, 50, 200}, {2'100, 1, 1'000, 0, 0},
                               {40, 40, 60, 100, 50},     {1'500, 700, 2, 0, 0}};
  expect_the_same(kShapes, [](const SortedGraph& graph) {
    EXPECT_FALSE(sums_by_chains(graph, 0));  // the first pass would visit more
    return sums_by_chains(graph, SIZE_MAX);
  });
}

}  // namespace
}  // namespace tactus::dag
