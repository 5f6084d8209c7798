#include "tactus/methods/gcaps/task_set.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/chain.hpp"
#include "tactus/methods/cores.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/obstacles.hpp"
#include "tactus/methods/priorities.hpp"
#include "tactus/model/diagnostic.hpp"

namespace tactus::gcaps {
namespace {

struct Elements {
  std::optional<ElementIndex> cpu;
  const Element* gpu = nullptr;
};

Elements find_elements(const System& system, Obstacles& obstacles) {
  Elements found;
  const auto& elements = system.platform.elements;
  for (ElementIndex i = 0; i < elements.size(); ++i) {
    if (elements[i].kind == ElementKind::kCpu) {
      if (found.cpu) {
        obstacles.refuse(elements[i], "is a second cpu element; these methods need exactly one");
      } else {
        found.cpu = i;
      }
    } else if (elements[i].kind == ElementKind::kGpu) {
      if (found.gpu != nullptr) {
        obstacles.refuse(elements[i], "is a second gpu element; these methods take one");
      } else {
        found.gpu = &elements[i];
      }
    }
  }
  if (!found.cpu) {
    obstacles.refuse("the platform has no cpu element; these methods need exactly one");
  }
  return found;
}

/// The time of a node; of a kernel the time with the whole GPU.
Time time_of(const System& system, const Task& task, const Node& node, TaskSet& set,
             Obstacles& obstacles) {
  if (system.platform.elements[node.on].kind != ElementKind::kGpu) {
    if (!node.wcet) obstacles.lacks(task, node, {"wcet"}, "has no wcet; these methods need one");
    return node.wcet.value_or(Time());
  }
  auto whole = whole_gpu_time(system, task, node);
  if (!whole) {
    obstacles.lacks(task, node, {"wcet", "load", "times"},
                    "has no time; these methods need `wcet`, `load` or `times`");
    return Time();
  }
  if (!whole->note.empty()) set.notes.push_back(std::move(whole->note));
  return whole->wcet;
}

/// Cuts the chain into CPU time and GPU segments (maximal runs of gpu and copy nodes).
void add_work(const System& system, const Task& task, const Elements& elements, GpuTask& out,
              TaskSet& set, Obstacles& obstacles) {
  auto chain = chain_of(task, "these methods need a chain");
  if (auto* refusal = std::get_if<Refusal>(&chain)) return obstacles.add(std::move(*refusal));
  bool in_segment = false;
  for (NodeIndex index : std::get<std::vector<NodeIndex>>(chain)) {
    const Node& node = task.nodes[index];
    const Time work = time_of(system, task, node, set, obstacles);
    if (work + node.launch > Time()) out.ends_in_request = false;
    if (node.on == elements.cpu) {
      if (node.launch > Time()) {
        obstacles.refuse(task, node, "has a launch time, but is on the cpu");
      }
      out.cpu += work;
      in_segment = false;
      continue;
    }
    if (elements.gpu == nullptr) {
      obstacles.refuse(task, node, "copies to a gpu, but the platform has none");
    }
    if (out.segments.empty()) out.segments.reserve(task.nodes.size() / 2 + 1);
    if (!in_segment) {
      out.segments.emplace_back();
      out.ends_in_request = work + node.launch == Time();
    }
    in_segment = true;
    out.segments.back().launch += node.launch;
    out.segments.back().exec += work;
    out.launch += node.launch;
    out.exec += work;
  }
}

void add_timing(const System& system, const Task& task, const Elements& elements, GpuTask& out,
                Obstacles& obstacles) {
  if (!task.core) {
    obstacles.lacks(task, {"core"}, "has no core; these methods are partitioned");
  } else if (elements.cpu) {
    const std::int64_t cores = system.platform.elements[*elements.cpu].units;
    if (*task.core > cores) {
      obstacles.refuse(task, fmt::format("is on core {}, but the cpu has {}", *task.core, cores));
    }
    out.core = static_cast<std::size_t>(*task.core);
  }
  out.period = task.period;
  if (task.deadline) out.deadline = *task.deadline;
  out.best_effort = task.best_effort;
  if (task.best_effort) return;

  if (!task.period) obstacles.lacks(task, {"period"}, "has no period; these methods need one");
  if (task.period && out.deadline > *task.period) {
    obstacles.refuse(task,
                     "has a deadline beyond its period; these methods need constrained deadlines");
  }
}

/// CPU priorities, and GPU priorities that default to them.
void add_priorities(const System& system, TaskSet& set, Obstacles& obstacles) {
  auto made = priorities_of(system);
  if (auto* refusal = std::get_if<Refusal>(&made)) return obstacles.add(std::move(*refusal));
  auto& priorities = std::get<Priorities>(made);
  const Task *with = nullptr, *without = nullptr;
  for (GpuTask& task : set.tasks) {
    const Task& source = system.tasks[task.index];
    if (task.best_effort) continue;
    task.priority = priorities.of[task.index];
    task.gpu_priority = source.gpu_priority.value_or(task.priority);
    (source.gpu_priority ? with : without) = &source;
  }
  if (priorities.note.empty()) return;
  if (with != nullptr && without != nullptr) {
    obstacles.refuse(*with,
                     "has a gpu_priority, but the file gives no priorities to order it among; give "
                     "`priority` to all tasks");
  }
  set.notes.push_back(std::move(priorities.note));
}

/// GPU priorities are unique, and on one core follow the CPU order.
void check_gpu_priorities(const System& system, TaskSet& set, Obstacles& obstacles) {
  const auto refuse = [&](std::size_t a, std::size_t b, std::string_view problem) {
    obstacles.refuse(fmt::format("tasks {} and {} {}", quote(set.tasks[a].name),
                                 quote(set.tasks[b].name), problem),
                     system.tasks[set.tasks[b].index].at);
  };
  const auto level = [&](std::size_t i) { return set.tasks[i].gpu_priority; };
  std::vector<std::size_t> by_level(set.real_time);
  for (std::size_t i = 0; i < by_level.size(); ++i) by_level[i] = i;
  std::stable_sort(by_level.begin(), by_level.end(),
                   [&](std::size_t a, std::size_t b) { return level(a) > level(b); });
  for (std::size_t k = 0; k + 1 < by_level.size(); ++k) {
    const std::size_t a = by_level[k], b = by_level[k + 1];
    if (level(a) == level(b)) refuse(a, b, "have equal GPU priorities");
    if (a > b) set.gpu_order_differs = true;
  }
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> previous_on(set.cores, kNone);
  for (std::size_t i = 0; i < set.real_time; ++i) {
    std::size_t& previous = previous_on[set.tasks[i].core];
    if (previous != kNone && level(previous) < level(i)) {
      refuse(previous, i, "share a core, but their GPU priorities invert their CPU priorities");
    }
    previous = i;
  }
}

/// Replaces core numbers by 0 .. cores-1, lists the tasks of each core, and counts, from the lowest
/// priority upwards, the GPU users below each task on its core.
void finish_cores(TaskSet& set) {
  set.cores = number_cores(set.tasks);
  set.on_core.resize(set.cores);
  for (std::size_t i = 0; i < set.tasks.size(); ++i) {
    GpuTask& task = set.tasks[i];
    task.place = set.on_core[task.core].size();
    set.on_core[task.core].push_back(i);
    if (task.uses_gpu()) set.gpu_users.push_back(i);
  }
  std::vector<std::int64_t> users(set.cores);
  for (std::size_t i = set.tasks.size(); i-- > 0;) {
    GpuTask& task = set.tasks[i];
    if (!task.best_effort) task.lower_gpu_users = users[task.core];
    users[task.core] += task.uses_gpu() ? 1 : 0;
  }
}

void add_overheads(const Element& gpu, Overheads needed, TaskSet& set, Obstacles& obstacles) {
  const auto take = [&](const std::optional<Time>& value, std::string_view attribute, Time& out) {
    if (!value) {
      obstacles.lacks(gpu, {attribute}, fmt::format("has no {}; this method needs it", attribute));
    }
    out = value.value_or(Time());
  };
  if (needed == Overheads::kRunlistUpdate) {
    take(gpu.runlist_update, "runlist_update", set.epsilon);
    const auto users = std::count_if(set.tasks.begin(), set.tasks.end(), [](const GpuTask& task) {
      return task.best_effort && task.uses_gpu();
    });
    set.leave = std::max<std::int64_t>(1, users) * gpu.preemption_delay.value_or(Time());
  } else if (needed == Overheads::kTimeSlice) {
    take(gpu.time_slice, "time_slice", set.slice);
    take(gpu.context_switch, "context_switch", set.theta);
  }
}

}  // namespace

std::variant<TaskSet, Refusal> make_task_set(const System& system, Overheads needed) {
  Obstacles obstacles;
  const Elements found = find_elements(system, obstacles);

  TaskSet set;
  set.tasks.reserve(system.tasks.size());
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    GpuTask task;
    task.index = i;
    task.name = system.tasks[i].name;
    add_timing(system, system.tasks[i], found, task, obstacles);
    add_work(system, system.tasks[i], found, task, set, obstacles);
    set.uses_gpu = set.uses_gpu || task.uses_gpu();
    set.real_time += task.best_effort ? 0 : 1;
    set.tasks.push_back(std::move(task));
  }
  if (set.real_time == 0) obstacles.refuse("there is no real-time task to analyse");
  add_priorities(system, set, obstacles);
  if (set.uses_gpu && found.gpu != nullptr) add_overheads(*found.gpu, needed, set, obstacles);
  if (obstacles.any()) return std::move(obstacles).refusal();
  std::stable_sort(set.tasks.begin(), set.tasks.end(), [](const GpuTask& a, const GpuTask& b) {
    if (a.best_effort || b.best_effort) return !a.best_effort && b.best_effort;
    return a.priority > b.priority;
  });
  finish_cores(set);
  check_gpu_priorities(system, set, obstacles);
  if (obstacles.any()) return std::move(obstacles).refusal();
  return set;
}

}  // namespace tactus::gcaps
