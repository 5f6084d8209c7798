#include "tactus/generate/gang_dags.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace tactus::gang {
namespace {

/// Joins every component to those before it, by an edge between two random nodes.
void connect(NodeIndex count, std::vector<Edge>& edges, Random& random) {
  std::vector<NodeIndex> root(count);
  std::iota(root.begin(), root.end(), NodeIndex{0});
  const auto find = [&](NodeIndex v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const auto& [from, to] : edges)
    root[std::max(find(from), find(to))] = std::min(find(from), find(to));
  const auto members = [&](NodeIndex component) {
    std::vector<NodeIndex> all;
    for (NodeIndex v = 0; v < count; ++v) {
      if (find(v) == component) all.push_back(v);
    }
    return all;
  };
  const auto draw = [&](const std::vector<NodeIndex>& from) {
    return from[static_cast<std::size_t>(
        random.integer(0, static_cast<std::int64_t>(from.size()) - 1))];
  };
  for (NodeIndex v = 1; v < count; ++v) {
    if (find(v) != v) continue;  // not the first of a component
    const NodeIndex a = draw(members(0)), b = draw(members(v));
    edges.emplace_back(std::min(a, b), std::max(a, b));
    root[v] = 0;
  }
}

}  // namespace

std::int64_t draw_one_of(std::span<const std::int64_t> values, Random& random) {
  return values[static_cast<std::size_t>(
      random.integer(0, static_cast<std::int64_t>(values.size()) - 1))];
}

double edge_probability(Settings& settings, Random& random) {
  if (settings.text(kEdgeProbability.name) != "draw") {
    return settings.real(kEdgeProbability.name, 0, 1);
  }
  static constexpr double kPublished[] = {0.1, 0.3, 0.5, 0.7, 0.9};
  return kPublished[random.integer(0, std::ssize(kPublished) - 1)];
}

