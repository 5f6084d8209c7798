#include "tactus/methods/dag/kernel_graph.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/obstacles.hpp"
#include "tactus/methods/ways_out.hpp"

namespace tactus::dag {
namespace {

Result<ElementIndex, Refusal> find_gpu(const System& system) {
  std::optional<ElementIndex> gpu;
  const auto& elements = system.platform.elements;
  for (ElementIndex i = 0; i < elements.size(); ++i) {
    if (elements[i].kind != ElementKind::kGpu) continue;
    if (gpu) {
      return Refusal{
          fmt::format("elements {} and {} are both gpus; these methods need exactly one: {}",
                      quote(elements[*gpu].name), quote(elements[i].name), kFileForEachGpu),
          elements[i].at};
    }
    gpu = i;
  }
  if (!gpu) return Refusal{"the platform has no gpu; these methods need exactly one", {}};
  return *gpu;
}

bool touches(const Task& task, ElementIndex element) {
  return std::any_of(task.nodes.begin(), task.nodes.end(),
                     [&](const Node& node) { return node.on == element; });
}

/// The only task with nodes on the GPU; the others are noted as ignored.
Result<TaskIndex, Refusal> find_task(const System& system, ElementIndex gpu,
                                     std::vector<std::string>& remarks) {
  std::optional<TaskIndex> found;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (!touches(task, gpu)) {
      remarks.push_back(
          fmt::format("task {} does not use the gpu and was ignored", quote(task.name)));
      continue;
    }
    if (found) {
      return Refusal{fmt::format("tasks {} and {} both use the gpu; these methods need it "
                                 "to be otherwise idle",
                                 quote(system.tasks[*found].name), quote(task.name)),
                     task.at};
    }
    found = i;
  }
  if (!found) {
    return Refusal{fmt::format("no task uses the gpu {}; these methods need exactly one",
                               quote(system.platform.elements[gpu].name)),
                   system.platform.elements[gpu].at};
  }
  return *found;
}

void check_load(const Task& task, const Node& node, const Element& gpu, Obstacles& obstacles) {
  if (node.load) {
    if (*node.load == Time()) {
      obstacles.refuse(task, node, "has load 0; these methods need a load > 0");
    }
  } else if (!node.times.empty()) {
    obstacles.lacks(
        task, node, {"load"},
        "has `times`, measured as it is, but this method cuts kernels into blocks of one "
        "SM: give `load`");
  } else if (says_whole_time_only(gpu, node)) {
    lacks_time_on_fewer(obstacles, task, node, {"load"});
  } else {
    obstacles.lacks(task, node, {"load"}, "has no load; these methods need its time on one SM");
  }
}

void check_node(const System& system, const Task& task, const Node& node, ElementIndex gpu,
                Obstacles& obstacles) {
  const auto& elements = system.platform.elements;
  if (elements[node.on].kind == ElementKind::kCopy) {
    return obstacles.refuse(
        task, node,
        fmt::format("is on {}; these methods take copies that come one after another, each before "
                    "all kernels or after all (Figure 1 of the paper)",
                    quote(elements[node.on].name)));
  }
  if (node.on != gpu) {
    return obstacles.refuse(
        task, node,
        fmt::format("is on {}; these methods need every node of the task on the gpu {}",
                    quote(elements[node.on].name), quote(elements[gpu].name)));
  }
  check_load(task, node, elements[gpu], obstacles);
  if (node.overhead > Time() && node.times.empty()) {  // beside `times` it is ignored
    obstacles.refuse(task, node, "has an overhead; the model has no such term, add it to the load");
  }
  if (node.launch > Time()) {
    obstacles.refuse(task, node,
                     "has a launch time; the model has no such term, add it to the load");
  }
}

bool copies(const System& system, const Node& node) {
  return system.platform.elements[node.on].kind == ElementKind::kCopy;
}

/// Copies that come one after another and before everything else; or after it, from the end, where
/// `ahead` and `behind` are exchanged.
std::vector<NodeIndex> outermost_copies(const System& system, const Task& task,
                                        std::span<const NodeIndex> (Graph::*ahead)(NodeIndex) const,
                                        std::span<const NodeIndex> (Graph::*behind)(NodeIndex)
                                            const) {
  const Graph& graph = task.graph;
  std::vector<std::size_t> waits_for(graph.size());
  std::vector<NodeIndex> first, found;
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    waits_for[node] = (graph.*ahead)(node).size();
    if (waits_for[node] == 0) first.push_back(node);
  }
  while (first.size() == 1 && copies(system, task.nodes[first.front()])) {
    const NodeIndex copy = first.front();
    found.push_back(copy);
    first.clear();
    for (const NodeIndex next : (graph.*behind)(copy)) {
      if (--waits_for[next] == 0) first.push_back(next);
    }
  }
  return found;
}

