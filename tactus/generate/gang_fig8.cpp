#include <fmt/core.h>

#include <algorithm>

#include "tactus/generate/gang_dags.hpp"
#include "tactus/generate/gang_recipes.hpp"

namespace tactus::gang {
namespace {

constexpr Parameter kFig8Parameters[] = {
    kNodesMin,
    kNodesMax,
    kEdgeProbability,
    {"elements-min", "2", "fewest compute elements"},
    {"elements-max", "6", "most compute elements"},
    {"processors", "0", "of every element; 0 draws one of 8, 16, 24, 32 for each"},
    {"width", "0.4", "widest gang as a part of its element: small 0.2, moderate 0.4, heavy 0.7"},
    {"rounding", "down", "of the widest gang, where it is no whole number: down, nearest or up"},
    {"stretch", "10", "period and deadline as a multiple of the longest path"},
};

/// What is added to the widest gang before its fraction is dropped.
double rounding(Settings& settings) {
  static constexpr std::string_view kWays[] = {"down", "nearest", "up"};
  // Slightly more, so that 0.7 of 30 is 21 although 0.7 is not exact in binary.
  constexpr double kInexact = 1e-9;
  static constexpr double kAdded[] = {kInexact, 0.5 + kInexact, 1 - kInexact};
  return kAdded[settings.choice("rounding", kWays)];
}

/// Draws: the number of elements, their processors, the graph, then for every node its element and
/// its width.
System make_fig8(Settings& settings, Random& random) {
  static constexpr std::int64_t kProcessors[] = {8, 16, 24, 32};
  System system;
  system.time_unit = TimeUnit::kUnit;
  const std::int64_t fewest = settings.integer("elements-min", 1, 1000);
  const std::int64_t elements =
      random.integer(fewest, settings.integer("elements-max", fewest, 1000));
  const std::int64_t processors = settings.integer("processors", 0, 1'000'000);
  for (std::int64_t p = 0; p < elements; ++p) {
    Element element;
    element.name = fmt::format("ce{}", p + 1);
    element.units = processors != 0 ? processors : draw_one_of(kProcessors, random);
    system.platform.elements.push_back(std::move(element));
  }
  expect_graphs(settings, 1, 1);
  if (!settings.error().empty()) return system;
  const RandomGraph graph = draw_graph(settings, random, edge_probability(settings, random));
  const double widest = settings.real("width", 0, 1), added = rounding(settings);
  Task task;
  task.name = "dag";
  for (NodeIndex v = 0; v < graph.graph.size(); ++v) {
    Node node;
    node.name = fmt::format("n{}", v);
    node.on = static_cast<ElementIndex>(random.integer(0, elements - 1));
    node.wcet = graph.wcet[v];
    const auto units = static_cast<double>(system.platform.elements[node.on].units);
    const auto most = static_cast<std::int64_t>(widest * units + added);
    node.parallelism = random.integer(1, std::max<std::int64_t>(1, most));
    task.nodes.push_back(std::move(node));
  }
  task.graph = graph.graph;
  task.period = task.deadline = settings.integer("stretch", 1, 1'000'000) * graph.length;
  system.tasks.push_back(std::move(task));
  return system;
}

}  // namespace

const Recipe kFig8 = {"gang-fig8", "a graph of gangs on several elements (gang paper, Fig. 8)",
                      kFig8Parameters, make_fig8};

}  // namespace tactus::gang
