#include "tactus/model/paths.hpp"

#include <algorithm>

namespace tactus {
namespace {

/// Where the upper bound is derived, a lower one has nothing to be compared with.
Time least_time(const Node& node) { return node.wcet ? std::min(node.bcet, *node.wcet) : Time(); }

}  // namespace

std::vector<TaskIndex> roots_of(const System& system) {
  const std::size_t count = system.tasks.size();
  constexpr TaskIndex kUnknown = kNoRoot - 1;
  std::vector<TaskIndex> roots(count, kUnknown);
  std::vector<TaskIndex> walked;
  for (TaskIndex i = 0; i < count; ++i) {
    walked.clear();
    TaskIndex at = i;
    // A task without a root yet is taken for one that has none until its walk has ended: who comes
    // by it again goes in a circle.
    while (at < count && roots[at] == kUnknown) {
      walked.push_back(at);
      roots[at] = kNoRoot;
      const auto& before = system.tasks[at].after;
      if (!before) {
        roots[at] = at;
      } else {
        at = *before;
      }
    }
    const TaskIndex root = at < count ? roots[at] : kNoRoot;
    for (const TaskIndex task : walked) roots[task] = root;
  }
  return roots;
}

bool has_late_releases(const System& system) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    return !task.best_effort && (task.after || task.jitter != Time());
  });
}

Time least_time(const Task& task) {
  if (task.graph.is_listed_chain()) {
    Time sum;
    for (const Node& node : task.nodes) sum += least_time(node);
    return sum;
  }
  Time longest;
  std::vector<Time> until(task.nodes.size());
  for (const NodeIndex node : topological_order(task.graph)) {
    Time begin;
    for (const NodeIndex before : task.graph.predecessors(node)) {
      begin = std::max(begin, until[before]);
    }
    until[node] = begin + least_time(task.nodes[node]);
    longest = std::max(longest, until[node]);
  }
  return longest;
}

Time nominal_delay(const System& system, TaskIndex task) {
  Time delay;
  while (const auto before = system.tasks[task].after) {
    task = *before;
    delay += least_time(system.tasks[task]);
  }
  return delay;
}

Time nominal_offset(const System& system, TaskIndex task) {
  const Time delay = nominal_delay(system, task);
  while (const auto before = system.tasks[task].after) task = *before;
  return system.tasks[task].offset + delay;
}

void follow_periods(System& system) {
  const std::vector<TaskIndex> roots = roots_of(system);
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    Task& task = system.tasks[i];
    if (!task.after || roots[i] == kNoRoot) continue;
    const bool implicit = task.deadline == task.period;
    task.period = system.tasks[roots[i]].period;
    if (implicit) task.deadline = task.period;
  }
}

}  // namespace tactus
