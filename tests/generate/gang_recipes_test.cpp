#include "tactus/generate/gang_recipes.hpp"

#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/model/reachability.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::gang {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

System make(const Recipe& recipe, std::uint64_t index, const Given& given = {}) {
  const auto made = generate(recipe, Settings(recipe.parameters, given), 7, index);
  if (!made) ADD_FAILURE() << made.error().message;
  return *made;
}

bool weakly_connected(const Graph& graph) {
  std::vector<bool> seen(graph.size());
  std::vector<NodeIndex> open{0};
  seen[0] = true;
  std::size_t count = 1;
  while (!open.empty()) {
    const NodeIndex v = open.back();
    open.pop_back();
    for (const auto& neighbours : {graph.successors(v), graph.predecessors(v)}) {
      for (NodeIndex w : neighbours) {
        if (seen[w]) continue;
        seen[w] = true;
        ++count;
        open.push_back(w);
      }
    }
  }
  return count == graph.size();
}

TEST(Fig8, DrawsWithinThePublishedRanges) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const System system = make(kFig8, i, {{"edge-probability", i % 2 == 0 ? "0.1" : "0.01"}});
    const auto& elements = system.platform.elements;
    EXPECT_GE(elements.size(), 2u);
    EXPECT_LE(elements.size(), 6u);
    const Task& task = system.tasks[0];
    EXPECT_GE(task.nodes.size(), 20u);
    EXPECT_LE(task.nodes.size(), 120u);
    EXPECT_TRUE(weakly_connected(task.graph));
    for (const Element& element : elements) {
      EXPECT_TRUE(element.units % 8 == 0 && element.units >= 8 && element.units <= 32);
    }
    for (const Node& node : task.nodes) {
      EXPECT_GE(*node.wcet, Time::from_ms(50));
      EXPECT_LE(*node.wcet, Time::from_ms(100));
      EXPECT_GE(*node.parallelism, 1);
      EXPECT_LE(*node.parallelism * 10, 4 * elements[node.on].units);
    }
    EXPECT_NE(analyze(*find_method("gang.swc"), system).status, Status::kNotApplicable);
  }
}

TEST(Fig9, HasTheSameGraphCoarseAndFine) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    const System fine = make(kFig9, i), coarse = make(kFig9, i, {{"granularity", "coarse"}});
    EXPECT_EQ(fine.tasks[0].period, coarse.tasks[0].period);
    const auto cpu_only = [](const Node& node) { return node.on == 0; };
    const auto& nodes = coarse.tasks[0].nodes;
    EXPECT_TRUE(std::all_of(nodes.begin(), nodes.end(), cpu_only));
    const std::size_t kernels = (fine.tasks[0].nodes.size() - nodes.size()) / 2;
    const double share = static_cast<double>(kernels) / static_cast<double>(nodes.size());
    EXPECT_GE(share, 0.2 - 0.5 / static_cast<double>(nodes.size()));
    EXPECT_LE(share, 0.5 + 0.5 / static_cast<double>(nodes.size()));
    for (const Node& node : fine.tasks[0].nodes) {
      if (node.on == 0) continue;
      EXPECT_LE(*node.blocks * *node.threads, 2048 * fine.platform.elements[1].units);
    }
    for (const char* method : {"gang.wc", "gang.swc", "gang.rm-he", "gang.wc-he"}) {
      EXPECT_NE(analyze(*find_method(method), fine).status, Status::kNotApplicable);
      EXPECT_NE(analyze(*find_method(method), coarse).status, Status::kNotApplicable);
    }
  }
}

TEST(Fig10, ReachesTheUtilisationAskedFor) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    const System system = make(kFig10, i, {{"utilisation", "0.4"}, {"granularity", "coarse"}});
    double sum = 0;
    for (const Task& task : system.tasks) {
      for (const Node& node : task.nodes) {
        sum += static_cast<double>(node.wcet->ns()) / static_cast<double>(task.period->ns());
      }
    }
    EXPECT_NEAR(sum / static_cast<double>(system.platform.elements[0].units), 0.4, 1e-6);
  }
}

/// The search for the number of partitions skips those that cannot be better; none may be missed.
TEST(Locking, FindsTheBestNumberOfPartitions) {
  const auto with_k = [](const char* method, const System& system, int k) {
    Options options;
    if (k > 0) options.settings["k"] = std::to_string(k);
    return analyze(*find_method(method), system, options);
  };
  for (const char* method : {"gang.rm-he", "gang.wc-he"}) {
    for (std::uint64_t i = 0; i < 12; ++i) {
      const System one = make(kFig9, i, {{"cpus", "8"}, {"nodes-max", "30"}});
      Time least = *with_k(method, one, 1).tasks[0].bound;
      for (int k = 2; k <= 8; ++k) least = std::min(least, *with_k(method, one, k).tasks[0].bound);
      EXPECT_EQ(with_k(method, one, 0).tasks[0].bound, least);

      const System several = make(kFig10, i,
                                  {{"cpus", "8"},
                                   {"nodes-max", "30"},
                                   {"gpu-share", "small"},
                                   {"utilisation", i % 2 == 0 ? "0.2" : "0.4"}});
      bool feasible = false;
      for (int k = 1; k <= 8; ++k) {
        feasible = feasible || with_k(method, several, k).status == Status::kSchedulable;
      }
      EXPECT_EQ(with_k(method, several, 0).status == Status::kSchedulable, feasible);
    }
  }
}

TEST(GangRecipes, GiveFilesThatTheReaderAcceptsUnchanged) {
  for (const Recipe* recipe : {&kFig8, &kFig9, &kFig10}) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      const System system = make(*recipe, i);
      const ReadResult again = read_system(write_system(system));
      ASSERT_TRUE(again.system.has_value()) << again.diagnostics[0].message;
      EXPECT_EQ(*again.system, system);
    }
  }
}

TEST(GangRecipes, RefuseSettingsWithoutSense) {
  const auto error = [](const Recipe& recipe, const Given& given) {
    return generate(recipe, Settings(recipe.parameters, given), 1, 0).error().message;
  };
  EXPECT_EQ(error(kFig9, {{"gpu-share", "huge"}}),
            "parameter `gpu-share` must be one of small, moderate, heavy, got `huge`");
  EXPECT_NE(error(kFig8, {{"nodes-min", "50"}, {"nodes-max", "40"}}), "");
}

}  // namespace
}  // namespace tactus::gang
