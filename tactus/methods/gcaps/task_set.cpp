#include "tactus/methods/gcaps/task_set.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/chain.hpp"
#include "tactus/methods/cores.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/priorities.hpp"
#include "tactus/model/diagnostic.hpp"

namespace tactus::gcaps {
namespace {

struct Elements {
  ElementIndex cpu = 0;
  const Element* gpu = nullptr;
};

std::variant<Elements, Refusal> find_elements(const System& system) {
  Elements found;
  std::size_t cpus = 0;
  const auto& elements = system.platform.elements;
  for (ElementIndex i = 0; i < elements.size(); ++i) {
    if (elements[i].kind == ElementKind::kCpu) {
      if (++cpus > 1) {
        return Refusal{
            fmt::format("element {} is a second cpu element; these methods need exactly one",
                        quote(elements[i].name)),
            elements[i].at};
      }
      found.cpu = i;
    } else if (elements[i].kind == ElementKind::kGpu) {
      if (found.gpu != nullptr) {
        return Refusal{fmt::format("element {} is a second gpu element; these methods take one",
                                   quote(elements[i].name)),
                       elements[i].at};
      }
      found.gpu = &elements[i];
    }
  }
  if (cpus == 0)
    return Refusal{"the platform has no cpu element; these methods need exactly one", {}};
  return found;
}

/// Cuts the chain into CPU time and GPU segments (maximal runs of gpu and copy nodes).
std::optional<Refusal> add_work(const System& system, const Task& task, const Elements& elements,
                                GpuTask& out, std::vector<std::string>& notes) {
  const auto chain = chain_of(task, "these methods need a chain");
  if (const auto* refusal = std::get_if<Refusal>(&chain)) return *refusal;
  bool in_segment = false;
  for (NodeIndex index : std::get<std::vector<NodeIndex>>(chain)) {
    const Node& node = task.nodes[index];
    const auto refuse = [&](std::string_view problem) {
      return Refusal{
          fmt::format("task {}: node {} {}", quote(task.name), quote(node.name), problem), node.at};
    };
    const bool on_gpu = &system.platform.elements[node.on] == elements.gpu;
    if (!node.wcet && !on_gpu) return refuse("has no wcet; these methods need one");
    if (node.on == elements.cpu) {
      if (node.launch > Time()) return refuse("has a launch time, but is on the cpu");
      out.cpu += *node.wcet;
      in_segment = false;
      if (*node.wcet > Time()) out.ends_in_request = false;
      continue;
    }
    if (elements.gpu == nullptr) return refuse("copies to a gpu, but the platform has none");
    Time exec = node.wcet.value_or(Time());
    if (on_gpu) {
      auto whole = whole_gpu_time(system, task, node);
      if (!whole) return refuse("has no time; give `wcet`, `load` or `times`");
      exec = whole->wcet;
      if (!whole->note.empty()) notes.push_back(std::move(whole->note));
    }
    if (out.segments.empty()) out.segments.reserve(task.nodes.size() / 2 + 1);
    if (!in_segment) {
      out.segments.emplace_back();
      out.ends_in_request = true;
    }
    in_segment = true;
    out.segments.back().launch += node.launch;
    out.segments.back().exec += exec;
    out.launch += node.launch;
    out.exec += exec;
    if (node.launch + exec > Time()) out.ends_in_request = false;
  }
  return std::nullopt;
}

std::optional<Refusal> add_timing(const System& system, const Task& task, const Elements& elements,
                                  GpuTask& out) {
  const auto refuse = [&](std::string_view problem) {
    return Refusal{fmt::format("task {} {}", quote(task.name), problem), task.at};
  };
  if (!task.core) return refuse("has no core; these methods are partitioned");
  const std::int64_t cores = system.platform.elements[elements.cpu].units;
  if (*task.core > cores) {
    return refuse(fmt::format("is on core {}, but the cpu has {}", *task.core, cores));
  }
  out.core = static_cast<std::size_t>(*task.core);
  out.period = task.period;
  if (task.deadline) out.deadline = *task.deadline;
  out.best_effort = task.best_effort;
  if (task.best_effort) return std::nullopt;

  if (!task.period) return refuse("has no period; these methods need one");
  if (*task.deadline > *task.period) {
    return refuse("has a deadline beyond its period; these methods need constrained deadlines");
  }
  return std::nullopt;
}

/// CPU priorities, and GPU priorities that default to them.
std::optional<Refusal> add_priorities(const System& system, TaskSet& set) {
  auto made = priorities_of(system);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
  auto& priorities = std::get<Priorities>(made);
  const Task *with = nullptr, *without = nullptr;
  for (GpuTask& task : set.tasks) {
    const Task& source = system.tasks[task.index];
    if (task.best_effort) continue;
    task.priority = priorities.of[task.index];
    task.gpu_priority = source.gpu_priority.value_or(task.priority);
    (source.gpu_priority ? with : without) = &source;
  }
  if (priorities.note.empty()) return std::nullopt;
  if (with != nullptr && without != nullptr) {
    return Refusal{fmt::format("task {} has a gpu_priority, but the file gives no priorities to "
                               "order it among; give `priority` to all tasks",
                               quote(with->name)),
                   with->at};
  }
  set.notes.push_back(std::move(priorities.note));
  return std::nullopt;
}

/// GPU priorities are unique, and on one core follow the CPU order.
std::optional<Refusal> check_gpu_priorities(const System& system, TaskSet& set) {
  const auto refuse = [&](std::size_t a, std::size_t b, std::string_view problem) {
    return Refusal{fmt::format("tasks {} and {} {}", quote(set.tasks[a].name),
                               quote(set.tasks[b].name), problem),
                   system.tasks[set.tasks[b].index].at};
  };
  const auto level = [&](std::size_t i) { return set.tasks[i].gpu_priority; };
  std::vector<std::size_t> by_level(set.real_time);
  for (std::size_t i = 0; i < by_level.size(); ++i) by_level[i] = i;
  std::stable_sort(by_level.begin(), by_level.end(),
                   [&](std::size_t a, std::size_t b) { return level(a) > level(b); });
  for (std::size_t k = 0; k + 1 < by_level.size(); ++k) {
    const std::size_t a = by_level[k], b = by_level[k + 1];
    if (level(a) == level(b)) return refuse(a, b, "have equal GPU priorities");
    if (a > b) set.gpu_order_differs = true;
  }
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> previous_on(set.cores, kNone);
  for (std::size_t i = 0; i < set.real_time; ++i) {
    std::size_t& previous = previous_on[set.tasks[i].core];
    if (previous != kNone && level(previous) < level(i)) {
      return refuse(previous, i,
                    "share a core, but their GPU priorities invert their CPU priorities");
    }
    previous = i;
  }
  return std::nullopt;
}

/// Replaces core numbers by 0 .. cores-1, lists who is where, and counts, from the lowest priority
/// upwards, the GPU users below each task on its core.
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

std::optional<Refusal> add_overheads(const Element* gpu, Overheads needed, TaskSet& set) {
  if (!set.uses_gpu) return std::nullopt;
  const auto missing = [&](std::string_view attribute) {
    return Refusal{
        fmt::format("element {} has no {}; this method needs it", quote(gpu->name), attribute),
        gpu->at};
  };
  if (needed == Overheads::kRunlistUpdate) {
    if (!gpu->runlist_update) return missing("runlist_update");
    set.epsilon = *gpu->runlist_update;
    std::int64_t best_effort_users = 0;
    for (std::size_t k : set.gpu_users) best_effort_users += set.tasks[k].best_effort ? 1 : 0;
    set.leave =
        std::max<std::int64_t>(1, best_effort_users) * gpu->preemption_delay.value_or(Time());
  } else if (needed == Overheads::kTimeSlice) {
    if (!gpu->time_slice) return missing("time_slice");
    if (!gpu->context_switch) return missing("context_switch");
    set.slice = *gpu->time_slice;
    set.theta = *gpu->context_switch;
  }
  return std::nullopt;
}

}  // namespace

std::variant<TaskSet, Refusal> make_task_set(const System& system, Overheads needed) {
  const auto elements = find_elements(system);
  if (const auto* refusal = std::get_if<Refusal>(&elements)) return *refusal;
  const Elements& found = std::get<Elements>(elements);

  TaskSet set;
  set.tasks.reserve(system.tasks.size());
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    GpuTask task;
    task.index = i;
    task.name = system.tasks[i].name;
    if (auto refusal = add_timing(system, system.tasks[i], found, task)) return *refusal;
    if (auto refusal = add_work(system, system.tasks[i], found, task, set.notes)) return *refusal;
    set.uses_gpu = set.uses_gpu || task.uses_gpu();
    set.real_time += task.best_effort ? 0 : 1;
    set.tasks.push_back(std::move(task));
  }
  if (set.real_time == 0) return Refusal{"there is no real-time task to analyse", {}};
  if (auto refusal = add_priorities(system, set)) return *refusal;
  std::stable_sort(set.tasks.begin(), set.tasks.end(), [](const GpuTask& a, const GpuTask& b) {
    if (a.best_effort || b.best_effort) return !a.best_effort && b.best_effort;
    return a.priority > b.priority;
  });
  finish_cores(set);
  if (auto refusal = check_gpu_priorities(system, set)) return *refusal;
  if (auto refusal = add_overheads(found.gpu, needed, set)) return *refusal;
  return set;
}

}  // namespace tactus::gcaps
