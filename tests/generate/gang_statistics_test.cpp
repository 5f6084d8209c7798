#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "statistics.hpp"

namespace tactus {
namespace {

using namespace statistics;

std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }
double units(Time time) { return static_cast<double>(time.ns()) / 1e6; }

TEST(GangFig8, DrawsErdosRenyiGraphsOfGangs) {
  constexpr double kProbability = 0.3;
  std::vector<std::uint64_t> nodes(101), wcets(51), elements(5), processors(4), widths(12);
  std::vector<std::uint64_t> placed(2);  // on the first or second of two elements
  double deviations = 0, squares = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gang-fig8", i);
    const auto& platform = system.platform.elements;
    const Task& task = system.tasks[0];
    ++nodes.at(task.nodes.size() - 20);
    ++elements.at(platform.size() - 2);
    for (const Element& element : platform) ++processors.at(at(element.units / 8 - 1));
    for (const Node& node : task.nodes) {
      ++wcets.at(at(node.wcet->ns() / 1'000'000) - 50);
      if (platform.size() == 2) ++placed.at(node.on);
      if (platform[node.on].units == 32) ++widths.at(at(*node.parallelism - 1));
    }
    // The out-degree of the first node is binomial; standardised it has mean 0 and variance 1.
    const auto others = static_cast<double>(task.nodes.size() - 1);
    const double degree = static_cast<double>(task.graph.successors(0).size());
    const double deviation =
        (degree - others * kProbability) / std::sqrt(others * kProbability * (1 - kProbability));
    deviations += deviation;
    squares += deviation * deviation;
  }
  EXPECT_LT(chi_square_equal(nodes), 1);
  EXPECT_LT(chi_square_equal(wcets), 1);
  EXPECT_LT(chi_square_equal(elements), 1);
  EXPECT_LT(chi_square_equal(processors), 1);
  EXPECT_LT(chi_square_equal(placed), 1);
  EXPECT_LT(chi_square_equal(widths), 1);
  constexpr auto kN = static_cast<double>(kDraws);
  EXPECT_NEAR(deviations / kN, 0, 3.3 / std::sqrt(kN));
  EXPECT_NEAR(squares / kN, 1, 3.3 * std::sqrt(2 / kN));
}

TEST(GangFig8, RoundsTheWidestGangAsItIsTold) {
  const auto widest = [](const char* rounding, const char* width, const char* processors) {
    std::int64_t most = 0;
    for (std::uint64_t i = 0; i < 20; ++i) {
      const System system = draw(
          "gang-fig8", i, {{"rounding", rounding}, {"width", width}, {"processors", processors}});
      for (const Node& node : system.tasks[0].nodes) most = std::max(most, *node.parallelism);
    }
    return most;
  };
  EXPECT_EQ(widest("down", "0.2", "8"), 1);  // 1.6
  EXPECT_EQ(widest("nearest", "0.2", "8"), 2);
  EXPECT_EQ(widest("nearest", "0.4", "8"), 3);  // 3.2
  EXPECT_EQ(widest("up", "0.4", "8"), 4);
  for (const char* rounding : {"down", "nearest", "up"}) {
    EXPECT_EQ(widest(rounding, "0.7", "30"), 21) << rounding;
  }
  EXPECT_EQ(refusal("gang-fig8", {{"rounding", "away"}}),
            "parameter `rounding` must be one of down, nearest, up, got `away`");
}

TEST(GangFig9, DrawsTheShareTheLengthAndTheBlocksOfKernels) {
  const Given given = {{"nodes-max", "40"}, {"edge-probability", "0.1"}, {"sms", "48"}};
  std::vector<std::uint64_t> threads(4), filled(48), cpus(4);
  std::vector<double> lengths;
  double share = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gang-fig9", i, given);
    ++cpus.at(at(system.platform.elements[0].units / 8 - 1));
    const auto& nodes = system.tasks[0].nodes;
    std::size_t kernels = 0;
    for (std::size_t v = 0; v < nodes.size(); ++v) {
      if (nodes[v].on != 1) continue;
      ++kernels;
      ++threads.at(at(std::llround(std::log2(static_cast<double>(*nodes[v].threads)))) - 7);
      ++filled.at(at(*nodes[v].blocks * *nodes[v].threads / 2048) - 1);
      const double access = units(*nodes[v].wcet);
      const double around = units(*nodes[v - 1].wcet) + units(*nodes[v + 1].wcet);
      lengths.push_back(scaled(access / (access + around), 0.1, 0.7));
    }
    share += static_cast<double>(kernels) / static_cast<double>(nodes.size() - 2 * kernels);
  }
  EXPECT_LT(chi_square_equal(threads), 1);
  EXPECT_LT(chi_square_equal(filled), 1);
  EXPECT_LT(chi_square_equal(cpus), 1);
  EXPECT_LT(ks_uniform(lengths), kKsLimit);
  // Uniform in [0.2, 0.5], but for the rounding to whole nodes.
  EXPECT_NEAR(share / static_cast<double>(kDraws), 0.35, 3.3 * 0.087 / 100);
}

TEST(GangFig10, DrawsPeriodsBetweenOneAndSixLengths) {
  const Given given = {{"nodes-max", "30"},
                       {"granularity", "coarse"},
                       {"cpus", "32"},
                       {"sms", "16"},
                       {"utilisation", "0.9"}};
  std::vector<double> stretches;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gang-fig10", i, given);
    const Task& first = system.tasks[0];  // never the one whose period is fitted
    ASSERT_GT(system.tasks.size(), 1u);
    std::vector<double> finish(first.nodes.size());
    double sum = 0;
    for (NodeIndex v = 0; v < first.nodes.size(); ++v) {
      for (NodeIndex u : first.graph.predecessors(v)) finish[v] = std::max(finish[v], finish[u]);
      finish[v] += units(*first.nodes[v].wcet);
    }
    const double length = *std::max_element(finish.begin(), finish.end());
    stretches.push_back(scaled(units(*first.period) / length, 1, 6));
    for (const Task& task : system.tasks) {
      for (const Node& node : task.nodes) sum += units(*node.wcet) / units(*task.period);
    }
    ASSERT_NEAR(sum, 0.9 * 32, 1e-4);
  }
  EXPECT_LT(ks_uniform(stretches), kKsLimit);
}

TEST(GangSmall, DrawsElementsEvenly) {
  std::vector<std::uint64_t> elements(3), tasks(3);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gang-small", i);
    ++elements.at(system.platform.elements.size() - 1);
    ++tasks.at(system.tasks.size() - 1);
  }
  EXPECT_LT(chi_square_equal(elements), 1);
  EXPECT_LT(chi_square(tasks, {0.7, 0.15, 0.15}), 1);
}

TEST(GangRecipes, RefuseRangesTheWrongWayRound) {
  EXPECT_EQ(refusal("gang-fig8", {{"elements-min", "5"}, {"elements-max", "3"}}),
            "parameter `elements-max` must be a whole number in [5, 1000], got `3`");
  for (const char* recipe : {"gang-fig8", "gang-fig9", "gang-fig10"}) {
    EXPECT_EQ(refusal(recipe, {{"nodes-min", "50"}, {"nodes-max", "40"}}),
              "parameter `nodes-max` must be a whole number in [50, 10000], got `40`");
  }
}

}  // namespace
}  // namespace tactus
