#include "tactus/methods/gcaps/task_set.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tactus/methods/chain.hpp"
#include "tactus/methods/cores.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/obstacles.hpp"
#include "tactus/methods/priorities.hpp"
#include "tactus/methods/reuse.hpp"
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
  if (node.wcet) return *node.wcet;
  if (system.platform.elements[node.on].kind != ElementKind::kGpu) {
    obstacles.lacks(task, node, {"wcet"}, "has no wcet; these methods need one");
    return Time();
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

/// Cuts the chain into CPU time and GPU segments (maximal runs of gpu and copy nodes), which go
/// behind those of the tasks before.
class Cutter {
 public:
  Cutter(const System& system, const Elements& elements, TaskSet& set, Obstacles& obstacles)
      : system_(system), elements_(elements), set_(set), obstacles_(obstacles) {}

  void add_work(const Task& task, GpuTask& out) {
    in_segment_ = false;
    if (task.graph.is_listed_chain()) {
      for (const Node& node : task.nodes) add_node(task, node, out);
      return;
    }
    auto chain = chain_of(task, "these methods need a chain");
    if (auto* refusal = std::get_if<Refusal>(&chain)) return obstacles_.add(std::move(*refusal));
    for (NodeIndex index : std::get<std::vector<NodeIndex>>(chain)) {
      add_node(task, task.nodes[index], out);
    }
  }

 private:
  void add_node(const Task& task, const Node& node, GpuTask& out) {
    const Time work = time_of(system_, task, node, set_, obstacles_);
    if (work + node.launch > Time()) out.ends_in_request = false;
    if (node.on == elements_.cpu) {
      if (node.launch > Time()) {
        obstacles_.refuse(task, node, "has a launch time, but is on the cpu");
      }
      out.cpu += work;
      out.cpu_after += work;
      out.ends_with_cpu_node = true;
      out.ends_on_gpu = out.ends_on_gpu && work == Time();
      in_segment_ = false;
      return;
    }
    if (elements_.gpu == nullptr) {
      obstacles_.refuse(task, node, "copies to a gpu, but the platform has none");
    }
    if (!in_segment_) {
      set_.segments.emplace_back().cpu_before = out.cpu_after;
      out.cpu_after = Time();
      out.ends_in_request = work + node.launch == Time();
    }
    in_segment_ = out.ends_on_gpu = true;
    out.ends_with_cpu_node = false;
    Segment& segment = set_.segments.back();
    segment.launch += node.launch;
    segment.exec += work;
    if (node.gpu_threshold) {
      segment.threshold =
          std::max(segment.threshold.value_or(*node.gpu_threshold), *node.gpu_threshold);
    }
    out.launch += node.launch;
    out.exec += work;
  }

  const System& system_;
  const Elements& elements_;
  TaskSet& set_;
  Obstacles& obstacles_;
  bool in_segment_ = false;
};

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

/// CPU priorities by task of the file: what it gives, or what is derived.
class CpuPriorities {
 public:
  explicit CpuPriorities(const System& system) : system_(system) {
    const bool given = std::all_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
      return task.best_effort || task.priority;
    });
    if (!given) derived_ = priorities_of(system);
  }

  bool refused() const { return derived_ && std::holds_alternative<Refusal>(*derived_); }
  /// Of a real-time task. @pre !refused()
  std::int64_t of(TaskIndex i) const {
    return derived_ ? std::get<Priorities>(*derived_).of[i] : *system_.tasks[i].priority;
  }
  /// Into the tasks, and GPU priorities that default to them.
  void write(TaskSet& set, Obstacles& obstacles) {
    if (refused()) return obstacles.add(std::move(std::get<Refusal>(*derived_)));
    const Task *with = nullptr, *without = nullptr;
    for (GpuTask& task : set.tasks) {
      const Task& source = system_.tasks[task.index];
      if (task.best_effort) continue;
      task.priority = of(task.index);
      task.gpu_priority = source.gpu_priority.value_or(task.priority);
      (source.gpu_priority ? with : without) = &source;
    }
    if (!derived_ || std::get<Priorities>(*derived_).note.empty()) return;
    if (with != nullptr && without != nullptr) {
      obstacles.refuse(*with,
                       "has a gpu_priority, but the file gives no priorities to order it among; "
                       "give `priority` to all tasks");
    }
    set.notes.push_back(std::move(std::get<Priorities>(*derived_).note));
  }

 private:
  const System& system_;
  std::optional<std::variant<Priorities, Refusal>> derived_;  ///< where the file gives none
};

