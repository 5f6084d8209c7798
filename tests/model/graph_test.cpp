#include "tactus/model/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tactus/base/random.hpp"

namespace tactus {
namespace {

std::vector<NodeIndex> list(std::span<const NodeIndex> nodes) {
  return {nodes.begin(), nodes.end()};
}

using Nodes = std::vector<NodeIndex>;

TEST(Graph, ListsNeighboursInOrder) {
  const Graph graph(4, {{2, 3}, {0, 3}, {0, 1}});
  EXPECT_EQ(list(graph.successors(0)), (Nodes{1, 3}));
  EXPECT_EQ(list(graph.successors(1)), Nodes{});
  EXPECT_EQ(list(graph.predecessors(3)), (Nodes{0, 2}));
  EXPECT_EQ(list(graph.predecessors(0)), Nodes{});
  EXPECT_EQ(graph.edges(), (std::vector<Edge>{{0, 1}, {0, 3}, {2, 3}}));
  EXPECT_EQ(graph.edge_count(), 3U);
}

TEST(Graph, IsEqualWhateverTheOrderOfItsEdges) {
  EXPECT_EQ(Graph(3, {{0, 1}, {1, 2}}), Graph(3, {{1, 2}, {0, 1}}));
  EXPECT_NE(Graph(3, {{0, 1}}), Graph(3, {{0, 2}}));
  EXPECT_NE(Graph(3, {{0, 1}}), Graph(3, {{1, 0}}));
  EXPECT_NE(Graph(3, {{0, 1}}), Graph(4, {{0, 1}}));
}

TEST(Graph, MakesChains) {
  EXPECT_EQ(Graph::chain(3), Graph(3, {{0, 1}, {1, 2}}));
  EXPECT_EQ(Graph::chain(1), Graph(1, {}));
  EXPECT_EQ(Graph::chain(0), Graph());
  EXPECT_EQ(Graph(0, {}), Graph());
  EXPECT_EQ(Graph().size(), 0U);
}

TEST(FindCycle, NamesTheNodesInOrderFromTheFirstListed) {
  EXPECT_EQ(find_cycle(Graph(3, {{2, 1}, {1, 0}, {0, 2}})), (Nodes{0, 2, 1}));
  EXPECT_EQ(find_cycle(Graph(2, {{0, 1}, {1, 0}})), (Nodes{0, 1}));
}

TEST(FindCycle, LeavesOutWhatOnlyLeadsToOrFromTheCycle) {
  EXPECT_EQ(find_cycle(Graph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}})), (Nodes{1, 2, 3}));
}

TEST(FindCycle, FindsNoneInAChain) {
  EXPECT_TRUE(find_cycle(Graph::chain(100)).empty());
  EXPECT_TRUE(find_cycle(Graph()).empty());
}

TEST(FindCycle, TakesAMillionNodes) {
  constexpr NodeIndex kSize = 1'000'000;
  EXPECT_TRUE(find_cycle(Graph::chain(kSize)).empty());
  std::vector<Edge> ring = Graph::chain(kSize).edges();
  ring.emplace_back(kSize - 1, 0);
  EXPECT_EQ(find_cycle(Graph(kSize, ring)).size(), kSize);
}

/// Every ordered pair is an edge with the same chance; acyclic when only forward pairs are asked.
Graph random_graph(Random& random, NodeIndex size, bool acyclic) {
  std::vector<NodeIndex> label(size);
  std::iota(label.begin(), label.end(), 0);
  for (NodeIndex i = size; i > 1; --i) {
    std::swap(label[i - 1], label[static_cast<std::size_t>(random.integer(0, i - 1))]);
  }
  std::vector<Edge> edges;
  const double density = random.real(0, 0.6);
  for (NodeIndex a = 0; a < size; ++a) {
    for (NodeIndex b = acyclic ? a + 1 : 0; b < size; ++b) {
      if (a != b && random.chance(density)) edges.emplace_back(label[a], label[b]);
    }
  }
  return Graph(size, edges);
}

bool has_edge(const Graph& graph, NodeIndex from, NodeIndex to) {
  const auto next = graph.successors(from);
  return std::find(next.begin(), next.end(), to) != next.end();
}

/// The first permutation, in lexicographic order, that every edge agrees with.
Nodes first_order_by_brute_force(const Graph& graph) {
  Nodes order(graph.size()), place(graph.size());
  std::iota(order.begin(), order.end(), 0);
  const std::vector<Edge> edges = graph.edges();
  do {
    for (NodeIndex i = 0; i < order.size(); ++i) place[order[i]] = i;
    if (std::all_of(edges.begin(), edges.end(),
                    [&](Edge edge) { return place[edge.first] < place[edge.second]; })) {
      return order;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return {};
}

TEST(TopologicalOrder, IsTheLexicographicallySmallest) {
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    Random random(3, i);
    const Graph graph = random_graph(random, static_cast<NodeIndex>(random.integer(0, 7)), true);
    ASSERT_EQ(topological_order(graph), first_order_by_brute_force(graph)) << "graph " << i;
  }
}

TEST(FindCycle, FindsACycleExactlyWhenNoOrderExists) {
  int cyclic = 0;
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    Random random(4, i);
    const Graph graph = random_graph(random, static_cast<NodeIndex>(random.integer(1, 6)), false);
    const Nodes cycle = find_cycle(graph);
    ASSERT_EQ(cycle.empty(), !first_order_by_brute_force(graph).empty()) << "graph " << i;
    for (std::size_t k = 0; k < cycle.size(); ++k) {
      ASSERT_TRUE(has_edge(graph, cycle[k], cycle[(k + 1) % cycle.size()])) << "graph " << i;
    }
    ASSERT_EQ(std::set<NodeIndex>(cycle.begin(), cycle.end()).size(), cycle.size());
    cyclic += cycle.empty() ? 0 : 1;
  }
  EXPECT_GT(cyclic, 500);
  EXPECT_LT(cyclic, 2'500);
}

}  // namespace
}  // namespace tactus
