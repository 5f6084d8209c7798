#include "tactus/methods/gang/dag.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/model/diagnostic.hpp"

namespace tactus::gang {
namespace {

Refusal refuse(const Task& task, std::string_view problem) {
  return {fmt::format("task {}: {}", quote(task.name), problem), task.at};
}

Refusal refuse(const Task& task, const Node& node, std::string_view problem) {
  return {fmt::format("task {}: node {}: {}", quote(task.name), quote(node.name), problem),
          node.at};
}

/// Threads alone do not say when a block is refused: registers, shared memory and block slots may
/// run out first. Counting the largest share of a unit that a block takes repairs that, because a
/// block refused for any resource then leaves less than m_i of it free.
std::int64_t width_of(const Node& node, const Element& element) {
  const bool clustered = element.lanes > 1;
  std::int64_t width = node.parallelism.value_or(clustered ? node.threads.value_or(1) : 1);
  if (!clustered || !element.sm) return width;
  const SmLimits& sm = *element.sm;
  const std::int64_t threads = node.threads.value_or(width);
  const auto take = [&](__int128 amount, const std::optional<std::int64_t>& limit) {
    if (!limit) return;
    const __int128 share = (amount * element.lanes + *limit - 1) / *limit;
    // Whatever exceeds the unit is refused; it only must not wrap around.
    constexpr __int128 kFarTooWide = INT64_MAX;
    width = std::max(width, static_cast<std::int64_t>(std::min(share, kFarTooWide)));
  };
  take(threads, sm.threads);
  take(1, sm.blocks);
  if (node.registers) take(static_cast<__int128>(threads) * *node.registers, sm.registers);
  if (node.shared_memory) take(*node.shared_memory, sm.shared_memory);
  return width;
}

std::variant<GangNode, Refusal> make_node(const System& system, const Task& task, NodeIndex index) {
  const Node& node = task.nodes[index];
  const Element& element = system.platform.elements[node.on];
  if (!node.wcet) {
    return refuse(task, node,
                  node.load ? "malleable kernels need rtgpu; gang needs wcet" : "needs wcet");
  }
  if (node.launch > Time()) {
    return refuse(task, node,
                  fmt::format("has a launch time of {}, but gang nodes are on one element; give "
                              "the CPU part its own node",
                              format_time(node.launch, system.time_unit)));
  }
  const std::int64_t width = width_of(node, element);
  if (width > (element.lanes > 1 ? element.lanes : element.units)) {
    const std::string room =
        element.lanes > 1
            ? fmt::format("one unit of {} ({} lanes)", quote(element.name), element.lanes)
            : fmt::format("{} ({} units)", quote(element.name), element.units);
    return refuse(task, node, fmt::format("a gang of {} does not fit {}", width, room));
  }
  const std::int64_t copies = element.lanes > 1 ? node.blocks.value_or(1) : 1;
  return GangNode{node.on, width, *node.wcet, copies, {index}};
}

bool twins(const GangNode& a, const GangNode& b, const Graph& graph) {
  if (a.on != b.on || a.width != b.width || a.wcet != b.wcet) return false;
  return std::ranges::equal(graph.predecessors(a.sources[0]), graph.predecessors(b.sources[0])) &&
         std::ranges::equal(graph.successors(a.sources[0]), graph.successors(b.sources[0]));
}

std::variant<GangDag, Refusal> make_dag(const System& system, TaskIndex index) {
  const Task& task = system.tasks[index];
  if (!task.period) return refuse(task, "has no period; gang needs one");
  if (*task.deadline > *task.period) {
    return refuse(task, fmt::format("its deadline {} exceeds its period {}; gang needs D <= T",
                                    format_time(*task.deadline, system.time_unit),
                                    format_time(*task.period, system.time_unit)));
  }
  GangDag dag{index, *task.period, *task.deadline, {}, {}};
  std::vector<NodeIndex> place(task.nodes.size());  // of the file's node in dag.nodes
  for (NodeIndex node = 0; node < task.nodes.size(); ++node) {
    const auto made = make_node(system, task, node);  // refusals in the order of the file
    if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
  }
  for (NodeIndex node : topological_order(task.graph)) {
    auto made = std::get<GangNode>(make_node(system, task, node));
    if (!dag.nodes.empty() && twins(dag.nodes.back(), made, task.graph)) {
      dag.nodes.back().copies = checked::add(dag.nodes.back().copies, made.copies);
      dag.nodes.back().sources.push_back(node);
    } else {
      dag.nodes.push_back(std::move(made));
    }
    place[node] = static_cast<NodeIndex>(dag.nodes.size() - 1);
  }
  std::vector<Edge> edges;
  edges.reserve(task.graph.edge_count());
  for (const auto& [from, to] : task.graph.edges()) edges.emplace_back(place[from], place[to]);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  dag.graph = Graph(static_cast<NodeIndex>(dag.nodes.size()), std::move(edges));
  return dag;
}

}  // namespace

std::variant<std::vector<GangDag>, Refusal> make_dags(const System& system) {
  std::vector<GangDag> dags;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (system.tasks[task].best_effort) continue;
    auto made = make_dag(system, task);
    if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
    dags.push_back(std::get<GangDag>(std::move(made)));
  }
  if (dags.empty()) return Refusal{"there is no real-time task to analyse", {}};
  return dags;
}

Time length_of(const GangDag& dag) {
  std::vector<Time> finish(dag.nodes.size());
  Time longest;
  for (NodeIndex node = 0; node < dag.nodes.size(); ++node) {
    for (NodeIndex previous : dag.graph.predecessors(node)) {
      finish[node] = std::max(finish[node], finish[previous]);
    }
    finish[node] += dag.nodes[node].wcet;
    longest = std::max(longest, finish[node]);
  }
  return longest;
}

std::string label_of(const System& system, const GangDag& dag, const GangNode& node) {
  const auto& nodes = system.tasks[dag.task].nodes;
  std::string label;
  for (NodeIndex source : node.sources) {
    if (!label.empty()) label += ", ";
    label += nodes[source].name;
    const std::int64_t blocks = nodes[source].blocks.value_or(1);
    if (blocks > 1 && system.platform.elements[node.on].lanes > 1) {
      label += fmt::format("[0..{}]", blocks - 1);
    }
  }
  return label;
}

}  // namespace tactus::gang