/// GPU priorities are unique, and on one core follow the CPU order.
void check_gpu_priorities(const System& system, FamilyView& view) {
  TaskSet& set = view.set;
  const auto level = [&](std::size_t i) { return set.tasks[i].gpu_priority; };
  bool as_on_cpu = true;  // nearly always, and then there is nothing to find
  for (std::size_t i = 1; i < set.real_time; ++i) as_on_cpu &= level(i - 1) > level(i);
  if (as_on_cpu) return;
  const auto refuse = [&](Obstacles& obstacles, std::size_t a, std::size_t b,
                          std::string_view problem) {
    obstacles.refuse(fmt::format("tasks {} and {} {}", quote(set.tasks[a].name),
                                 quote(set.tasks[b].name), problem),
                     system.tasks[set.tasks[b].index].at);
  };
  std::vector<std::size_t> by_level(set.real_time);
  std::iota(by_level.begin(), by_level.end(), 0);
  std::stable_sort(by_level.begin(), by_level.end(),
                   [&](std::size_t a, std::size_t b) { return level(a) > level(b); });
  for (std::size_t k = 0; k + 1 < by_level.size(); ++k) {
    const std::size_t a = by_level[k], b = by_level[k + 1];
    if (level(a) == level(b)) refuse(view.of_priorities, a, b, "have equal GPU priorities");
    if (a > b) set.gpu_order_differs = true;
  }
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> previous_on(set.cores, kNone);
  for (std::size_t i = 0; i < set.real_time; ++i) {
    std::size_t& previous = previous_on[set.tasks[i].core];
    if (previous != kNone && level(previous) < level(i)) {
      refuse(view.of_gpu_order, previous, i,
             "share a core, but their GPU priorities invert their CPU priorities");
    }
    previous = i;
  }
}

/// Where each task of the file stands in the set: the real-time tasks in decreasing priority, then
/// the others as they are.
void find_places(const System& system, const CpuPriorities& priorities,
                 std::vector<std::uint32_t>& places) {
  struct Key {
    std::int64_t priority;
    std::uint32_t index;
    bool best_effort;
  };
  const auto before = [](const Key& a, const Key& b) {
    if (a.best_effort != b.best_effort) return b.best_effort;
    if (!a.best_effort && a.priority != b.priority) return a.priority > b.priority;
    return a.index < b.index;
  };
  const auto count = static_cast<TaskIndex>(system.tasks.size());
  const Reused<std::vector<Key>> keys(count <= kMostTasksToKeepMemoryFor);
  keys->clear();
  for (TaskIndex i = 0; i < count; ++i) {
    const bool best_effort = system.tasks[i].best_effort;
    const bool known = !best_effort && !priorities.refused();
    keys->push_back({known ? priorities.of(i) : 0, i, best_effort});
  }
  std::sort(keys->begin(), keys->end(), before);
  places.resize(count);
  for (std::uint32_t place = 0; place < count; ++place) places[(*keys)[place].index] = place;
}

/// Replaces core numbers by 0 .. cores-1, lists who is where, and counts, from the lowest priority
/// upwards, the GPU users below each task on its core.
void finish_cores(TaskSet& set) {
  set.cores = number_cores(set.tasks);
  set.core_start.assign(set.cores + 1, 0);
  for (const GpuTask& task : set.tasks) ++set.core_start[task.core + 1];
  std::partial_sum(set.core_start.begin(), set.core_start.end(), set.core_start.begin());
  set.by_core.resize(set.tasks.size());
  const Reused<std::vector<std::size_t>> memory(set.tasks.size() <= kMostTasksToKeepMemoryFor);
  std::vector<std::size_t>& here = *memory;
  here.assign(set.cores, 0);
  for (std::size_t i = 0; i < set.tasks.size(); ++i) {
    GpuTask& task = set.tasks[i];
    task.place = here[task.core]++;
    set.by_core[set.core_start[task.core] + task.place] = i;
    if (task.uses_gpu()) set.gpu_users.push_back(i);
  }
  std::fill(here.begin(), here.end(), 0);
  for (std::size_t i = set.tasks.size(); i-- > 0;) {
    GpuTask& task = set.tasks[i];
    if (!task.best_effort) task.lower_gpu_users = static_cast<std::int64_t>(here[task.core]);
    here[task.core] += task.uses_gpu() ? 1 : 0;
  }
}

void add_overheads(const Element& gpu, TaskSet& set) {
  set.epsilon = gpu.runlist_update.value_or(Time());
  set.preemption_delay = gpu.preemption_delay.value_or(Time());
  set.slice = gpu.time_slice.value_or(Time());
  set.theta = gpu.context_switch.value_or(Time());
}

}  // namespace

