#include "tests/methods/gcaps/boost/naive_set.hpp"

#include <algorithm>

#include "tests/methods/gcaps/naive.hpp"

namespace tactus::gcaps::boost::naive {
namespace {

Task cut(const System& system, const tactus::Task& source) {
  Task task;
  task.name = source.name;
  task.T = source.period ? source.period->ns() : 0;
  task.D = source.deadline ? source.deadline->ns() : task.T;
  task.core = *source.core;
  task.best_effort = source.best_effort;
  task.P.push_back(0);
  bool inside = false, copied = false;
  for (NodeIndex index : gcaps::naive::walk(source)) {
    const Node& node = source.nodes[index];
    const bool cpu = system.platform.elements[node.on].kind == ElementKind::kCpu;
    task.last_exists = cpu;
    if (cpu) {
      task.P.back() += node.wcet->ns();
      inside = copied = false;
      continue;
    }
    if (!inside) {
      task.P.push_back(0);
      task.e.push_back(0);
      task.launch.push_back(0);
      task.threshold.emplace_back();
    }
    inside = true;
    task.P[task.P.size() - 2] += node.launch.ns();
    task.launch.back() += node.launch.ns();
    task.e.back() += node.wcet->ns();
    const Element& element = system.platform.elements[node.on];
    const bool copies = element.kind == ElementKind::kCopy;
    if (copies && !copied) {
      task.runs.push_back({task.eta() - 1, std::vector<Ns>(system.platform.elements.size(), -1)});
    }
    if (copies && element.sharing.value_or(CopySharing::kExclusive) == CopySharing::kExclusive) {
      Ns& time = task.runs.back().on[node.on];
      time = std::max<Ns>(time, 0) + node.wcet->ns();
    }
    copied = copies;
    if (node.gpu_threshold) {
      task.threshold.back() =
          std::max(task.threshold.back().value_or(INT64_MIN), *node.gpu_threshold);
    }
  }
  if (task.e.empty()) task.last_exists = true;
  return task;
}

}  // namespace

Set make_set(const System& system) {
  Set set;
  for (const tactus::Task& source : system.tasks) {
    Task task = cut(system, source);
    if (source.best_effort) {
      set.best_effort_gpu = set.best_effort_gpu || !task.e.empty();
      set.best_effort.push_back(task);
      continue;
    }
    task.J = source.jitter.ns();
    task.priority = *source.priority;
    task.level = source.gpu_priority.value_or(task.priority);
    for (const auto& threshold : task.threshold) {
      set.thresholds_given = set.thresholds_given || threshold.has_value();
    }
    set.tasks.push_back(task);
  }
  std::sort(set.tasks.begin(), set.tasks.end(),
            [](const Task& a, const Task& b) { return a.priority > b.priority; });
  const auto place = [&](const std::string& name) {
    return static_cast<int>(std::find_if(set.tasks.begin(), set.tasks.end(),
                                         [&](const Task& task) { return task.name == name; }) -
                            set.tasks.begin());
  };
  for (const tactus::Task& source : system.tasks) {
    if (source.best_effort || !source.after) continue;
    const tactus::Task& before = system.tasks[*source.after];
    Ns b = 0;
    for (const Node& node : before.nodes) b += node.bcet.ns();
    set.afters.push_back({place(source.name), place(before.name), b, source.jitter.ns()});
  }
  for (const Element& gpu : system.platform.elements) {
    set.units.push_back(gpu.units);
    if (gpu.kind != ElementKind::kGpu) continue;
    const Ns eps = gpu.runlist_update.value_or(Time()).ns();
    const Ns theta = gpu.context_switch.value_or(Time()).ns();
    set.off = eps - std::min(theta, eps) + gpu.preemption_delay.value_or(Time()).ns();
    set.on = eps;
    set.st = gpu.preempt_cost ? theta : std::min(theta, eps);
    if (gpu.preempt_cost) set.off = gpu.preempt_cost->ns();
    if (gpu.resume_cost) set.on = gpu.resume_cost->ns();
    if (gpu.start_cost) set.st = gpu.start_cost->ns();
    set.arbiter = gpu.arbiter_core.value_or(0);
  }
  return set;
}

}  // namespace tactus::gcaps::boost::naive
