#include <gtest/gtest.h>

#include <algorithm>

#include "statistics.hpp"

namespace tactus {
namespace {

using namespace statistics;

std::int64_t load(const Node& node) { return node.load->ns() / 1'000'000; }

TEST(DagLayered, DrawsDepthsAndWidthsEvenly) {
  std::vector<std::uint64_t> depths(4), widths(7);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    // With every edge present a node's layer is the longest path to it.
    const Task task = draw("dag-layered", i, {{"probability", "1"}}).tasks[0];
    std::vector<std::size_t> layer(task.nodes.size()), width;
    for (NodeIndex v = 0; v < layer.size(); ++v) {
      for (NodeIndex u : task.graph.predecessors(v)) layer[v] = std::max(layer[v], layer[u] + 1);
      width.resize(std::max(width.size(), layer[v] + 1));
      ++width[layer[v]];
    }
    ++depths.at(width.size() - 5);
    for (std::size_t k = 1; k + 1 < width.size(); ++k) ++widths.at(width[k] - 2);
  }
  EXPECT_LT(chi_square_equal(depths), 1);
  EXPECT_LT(chi_square_equal(widths), 1);
}

TEST(DagLayered, JoinsNeighboursWithTheProbability) {
  std::vector<std::uint64_t> degrees(3);  // joins with the two nodes of the layer before
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const Task task =
        draw("dag-layered", i, {{"p", "2"}, {"depth-min", "6"}, {"depth-max", "6"}}).tasks[0];
    ASSERT_EQ(task.nodes.size(), 10u);
    for (NodeIndex v = 3; v < 9; ++v) {
      const auto before = task.graph.predecessors(v);
      ++degrees[before[0] == 0 ? 0 : before.size()];
    }
  }
  EXPECT_LT(chi_square(degrees, {1, 2, 1}), 1);
}

TEST(DagRecipes, ShareTheTotalLoad) {
  for (const char* recipe : {"dag-layered", "dag-laplace", "dag-gauss", "dag-stencil"}) {
    double sum = 0, count = 0, largest = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const System system = draw(recipe, i);
      for (const Node& node : system.tasks[0].nodes) {
        const auto units = static_cast<double>(load(node));
        ASSERT_GE(units, 1);
        sum += units;
        largest = std::max(largest, units);
        count += 1;
      }
    }
    EXPECT_NEAR(sum / count, 20, 0.05) << recipe;  // rounding and the least load of one
    EXPECT_GT(largest, 40) << recipe;
  }
}

TEST(DagSmall, DrawsSmsEvenly) {
  std::vector<std::uint64_t> sms(7);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    ++sms.at(static_cast<std::size_t>(draw("dag-small", i).platform.elements[0].units) - 2);
  }
  EXPECT_LT(chi_square_equal(sms), 1);
}

TEST(DagLayered, RefusesDepthsTheWrongWayRound) {
  EXPECT_EQ(refusal("dag-layered", {{"depth-min", "7"}, {"depth-max", "6"}}),
            "parameter `depth-max` must be a whole number in [7, 125000], got `6`");
}

}  // namespace
}  // namespace tactus
