#include "tactus/model/reachability.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tactus {
namespace {

TEST(Reachability, FollowsPathsOfAtLeastOneEdge) {
  const Reachability order(Graph(5, {{0, 1}, {1, 2}, {0, 3}}));
  EXPECT_TRUE(order.before(0, 2));
  EXPECT_FALSE(order.before(2, 0));
  EXPECT_FALSE(order.before(0, 0));
  EXPECT_TRUE(order.ordered(2, 0));
  EXPECT_FALSE(order.ordered(2, 3));
  EXPECT_FALSE(order.ordered(4, 0));
}

/// Floyd-Warshall on graphs whose listed order is not topological.
TEST(Reachability, AgreesWithTheClosureOfRandomGraphs) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const NodeIndex size = 1 + static_cast<NodeIndex>(random() % 90);
    std::vector<NodeIndex> name(size);
    for (NodeIndex i = 0; i < size; ++i) name[i] = i;
    std::shuffle(name.begin(), name.end(), random);
    const unsigned chance = 1 + static_cast<unsigned>(random() % 30);
    std::vector<Edge> edges;
    std::vector<std::vector<bool>> path(size, std::vector<bool>(size));
    for (NodeIndex a = 0; a < size; ++a) {
      for (NodeIndex b = a + 1; b < size; ++b) {
        if (random() % 100 >= chance) continue;
        edges.emplace_back(name[a], name[b]);
        path[name[a]][name[b]] = true;
      }
    }
    for (NodeIndex k = 0; k < size; ++k) {
      for (NodeIndex a = 0; a < size; ++a) {
        for (NodeIndex b = 0; b < size; ++b) {
          if (path[a][k] && path[k][b]) path[a][b] = true;
        }
      }
    }
    const Reachability order(Graph(size, edges));
    for (NodeIndex a = 0; a < size; ++a) {
      for (NodeIndex b = 0; b < size; ++b) {
        ASSERT_EQ(order.before(a, b), path[a][b]) << a << " " << b;
        ASSERT_EQ(bits::test(order.ancestors(b), a), path[a][b]);
      }
    }
  }
}

}  // namespace
}  // namespace tactus
