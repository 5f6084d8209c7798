#include "tactus/generate/dag_graphs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tactus/base/file.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tests/support/paths.hpp"

namespace tactus::dag {
namespace {

/// Nodes on the longest path to each node; nodes come in topological order.
std::vector<NodeIndex> depths(const Shape& shape) {
  const Graph graph(shape.size, shape.edges);
  std::vector<NodeIndex> depth(shape.size, 1);
  for (NodeIndex node = 0; node < shape.size; ++node) {
    for (NodeIndex before : graph.predecessors(node)) {
      EXPECT_LT(before, node);
      depth[node] = std::max(depth[node], depth[before] + 1);
    }
  }
  return depth;
}
NodeIndex depth(const Shape& shape) {
  const auto all = depths(shape);
  return *std::max_element(all.begin(), all.end());
}

TEST(Laplace, IsADiamond) {
  for (NodeIndex k = 1; k <= 8; ++k) {
    const Shape shape = laplace(k);
    EXPECT_EQ(shape.size, k * k);
    EXPECT_EQ(shape.edges.size(), 2u * k * (k - 1));
    EXPECT_EQ(depth(shape), 2 * k - 1);
  }
  EXPECT_EQ(laplace(2).edges, (std::vector<Edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
}

TEST(Gauss, HasTheGraphOfTheSampleCase) {
  for (NodeIndex m = 2; m <= 8; ++m) {
    EXPECT_EQ(gauss(m).size, (m * m + m - 2) / 2);
    EXPECT_EQ(depth(gauss(m)), 2 * (m - 1));
  }
  const ReadResult read =
      read_system(*read_text_file(support::source_path("tests/data/cases/dag/case26.system.json")));
  const Shape shape = gauss(6);
  EXPECT_EQ(Graph(shape.size, shape.edges), read.system->tasks[0].graph);
}

TEST(Stencil, JoinsNeighbours) {
  for (NodeIndex w = 1; w <= 5; ++w) {
    for (NodeIndex s = 1; s <= 5; ++s) {
      const Shape shape = stencil(w, s);
      EXPECT_EQ(shape.size, w * s + 2);
      EXPECT_EQ(depth(shape), s + 2);
      EXPECT_EQ(shape.edges.size(), 2 * w + (s - 1) * (3 * w - 2));
    }
  }
  EXPECT_EQ(stencil(1, 2).edges, (std::vector<Edge>{{0, 1}, {2, 3}, {1, 2}}));
}

TEST(Layered, HasTheLayersItWasAskedFor) {
  std::set<std::size_t> seen_depths;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    Random random(1, index);
    const Shape shape = layered({.widest = 6, .depth_min = 2, .depth_max = 7}, random);
    const Graph graph(shape.size, shape.edges);  // refuses no edge: none is doubled
    ASSERT_TRUE(std::is_sorted(shape.edges.begin(), shape.edges.end()));
    ASSERT_EQ(std::adjacent_find(shape.edges.begin(), shape.edges.end()), shape.edges.end());
    for (NodeIndex node = 0; node < shape.size; ++node) {
      ASSERT_EQ(graph.predecessors(node).empty(), node == 0);
      ASSERT_EQ(graph.successors(node).empty(), node + 1 == shape.size);
    }
    seen_depths.insert(depth(shape));
    ASSERT_LE(shape.size, 2u + 5 * 6);
  }
  EXPECT_TRUE(seen_depths.contains(2));
  EXPECT_TRUE(seen_depths.contains(7));
}

TEST(Layered, ConnectsEveryPairWithProbabilityOne) {
  Random random(1, 0);
  const Shape shape =
      layered({.widest = 5, .depth_min = 6, .depth_max = 6, .probability = 1}, random);
  EXPECT_EQ(depth(shape), 6u);
  std::vector<std::size_t> widths(7);
  for (NodeIndex d : depths(shape)) ++widths[d];
  std::size_t edges = 0;
  for (std::size_t d = 1; d < 6; ++d) edges += widths[d] * widths[d + 1];
  EXPECT_EQ(shape.edges.size(), edges);
  for (std::size_t d = 2; d < 6; ++d) {
    EXPECT_GE(widths[d], 2u);
    EXPECT_LE(widths[d], 5u);
  }
}

TEST(Layered, HangsLonelyNodesOnSourceAndSink) {
  Random random(1, 0);
  const Shape shape = layered({.depth_min = 6, .depth_max = 6, .probability = 0}, random);
  EXPECT_EQ(shape.edges.size(), 2u * (shape.size - 2));
  EXPECT_EQ(depth(shape), 3u);
}

TEST(Loads, AverageToTheMeanAndAreAtLeastOne) {
  for (std::uint64_t index = 0; index < 500; ++index) {
    for (bool unit_ends : {false, true}) {
      Random random(2, index);
      const auto n = static_cast<NodeIndex>(random.integer(3, 60));
      const auto loads = draw_loads(n, 20, unit_ends, random);
      const auto sum = std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
      // Each is rounded by a half at most, and those below one are lifted to it.
      EXPECT_NEAR(static_cast<double>(sum), 20.0 * n, n);
      EXPECT_GE(*std::min_element(loads.begin(), loads.end()), 1);
      if (unit_ends) {
        EXPECT_EQ(loads.front(), 1);
        EXPECT_EQ(loads.back(), 1);
      }
    }
  }
}

System make(std::string_view name, const std::map<std::string, std::string, std::less<>>& given,
            std::uint64_t seed = 1, std::uint64_t index = 0) {
  const Recipe& recipe = *find_recipe(name);
  const Result<System> made = generate(recipe, Settings(recipe.parameters, given), seed, index);
  EXPECT_TRUE(made) << made.error().message;
  return *made;
}

TEST(DagRecipes, MakeSystemsThatReadBackEqual) {
  for (std::string_view name : {"dag-layered", "dag-laplace", "dag-gauss", "dag-stencil"}) {
    for (std::uint64_t index = 0; index < 20; ++index) {
      const System system = make(name, {}, 3, index);
      const ReadResult read = read_system(write_system(system));
      ASSERT_TRUE(read.system);
      EXPECT_EQ(*read.system, system);
    }
  }
  EXPECT_EQ(make("dag-laplace", {}).tasks[0].nodes.size(), 36u);
  EXPECT_EQ(make("dag-gauss", {}).tasks[0].nodes.size(), 20u);
  EXPECT_EQ(make("dag-stencil", {{"w", "4"}, {"s", "3"}}).tasks[0].nodes.size(), 14u);
}

/// A digest of loads and edges (FNV-1a over the numbers).
std::uint64_t digest(const System& system) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  for (const Node& node : system.tasks[0].nodes) add(static_cast<std::uint64_t>(node.load->ns()));
  for (const auto& [from, to] : system.tasks[0].graph.edges()) {
    add(from);
    add(to);
  }
  return hash;
}

/// Pinned, so that a platform or a change that makes other graphs is noticed.
TEST(DagRecipes, MakeTheSameSystemsEverywhere) {
  EXPECT_EQ(digest(make("dag-layered", {}, 1, 0)), 11318072789473059424u);
  EXPECT_EQ(digest(make("dag-layered", {{"unit-ends", "off"}, {"p", "16"}}, 9, 1234)),
            12500210534096304775u);
  EXPECT_EQ(digest(make("dag-gauss", {}, 1, 0)), 3438894495561002500u);
}

TEST(DagRecipes, ComplainAboutSettingsOutOfRange) {
  const Recipe& recipe = *find_recipe("dag-layered");
  using Given = std::map<std::string, std::string, std::less<>>;
  for (const Given& given : {Given{{"p", "1"}}, Given{{"p", "x"}}, Given{{"depth-min", "9"}},
                             Given{{"depth-max", "99999999"}}, Given{{"unit-ends", "yes"}},
                             Given{{"load", "0"}}, Given{{"width", "3"}}}) {
    EXPECT_FALSE(generate(recipe, Settings(recipe.parameters, given), 1, 0));
  }
}

}  // namespace
}  // namespace tactus::dag
