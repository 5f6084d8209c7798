#include "tactus/methods/dag/kernel_graph.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/obstacles.hpp"
#include "tactus/methods/ways_out.hpp"

namespace tactus::dag {
namespace {

std::variant<ElementIndex, Refusal> find_gpu(const System& system) {
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
std::variant<TaskIndex, Refusal> find_task(const System& system, ElementIndex gpu,
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
        fmt::format(
            "is on {}; these methods take what is computed between the copies (Figure 1 of "
            "the paper): leave copies before and after all kernels out, and take their time "
            "off the deadline",
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

}  // namespace

std::variant<KernelGraph, Refusal> make_kernel_graph(const System& system) {
  KernelGraph out;
  const auto gpu = find_gpu(system);
  if (const auto* refusal = std::get_if<Refusal>(&gpu)) return *refusal;
  const auto found = find_task(system, std::get<ElementIndex>(gpu), out.remarks);
  if (const auto* refusal = std::get_if<Refusal>(&found)) return *refusal;

  const Element& element = system.platform.elements[std::get<ElementIndex>(gpu)];
  const Task& task = system.tasks[std::get<TaskIndex>(found)];
  out.task = std::get<TaskIndex>(found);
  out.graph = &task.graph;
  out.sms = element.units;
  out.t_min = element.t_min.value_or(Time::from_ns(nanoseconds_in(system.time_unit)));
  out.loads.reserve(task.nodes.size());
  Obstacles obstacles;
  for (const Node& node : task.nodes) {
    check_node(system, task, node, std::get<ElementIndex>(gpu), obstacles);
  }
  if (obstacles.any()) return std::move(obstacles).refusal();
  Time total;
  for (const Node& node : task.nodes) {
    out.loads.push_back(*node.load);
    total += *node.load;  // throws where the invariant would not hold
  }
  out.deadline = task.deadline;
  if (task.period && (!out.deadline || *task.period < *out.deadline)) out.deadline = task.period;
  return out;
}

}  // namespace tactus::dag
