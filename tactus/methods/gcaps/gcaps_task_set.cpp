#include "tactus/methods/gcaps/gcaps_task_set.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/chain.hpp"
#include "tactus/methods/cores.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/obstacles.hpp"
#include "tactus/methods/priorities.hpp"
#include "tactus/methods/reuse.hpp"
#include "tactus/methods/ways_out.hpp"
#include "tactus/model/paths.hpp"

namespace tactus::gcaps {
namespace {

bool is_worth_keeping(const System& system) {
  return system.tasks.size() <= kMostTasksToKeepMemoryFor;
}

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
        obstacles.refuse(
            elements[i],
            fmt::format("is a second gpu element; these methods take one: {}", kFileForEachGpu));
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

/// The time of a node without `wcet`; of a kernel the time with the whole GPU.
Time time_of(const System& system, const Task& task, const Node& node, TaskSet& set,
             Obstacles& obstacles) {
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

/// What one chain adds up to, until it is written to its task.
struct Sums {
  Time launch, exec, overlap, cpu_after;  // as in GpuTask
  Time cpu_before;                        ///< of all CPU segments that a GPU segment follows
  Time longest_section, longest_launch;
  Segment open = {};  ///< the segment at the end of the chain so far
  bool in_segment = false;
  bool ends_in_request = false, ends_on_gpu = false, ends_with_cpu_node = false;
};

/// Cuts the chain into CPU time and GPU segments (maximal runs of gpu and copy nodes), which go
/// behind those of the tasks before.
class Cutter {
 public:
  /// @pre `set.segments` has the memory for all of them
  Cutter(const System& system, const Elements& elements, TaskSet& set, Obstacles& obstacles)
      : system_(system),
        cpu_(elements.cpu.value_or(kNoElement)),
        gpu_(elements.gpu),
        set_(set),
        obstacles_(obstacles) {}

  void add_work(const Task& task, GpuTask& out) {
    const std::size_t first = set_.segments.size();
    Sums sums;  // a local object, so that the compiler can keep it in registers
    if (task.graph.is_listed_chain()) {
      for (const Node& node : task.nodes) add_node(task, node, sums);
    } else {
      auto chain = chain_of(task, "these methods need a chain");
      if (!chain) return obstacles_.add(chain.error());
      for (NodeIndex index : std::get<std::vector<NodeIndex>>(chain)) {
        add_node(task, task.nodes[index], sums);
      }
    }
    if (sums.in_segment) close_segment(sums);
    out.cpu = sums.cpu_before + sums.cpu_after;
    out.cpu_after = sums.cpu_after;
    out.launch = sums.launch;
    out.exec = sums.exec;
    out.overlap = sums.overlap;
    out.longest_section = sums.longest_section;
    out.longest_launch = sums.longest_launch;
    out.ends_in_request = sums.ends_in_request;
    out.ends_on_gpu = sums.ends_on_gpu;
    out.ends_with_cpu_node = sums.ends_with_cpu_node;
    out.segments = std::span<const Segment>(set_.segments).subspan(first);
  }

 private:
  [[gnu::always_inline]] void add_node(const Task& task, const Node& node, Sums& sums) {
    const Time work = node.wcet ? *node.wcet : derived_time(task, node);
    const bool takes_time = work != Time() || node.launch != Time();
    if (takes_time) sums.ends_in_request = false;
    if (node.on == cpu_) {
      if (sums.in_segment) close_segment(sums);
      if (node.launch > Time()) refuse(task, node, "has a launch time, but is on the cpu");
      sums.cpu_after += work;
      sums.ends_with_cpu_node = true;
      sums.ends_on_gpu = sums.ends_on_gpu && work == Time();
      return;
    }
    if (gpu_ == nullptr) refuse(task, node, "copies to a gpu, but the platform has none");
    if (!sums.in_segment) {
      sums.in_segment = true;
      sums.open.cpu_before = sums.cpu_after;
      sums.cpu_before += sums.cpu_after;
      sums.cpu_after = Time();
      sums.ends_in_request = !takes_time;
    }
    sums.ends_on_gpu = true;
    sums.ends_with_cpu_node = false;
    sums.open.launch += node.launch;
    sums.open.exec += work;
    ++sums.open.nodes;
    if (node.launch != Time()) sums.open.overlap += std::min(node.overlap, work);
  }

  [[gnu::always_inline]] void close_segment(Sums& sums) {
    sums.launch += sums.open.launch;
    sums.exec += sums.open.exec;
    sums.overlap += sums.open.overlap;
    sums.longest_section = std::max(sums.longest_section, sums.open.length());
    sums.longest_launch = std::max(sums.longest_launch, sums.open.launch);
    set_.segments.push_back(sums.open);
    sums.open = {};
    sums.in_segment = false;
  }

  // Rare, and out of the way.
  [[gnu::cold, gnu::noinline]] void refuse(const Task& task, const Node& node,
                                           std::string_view problem) {
    obstacles_.refuse(task, node, problem);
  }
  /// Of a node without `wcet`; of a kernel the time with the whole GPU.
  [[gnu::noinline]] Time derived_time(const Task& task, const Node& node) {
    return time_of(system_, task, node, set_, obstacles_);
  }

  static constexpr ElementIndex kNoElement = static_cast<ElementIndex>(-1);

  const System& system_;
  ElementIndex cpu_;
  const Element* gpu_;
  TaskSet& set_;
  Obstacles& obstacles_;
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
  out.jitter = task.best_effort ? Time() : task.jitter;
  if (task.best_effort) return;

  if (!task.period) obstacles.lacks(task, {"period"}, "has no period; these methods need one");
  if (task.period && out.deadline > *task.period) {
    obstacles.refuse(task,
                     fmt::format("has a deadline beyond its period; these methods need constrained "
                                 "deadlines: {}",
                                 kCutAtThePeriod));
  }
}

/// CPU priorities by task of the file: what it gives, or what is derived.
class CpuPriorities {
 public:
  explicit CpuPriorities(const System& system) : keys_(is_worth_keeping(system)) {
    bool given = true;
    keys_->resize(system.tasks.size());  // each is written below
    for (std::uint32_t i = 0; i < system.tasks.size(); ++i) {
      const Task& task = system.tasks[i];
      given = given && (task.best_effort || task.priority);
      best_effort_ = best_effort_ || task.best_effort;
      (*keys_)[i] = {task.priority.value_or(0), i, task.best_effort};
    }
    if (given) return;
    derived_ = priorities_of(system);
    for (Key& key : *keys_) {
      const bool known = !key.best_effort && !refused();
      key.priority = known ? std::get<Priorities>(*derived_).of[key.index] : 0;
    }
  }

  bool refused() const { return derived_ && std::holds_alternative<Refusal>(*derived_); }
  /// Of a real-time task. @pre !refused()
  std::int64_t of(TaskIndex i) const { return (*keys_)[i].priority; }

  /// Where each task of the file stands in the set: the real-time tasks in decreasing priority, then
  /// the others as they are.
  void find_places(std::vector<std::uint32_t>& places) const {
    places.resize(keys_->size());
    if (place_by_number(places)) return;
    std::vector<Key> sorted = *keys_;
    std::sort(sorted.begin(), sorted.end(), [](const Key& a, const Key& b) {
      if (a.best_effort != b.best_effort) return b.best_effort;
      if (!a.best_effort && a.priority != b.priority) return a.priority > b.priority;
      return a.index < b.index;
    });
    for (std::uint32_t place = 0; place < sorted.size(); ++place) {
      places[sorted[place].index] = place;
    }
  }

  /// What is wrong with them, and what was derived. GPU priorities default to these, so a task may
  /// `have` its own only where no other task lacks it, or where all CPU priorities are given.
  void report(const Task* with_gpu_priority, bool without, TaskSet& set, Obstacles& obstacles) {
    if (refused()) return obstacles.add(std::move(std::get<Refusal>(*derived_)));
    if (!derived_ || std::get<Priorities>(*derived_).note.empty()) return;
    if (with_gpu_priority != nullptr && without) {
      obstacles.refuse(*with_gpu_priority,
                       "has a gpu_priority, but the file gives no priorities to order it among; "
                       "give `priority` to all tasks");
    }
    set.notes.push_back(std::move(std::get<Priorities>(*derived_).note));
  }

 private:
  struct Key {
    std::int64_t priority;
    std::uint32_t index;
    bool best_effort;
  };

  /// Most files number their tasks 1 .. n, or nearly so: then a table by number takes the place of
  /// the sorting. False: these do not, or two are equal.
  bool place_by_number(std::vector<std::uint32_t>& places) const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = -least;
    for (const Key& key : *keys_) {
      if (key.best_effort) continue;
      least = std::min(least, key.priority);
      most = std::max(most, key.priority);
    }
    const auto range = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
    if (least > most || range > 2 * keys_->size()) return false;
    constexpr std::uint32_t kNobody = static_cast<std::uint32_t>(-1);
    const Reused<std::vector<std::uint32_t>> memory(keys_->size() <= kMostTasksToKeepMemoryFor);
    std::vector<std::uint32_t>& holders = *memory;
    holders.assign(range + 1, kNobody);
    for (const Key& key : *keys_) {
      if (key.best_effort) continue;
      std::uint32_t& holder = holders[static_cast<std::size_t>(key.priority - least)];
      if (holder != kNobody) return false;
      holder = key.index;
    }
    std::uint32_t place = 0;
    for (std::size_t number = holders.size(); number-- > 0;) {
      if (holders[number] != kNobody) places[holders[number]] = place++;
    }
    if (!best_effort_) return true;
    for (const Key& key : *keys_) {
      if (key.best_effort) places[key.index] = place++;
    }
    return true;
  }

  Reused<std::vector<Key>> keys_;
  bool best_effort_ = false;                            ///< is there a best-effort task?
  std::optional<Result<Priorities, Refusal>> derived_;  ///< where the file gives none
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

/// Replaces core numbers by 0 .. cores-1, lists who is where, and counts the GPU users below each
/// task on its core.
void finish_cores(TaskSet& set) {
  set.cores = number_cores(set.tasks);
  struct Core {
    std::uint32_t tasks = 0, gpu_users = 0;  ///< that were seen, from the most urgent task on
    std::uint32_t all_gpu_users = 0;
  };
  const Reused<std::vector<Core>> memory(set.tasks.size() <= kMostTasksToKeepMemoryFor);
  std::vector<Core>& cores = *memory;
  cores.assign(set.cores, {});
  set.core_start.assign(set.cores + 1, 0);
  for (const GpuTask& task : set.tasks) {
    ++set.core_start[task.core + 1];
    cores[task.core].all_gpu_users += task.uses_gpu() ? 1 : 0;
  }
  std::partial_sum(set.core_start.begin(), set.core_start.end(), set.core_start.begin());
  set.by_core.resize(set.tasks.size());
  for (std::size_t i = 0; i < set.tasks.size(); ++i) {
    GpuTask& task = set.tasks[i];
    Core& core = cores[task.core];
    task.place = core.tasks++;
    set.by_core[set.core_start[task.core] + task.place] = i;
    if (task.uses_gpu()) {
      set.gpu_users.push_back(i);
      ++core.gpu_users;
    }
    if (!task.best_effort) task.lower_gpu_users = core.all_gpu_users - core.gpu_users;
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
  const bool fits = !of_file.any() && !of_priorities.any() && !of_gpu_order.any();
  if (fits && needed == Overheads::kNone) return std::nullopt;
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
  copies.clear();
  followers.clear();
  notes.clear();
  real_time = cores = 0;
  epsilon = theta = slice = preemption_delay = Time();
  uses_gpu = says_waits = gpu_order_differs = false;
}

TaskSet TaskSet::with_same_segments() const {
  TaskSet same(*this);  // all of it: a member that is left out is a term that is left out
  same.segments.clear();
  return same;
}

namespace {

/// Asks the memory for what is read soon: a set that was drawn, or read, long ago is not in a cache,
/// and its nodes lie far from each other.
void fetch_soon(const System& system, std::size_t task) {
  if (task >= system.tasks.size()) return;
  for (const Node& node : system.tasks[task].nodes) __builtin_prefetch(&node);
}

/// GPU segments of all tasks, at most: each is a run of nodes between two others.
std::size_t most_segments(const System& system) {
  std::size_t most = 0;
  for (const Task& task : system.tasks) most += (task.nodes.size() + 1) / 2;
  return most;
}

}  // namespace

void make_view(const System& system, FamilyView& view) {
  view.set.clear();
  view.of_file = view.of_priorities = view.of_gpu_order = {};
  view.gpu = nullptr;
  TaskSet& set = view.set;
  Obstacles& obstacles = view.of_file;
  const std::size_t count = system.tasks.size();
  CpuPriorities priorities(system);
  const Reused<std::vector<std::uint32_t>> places(is_worth_keeping(system));
  priorities.find_places(*places);

  const Elements found = find_elements(system, obstacles);
  Cutter cutter(system, found, set, obstacles);
  set.tasks.resize(count);
  set.segments.reserve(most_segments(system));
  const Task* with_gpu_priority = nullptr;
  bool without_gpu_priority = false;
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
    set.says_waits = set.says_waits || source.wait;
    if (source.best_effort) continue;
    ++set.real_time;
    if (source.after) {
      set.followers.push_back({(*places)[i], (*places)[*source.after],
                               least_time(system.tasks[*source.after]), source.jitter});
    }
    task.priority = priorities.of(i);
    task.gpu_priority = source.gpu_priority.value_or(task.priority);
    if (source.gpu_priority) with_gpu_priority = &source;
    without_gpu_priority = without_gpu_priority || !source.gpu_priority;
  }
  set.uses_gpu = !set.segments.empty();
  if (set.real_time == 0) obstacles.refuse("there is no real-time task to analyse");
  priorities.report(with_gpu_priority, without_gpu_priority, set, obstacles);
  if (set.uses_gpu && found.gpu != nullptr) {
    view.gpu = found.gpu;
    add_overheads(*found.gpu, set);
  }
  if (obstacles.any()) return;
  finish_cores(set);
  check_gpu_priorities(system, view);
  if (set.uses_gpu) find_copies(system, set);
}

std::vector<std::optional<std::int64_t>> thresholds_of(const System& system, const GpuTask& task) {
  const Task& source = system.tasks[task.index];
  const auto chain = std::get<std::vector<NodeIndex>>(chain_of(source, {}));
  std::vector<std::optional<std::int64_t>> thresholds;
  bool in_segment = false;
  for (const NodeIndex index : chain) {
    const Node& node = source.nodes[index];
    const bool on_cpu = system.platform.elements[node.on].kind == ElementKind::kCpu;
    if (!on_cpu && !in_segment) thresholds.emplace_back();
    in_segment = !on_cpu;
    if (on_cpu || !node.gpu_threshold) continue;
    std::optional<std::int64_t>& largest = thresholds.back();
    largest = std::max(largest.value_or(*node.gpu_threshold), *node.gpu_threshold);
  }
  return thresholds;
}

}  // namespace tactus::gcaps