void expect_graphs(Settings& settings, double graphs, double parts) {
  const auto nodes = static_cast<double>(
      settings.integer(kNodesMax.name, settings.integer(kNodesMin.name, 1, 10'000), 10'000));
  const bool drawn = settings.text(kEdgeProbability.name) == "draw";
  const double probability = drawn ? 0.9 : settings.real(kEdgeProbability.name, 0, 1);
  settings.expect_size(graphs * nodes * parts,
                       graphs * (probability * nodes * (nodes - 1) / 2 + nodes * parts));
}

RandomGraph draw_graph(Settings& settings, Random& random, double probability) {
  const std::int64_t fewest = settings.integer(kNodesMin.name, 1, 10'000);
  const std::int64_t most = settings.integer(kNodesMax.name, fewest, 10'000);
  const auto count = static_cast<NodeIndex>(random.integer(fewest, most));
  RandomGraph made;
  for (NodeIndex v = 0; v < count; ++v) made.wcet.push_back(Time::from_ms(random.integer(50, 100)));
  std::vector<Edge> edges;
  for (NodeIndex a = 0; a < count; ++a) {
    for (NodeIndex b = a + 1; b < count; ++b) {
      if (random.chance(probability)) edges.emplace_back(a, b);
    }
  }
  connect(count, edges, random);
  made.graph = Graph(count, std::move(edges));
  std::vector<Time> finish(count);
  for (NodeIndex v = 0; v < count; ++v) {
    for (NodeIndex u : made.graph.predecessors(v)) finish[v] = std::max(finish[v], finish[u]);
    finish[v] += made.wcet[v];
    made.length = std::max(made.length, finish[v]);
  }
  return made;
}

std::vector<Element> draw_cpu_gpu(Settings& settings, Random& random) {
  static constexpr std::int64_t kCpuChoices[] = {8, 16, 24, 32}, kSmChoices[] = {16, 32, 48};
  Element cpu, gpu;
  cpu.name = "cpu";
  cpu.units = settings.integer(kCpus.name, 0, 1'000'000);
  if (cpu.units == 0) cpu.units = draw_one_of(kCpuChoices, random);
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.units = settings.integer(kSms.name, 0, 1'000'000);
  if (gpu.units == 0) gpu.units = draw_one_of(kSmChoices, random);
  gpu.lanes = 2048;
  return {cpu, gpu};
}

CpuGpuTask draw_cpu_gpu_task(Settings& settings, Random& random, std::int64_t sms,
                             double probability) {
  static constexpr std::string_view kShares[] = {"small", "moderate", "heavy"};
  static constexpr double kLeast[] = {0.01, 0.2, 0.5}, kMost[] = {0.2, 0.5, 0.8};
  static constexpr std::string_view kGranularities[] = {"fine", "coarse"};
  const std::size_t range = settings.choice(kGpuShare.name, kShares);
  const bool fine = settings.choice(kGranularity.name, kGranularities) == 0;
  static constexpr std::string_view kBlockLengths[] = {"max", "max/rho"};
  const bool shared = settings.choice(kBlockLength.name, kBlockLengths) == 1;

  const RandomGraph coarse = draw_graph(settings, random, probability);
  const NodeIndex count = coarse.graph.size();
  const double share = random.real(kLeast[range], kMost[range]);
  std::vector<NodeIndex> shuffled(count);
  std::iota(shuffled.begin(), shuffled.end(), NodeIndex{0});
  for (std::size_t i = count; i > 1; --i) {
    std::swap(
        shuffled[i - 1],
        shuffled[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
  }
  const auto users = static_cast<std::size_t>(share * static_cast<double>(count) + 0.5);
  std::vector<bool> uses_gpu(count);
  for (std::size_t i = 0; i < users; ++i) uses_gpu[shuffled[i]] = true;

  CpuGpuTask made;
  made.length = coarse.length;
  Task& task = made.task;
  std::vector<NodeIndex> first(count), last(count);
  std::vector<Edge> edges;
  const auto add = [&](std::string name, ElementIndex on, Time wcet) {
    Node node;
    node.name = std::move(name);
    node.on = on;
    node.wcet = wcet;
    task.nodes.push_back(std::move(node));
    return static_cast<NodeIndex>(task.nodes.size() - 1);
  };
  for (NodeIndex v = 0; v < count; ++v) {
    made.volume += coarse.wcet[v];
    static constexpr std::int64_t kBlockSizes[] = {128, 256, 512, 1024};
    Time access;
    std::int64_t filled = 0, threads = 1;
    if (uses_gpu[v]) {
      access = Time::from_ns(static_cast<std::int64_t>(random.real(0.1, 0.7) *
                                                       static_cast<double>(coarse.wcet[v].ns())));
      filled = random.integer(1, sms);
      threads = draw_one_of(kBlockSizes, random);
    }
    if (!uses_gpu[v] || !fine) {
      first[v] = last[v] = add(fmt::format("n{}", v), 0, coarse.wcet[v]);
      continue;
    }
    const Time around = coarse.wcet[v] - access;
    const Time before = Time::from_ns(around.ns() / 2);
    first[v] = add(fmt::format("n{}.before", v), 0, before);
    const NodeIndex kernel =
        add(fmt::format("n{}.kernel", v), 1,
            shared ? Time::from_ns((access.ns() + filled - 1) / filled) : access);
    task.nodes[kernel].threads = threads;
    task.nodes[kernel].blocks = filled * (2048 / threads);
    last[v] = add(fmt::format("n{}.after", v), 0, around - before);
    edges.emplace_back(first[v], kernel);
    edges.emplace_back(kernel, last[v]);
  }
  for (const auto& [from, to] : coarse.graph.edges()) edges.emplace_back(last[from], first[to]);
  task.graph = Graph(static_cast<NodeIndex>(task.nodes.size()), std::move(edges));
  return made;
}

}  // namespace tactus::gang