Time TaskSet::leave() const {
  const auto users = std::count_if(tasks.begin(), tasks.end(), [](const GpuTask& task) {
    return task.best_effort && task.uses_gpu();
  });
  return std::max<std::int64_t>(1, users) * preemption_delay;
}

namespace {

/// What one operation of the arbiter costs: measured, or derived from `runlist_update`.
void needs_operations(const Element& gpu, Obstacles& obstacles) {
  if (gpu.runlist_update || (gpu.preempt_cost && gpu.resume_cost)) return;
  Obstacles::Give give = {"runlist_update"};
  if (gpu.resume_cost) give.push_back("preempt_cost");
  if (gpu.preempt_cost) give.push_back("resume_cost");
  obstacles.lacks(gpu, std::move(give),
                  "has neither runlist_update nor both preempt_cost and resume_cost; this method "
                  "needs them");
}

}  // namespace

std::optional<Refusal> FamilyView::refusal(Overheads needed) const {
  const auto needs = [&](const std::optional<Time>& value, std::string_view attribute,
                         Obstacles& obstacles) {
    if (value) return;
    obstacles.lacks(*gpu, {attribute}, fmt::format("has no {}; this method needs it", attribute));
  };
  Obstacles obstacles = of_file;
  if (gpu != nullptr && needed == Overheads::kRunlistUpdate) {
    needs(gpu->runlist_update, "runlist_update", obstacles);
  } else if (gpu != nullptr && needed == Overheads::kTimeSlice) {
    needs(gpu->time_slice, "time_slice", obstacles);
    needs(gpu->context_switch, "context_switch", obstacles);
  } else if (gpu != nullptr && needed == Overheads::kOperations) {
    needs_operations(*gpu, obstacles);
  }
  if (!obstacles.any()) {
    obstacles = of_priorities;
    const bool keeps_order = needed != Overheads::kOperations && of_gpu_order.any();
    if (keeps_order) obstacles.add(Obstacles(of_gpu_order).refusal());
  }
  if (!obstacles.any()) return std::nullopt;
  return std::move(obstacles).refusal();
}

void TaskSet::clear() {
  tasks.clear();
  segments.clear();
  by_core.clear();
  core_start.clear();
  gpu_users.clear();
  notes.clear();
  real_time = cores = 0;
  epsilon = theta = slice = preemption_delay = Time();
  uses_gpu = says_waits = gpu_order_differs = false;
}

namespace {

/// Asks the memory for what is read soon: a set that was drawn, or read, long ago is not in a cache,
/// and its nodes lie far from each other.
void fetch_soon(const System& system, std::size_t task) {
  if (task >= system.tasks.size()) return;
  for (const Node& node : system.tasks[task].nodes) __builtin_prefetch(&node);
}

}  // namespace

void make_view(const System& system, FamilyView& view) {
  view.set.clear();
  view.of_file = view.of_priorities = view.of_gpu_order = {};
  view.gpu = nullptr;
  TaskSet& set = view.set;
  Obstacles& obstacles = view.of_file;
  const std::size_t count = system.tasks.size();
  const bool keep = count <= kMostTasksToKeepMemoryFor;
  CpuPriorities priorities(system);
  const Reused<std::vector<std::uint32_t>> places(keep), segments_before(keep);
  find_places(system, priorities, *places);

  const Elements found = find_elements(system, obstacles);
  Cutter cutter(system, found, set, obstacles);
  set.tasks.resize(count);
  segments_before->assign(1, 0);
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < kAhead; ++i) fetch_soon(system, i);
  for (TaskIndex i = 0; i < count; ++i) {
    fetch_soon(system, i + kAhead);
    const Task& source = system.tasks[i];
    GpuTask& task = set.tasks[(*places)[i]];
    task.index = i;
    task.name = source.name;
    task.file_place = set.real_time;
    add_timing(system, source, found, task, obstacles);
    cutter.add_work(source, task);
    segments_before->push_back(static_cast<std::uint32_t>(set.segments.size()));
    set.real_time += task.best_effort ? 0 : 1;
    set.says_waits = set.says_waits || source.wait;
  }
  set.uses_gpu = !set.segments.empty();
  if (set.real_time == 0) obstacles.refuse("there is no real-time task to analyse");
  priorities.write(set, obstacles);
  if (set.uses_gpu && found.gpu != nullptr) {
    view.gpu = found.gpu;
    add_overheads(*found.gpu, set);
  }
  if (obstacles.any()) return;
  for (GpuTask& task : set.tasks) {
    const std::size_t first = (*segments_before)[task.index];
    task.segments =
        std::span(set.segments).subspan(first, (*segments_before)[task.index + 1] - first);
  }
  finish_cores(set);
  check_gpu_priorities(system, view);
}

}  // namespace tactus::gcaps