/// Without a wait for copies of others there is no bound that they could exceed.
void check_copy(const System& system, const Task& task, const Node& node, Obstacles& obstacles) {
  const Element& engine = system.platform.elements[node.on];
  if (!node.wcet) obstacles.lacks(task, node, {"wcet"}, "has no wcet; these methods need one");
  if (node.launch > Time()) {
    obstacles.refuse(task, node,
                     "has a launch time; the model has no such term, add it to the wcet");
  }
  if (engine.sharing == CopySharing::kShared) return;
  for (const Task& other : system.tasks) {
    if (&other == &task || !touches(other, node.on)) continue;
    obstacles.refuse(task, node,
                     fmt::format("is on {}, and so is task {}; these methods need it to be "
                                 "otherwise idle, or `shared`",
                                 quote(engine.name), quote(other.name)));
    return;
  }
}

/// Parts the copies around all kernels from the graph of these.
void take_copies_off(const System& system, const Task& task, KernelGraph& out,
                     Obstacles& obstacles) {
  const auto take = [&](const std::vector<NodeIndex>& from, std::vector<CopyNode>& to) {
    for (const NodeIndex node : from) {
      check_copy(system, task, task.nodes[node], obstacles);
      to.push_back({node, task.nodes[node].wcet.value_or(Time())});
    }
  };
  take(outermost_copies(system, task, &Graph::predecessors, &Graph::successors), out.before);
  take(outermost_copies(system, task, &Graph::successors, &Graph::predecessors), out.after);
  std::reverse(out.after.begin(), out.after.end());
  constexpr NodeIndex kCopy = static_cast<NodeIndex>(-1);
  std::vector<NodeIndex> place(task.nodes.size());
  for (const auto* some : {&out.before, &out.after}) {
    for (const CopyNode& copy : *some) place[copy.node] = kCopy;
  }
  for (NodeIndex node = 0; node < task.nodes.size(); ++node) {
    if (place[node] == kCopy) continue;
    place[node] = static_cast<NodeIndex>(out.nodes.size());
    out.nodes.push_back(node);
  }
  std::vector<Edge> edges;
  for (const auto& [from, to] : task.graph.edges()) {
    if (place[from] != kCopy && place[to] != kCopy) edges.emplace_back(place[from], place[to]);
  }
  out.between = std::make_shared<const Graph>(static_cast<NodeIndex>(out.nodes.size()), edges);
  out.graph = out.between.get();
}

}  // namespace

Result<KernelGraph, Refusal> make_kernel_graph(const System& system) {
  KernelGraph out;
  const auto gpu = find_gpu(system);
  if (!gpu) return gpu.error();
  const auto found = find_task(system, std::get<ElementIndex>(gpu), out.remarks);
  if (!found) return found.error();

  const Element& element = system.platform.elements[std::get<ElementIndex>(gpu)];
  const Task& task = system.tasks[std::get<TaskIndex>(found)];
  out.task = std::get<TaskIndex>(found);
  out.graph = &task.graph;
  out.sms = element.units;
  out.t_min = element.t_min.value_or(Time::from_ns(nanoseconds_in(system.time_unit)));
  out.loads.reserve(task.nodes.size());
  Obstacles obstacles;
  const bool copying = std::any_of(task.nodes.begin(), task.nodes.end(),
                                   [&](const Node& node) { return copies(system, node); });
  if (copying) take_copies_off(system, task, out, obstacles);
  for (NodeIndex k = 0; k < out.size(); ++k) {
    check_node(system, task, task.nodes[out.node_of(k)], std::get<ElementIndex>(gpu), obstacles);
  }
  if (obstacles.any()) return std::move(obstacles).refusal();
  Time total;
  for (NodeIndex k = 0; k < out.size(); ++k) {
    out.loads.push_back(*task.nodes[out.node_of(k)].load);
    total += out.loads.back();  // throws where the invariant would not hold
  }
  out.deadline = task.deadline;
  if (task.period && (!out.deadline || *task.period < *out.deadline)) out.deadline = task.period;
  return out;
}

}  // namespace tactus::dag
