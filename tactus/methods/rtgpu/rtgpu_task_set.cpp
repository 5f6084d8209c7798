#include "tactus/methods/rtgpu/rtgpu_task_set.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/chain.hpp"
#include "tactus/methods/cores.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/obstacles.hpp"
#include "tactus/methods/priorities.hpp"
#include "tactus/methods/ways_out.hpp"

namespace tactus::rtgpu {
namespace {

constexpr std::int64_t kBillionthsPerMillionth = 1'000;

/// If the file gives no `interleave`: two virtual SMs are then as fast as the one they share.
constexpr Factor kNothingGained{2'000'000'000};

/// The parts of the platform that the methods use.
struct Elements {
  std::int64_t cores = 1;        ///< one where the file describes no cpu
  std::vector<std::size_t> bus;  ///< by element: which bus it is, for copy elements
  std::size_t buses = 0;
  const Element* gpu = nullptr;  ///< the one that is used
};

Elements find_elements(const System& system, Obstacles& obstacles) {
  Elements found;
  const Element* cpu = nullptr;
  for (const Element& element : system.platform.elements) {
    found.bus.push_back(found.buses);
    if (element.kind == ElementKind::kCpu) {
      if (cpu != nullptr) obstacles.refuse(element, "is a second cpu element; rtgpu takes one");
      cpu = &element;
      found.cores = element.units;
    } else if (element.kind == ElementKind::kCopy) {
      // Nobody waits for a shared one: there each task has a bus for itself.
      if (element.sharing == CopySharing::kShared) continue;
      if (element.units != 1) {
        obstacles.refuse(element, fmt::format("has {} units; rtgpu needs copy elements of one unit",
                                              element.units));
      }
      ++found.buses;
    }
  }
  return found;
}

/// Builds the chain of one task, node by node.
class ChainBuilder {
 public:
  ChainBuilder(const System& system, const Task& task, Elements& elements, ChainTask& out,
               Obstacles& obstacles)
      : system_(system), task_(task), elements_(elements), out_(out), obstacles_(obstacles) {}

  void build() {
    auto chain = chain_of(task_, "rtgpu needs a chain");
    if (!chain) return obstacles_.add(chain.error());
    out_.order = std::move(std::get<std::vector<NodeIndex>>(chain));
    out_.chain.reserve(out_.order.size());
    for (; place_ < out_.order.size(); ++place_) add(task_.nodes[out_.order[place_]]);
    const auto& segments = out_.chain;
    if (!incomplete_ &&
        std::all_of(segments.begin(), segments.end(), [](auto& s) { return s.absent(); })) {
      obstacles_.refuse(
          fmt::format("task {}: every segment is zero; rtgpu needs some work", quote(task_.name)),
          task_.at);
    }
  }

 private:
  void refuse(const Node& node, std::string_view problem) {
    incomplete_ = true;
    obstacles_.refuse(task_, node, problem);
  }
  void lacks(const Node& node, Obstacles::Give give, std::string_view problem) {
    incomplete_ = true;
    obstacles_.lacks(task_, node, std::move(give), problem);
  }

  void add(const Node& node) {
    const Element& element = system_.platform.elements[node.on];
    if (element.kind == ElementKind::kGpu) return add_kernel(node, element);
    if (!node.wcet) return lacks(node, {"wcet"}, "has no wcet; rtgpu needs one");
    if (element.kind == ElementKind::kCpu) {
      if (node.launch > Time()) return refuse(node, "has a launch time, but is on the cpu");
      return add_cpu(*node.wcet, node.bcet);
    }
    add_launch(node);
    Segment& copy = append(Segment::Kind::kCopy);
    copy.upper = *node.wcet;
    copy.lower = node.bcet;
    copy.bus = bus_of(node, element);
  }

  std::size_t bus_of(const Node& node, const Element& element) {
    if (element.sharing != CopySharing::kShared) return elements_.bus[node.on];
    const auto [own, fresh] = own_buses_.emplace(node.on, elements_.buses);
    elements_.buses += fresh ? 1 : 0;
    return own->second;
  }

  static Kernel malleable(const Node& node) {
    Kernel kernel;
    kernel.work = *node.load;
    kernel.work_min = node.load_min;
    kernel.overhead = node.overhead;
    const std::int64_t alpha = node.interleave.value_or(kNothingGained).billionths;
    kernel.alpha = alpha / kBillionthsPerMillionth + (alpha % kBillionthsPerMillionth != 0);
    return kernel;
  }

  static Kernel rigid(const Node& node, const Element& gpu) {
    Kernel kernel;
    kernel.kind = Kernel::Kind::kRigid;
    kernel.work = *node.wcet;
    kernel.work_min = node.bcet;
    kernel.width = node.parallelism.value_or(gpu.lanes > 1 ? node.threads.value_or(1) : 1);
    return kernel;
  }

  /// No plan gives the width of a best-effort kernel, so it counts with its longest entry.
  Kernel measured(const Node& node) const {
    Kernel kernel;
    kernel.kind = Kernel::Kind::kMeasured;
    if (task_.best_effort) {
      const TimesEntry& longest = *std::max_element(
          node.times.begin(), node.times.end(),
          [](const TimesEntry& a, const TimesEntry& b) { return a.wcet < b.wcet; });
      kernel.steps.push_back({longest.units, longest.units, longest.wcet, longest.bcet});
    } else {
      for (const TimesEntry& entry : node.times) {
        const TimesEntry& used = *entry_for(node.times, entry.units);
        kernel.steps.push_back({entry.units, used.units, used.wcet, used.bcet});
      }
    }
    kernel.width = kernel.steps.front().from;
    return kernel;
  }

  void add_kernel(const Node& node, const Element& gpu) {
    if (elements_.gpu != nullptr && elements_.gpu != &gpu) {
      return refuse(node, fmt::format("is on a second gpu element, {}; rtgpu takes one: {}",
                                      quote(gpu.name), kFileForEachGpu));
    }
    elements_.gpu = &gpu;
    if (gpu.units > 1 && says_whole_time_only(gpu, node)) {  // one SM may be the whole GPU
      incomplete_ = true;
      return lacks_time_on_fewer(obstacles_, task_, node, {"times", "load", "parallelism"});
    }
    Kernel kernel;
    if (!node.times.empty()) {
      kernel = measured(node);
    } else if (node.load) {
      kernel = malleable(node);
    } else if (node.wcet) {
      kernel = rigid(node, gpu);
      if (gpu.lanes > 1 && kernel.width > gpu.lanes) {
        return refuse(node, fmt::format("is {} lanes wide, but a unit of element {} has {}",
                                        kernel.width, quote(gpu.name), gpu.lanes));
      }
      if (gpu.lanes > 1) kernel.width = 1;
    } else {
      return lacks(node, {"times", "load", "wcet"},
                   "has no time; rtgpu needs `times`, `load`, or `wcet` and `parallelism`");
    }
    add_launch(node);
    if (!kernel.absent()) out_.min_sms = std::max(out_.min_sms, kernel.width);
    append(Segment::Kind::kKernel).kernel = std::move(kernel);
  }

  /// The CPU side of a GPU node (or of a copy): a CPU piece that may take no time at all.
  void add_launch(const Node& node) {
    if (node.launch > Time()) add_cpu(node.launch, Time());
  }

  /// Adjacent CPU pieces are one segment: nothing happens between them.
  void add_cpu(Time upper, Time lower) {
    const bool merges = !out_.chain.empty() && out_.chain.back().kind == Segment::Kind::kCpu;
    Segment& segment = merges ? out_.chain.back() : append(Segment::Kind::kCpu);
    if (merges) ++segment.nodes.count;
    segment.upper += upper;
    segment.lower += lower;
  }

  Segment& append(Segment::Kind kind) {
    Segment& segment = out_.chain.emplace_back();
    segment.kind = kind;
    segment.nodes.first = place_;
    return segment;
  }

  const System& system_;
  const Task& task_;
  Elements& elements_;
  ChainTask& out_;
  Obstacles& obstacles_;
  bool incomplete_ = false;                        ///< some node could not be added
  std::uint32_t place_ = 0;                        ///< along the chain
  std::map<ElementIndex, std::size_t> own_buses_;  ///< by shared copy element
};

void add_timing(const Task& task, const Elements& elements, ChainTask& out, Obstacles& obstacles) {
  if (task.core && *task.core > elements.cores) {
    obstacles.refuse(task,
                     fmt::format("is on core {}, but the cpu has {}", *task.core, elements.cores));
  }
  out.best_effort = task.best_effort;
  if (task.best_effort) return;
  if (!task.core && elements.cores > 1) {
    obstacles.lacks(task, {"core"}, "has no core; with several cores rtgpu is partitioned");
  }
  out.core = static_cast<std::size_t>(task.core.value_or(1) - 1);
  if (!task.period) return obstacles.lacks(task, {"period"}, "has no period; rtgpu needs one");
  out.period = *task.period;
  out.deadline = *task.deadline;
  if (out.deadline > out.period) {
    obstacles.refuse(task, fmt::format("has a deadline beyond its period; rtgpu needs constrained "
                                       "deadlines: {}",
                                       kCutAtThePeriod));
  }
}

void set_priorities(const System& system, TaskSet& set, Obstacles& obstacles) {
  auto made = priorities_of(system);
  if (!made) return obstacles.add(made.error());
  auto& priorities = std::get<Priorities>(made);
  const auto real_time = std::span(set.tasks).first(set.real_time);
  for (ChainTask& task : real_time) task.priority = priorities.of[task.index];
  std::sort(real_time.begin(), real_time.end(),
            [](const auto& a, const auto& b) { return a.priority > b.priority; });
  if (!priorities.note.empty()) set.notes.push_back(std::move(priorities.note));
}

}  // namespace

std::optional<std::int64_t> ChainTask::next_count(std::int64_t sms) const {
  std::optional<std::int64_t> next;
  for (const Segment& segment : chain) {
    if (segment.kind != Segment::Kind::kKernel || segment.absent()) continue;
    if (segment.kernel.kind == Kernel::Kind::kMalleable) return sms + 1;
    for (const Kernel::Step& step : segment.kernel.steps) {
      if (step.from > sms) next = std::min(next.value_or(step.from), step.from);
    }
  }
  return next;
}

std::vector<std::int64_t> ChainTask::rises() const {
  std::vector<std::int64_t> counts;
  for (const Segment& segment : chain) {
    if (segment.kind != Segment::Kind::kKernel || segment.absent()) continue;
    const auto& steps = segment.kernel.steps;
    for (std::size_t i = 1; i < steps.size(); ++i) {
      const bool counts_here = steps[i].from > min_sms;
      if (counts_here && steps[i].shortest > steps[i - 1].shortest) counts.push_back(steps[i].from);
    }
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

bool TaskSet::lower_bounds_rise() const {
  return std::any_of(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(real_time),
                     [](const ChainTask& task) { return !task.rises().empty(); });
}

std::int64_t ChainTask::virtual_sms(std::int64_t sms) const {
  const bool interleaves = std::any_of(chain.begin(), chain.end(), [](const Segment& segment) {
    return segment.kind == Segment::Kind::kKernel && !segment.absent() &&
           segment.kernel.kind == Kernel::Kind::kMalleable;
  });
  return interleaves ? 2 * sms : sms;
}

std::vector<KernelUnits> ChainTask::kernel_units(std::int64_t sms) const {
  std::vector<KernelUnits> units;
  for (const Segment& segment : chain) {
    if (segment.kind != Segment::Kind::kKernel || segment.absent()) continue;
    units.push_back({order[segment.nodes.first], segment.kernel.units(sms)});
  }
  return units;
}

std::int64_t TaskSet::least_sms() const {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < real_time; ++k) sum += tasks[k].min_sms;
  return sum;
}

std::vector<std::vector<Time>> copy_blocking(const TaskSet& set) {
  std::vector<std::vector<Time>> blocking(set.buses, std::vector<Time>(set.real_time));
  std::vector<Time> longest(set.buses);
  for (std::size_t k = set.tasks.size(); k-- > 0;) {
    for (std::size_t bus = 0; bus < set.buses && k < set.real_time; ++bus) {
      blocking[bus][k] = longest[bus];
    }
    for (const Segment& segment : set.tasks[k].chain) {
      if (segment.kind != Segment::Kind::kCopy) continue;
      longest[segment.bus] = std::max(longest[segment.bus], segment.upper);
    }
  }
  return blocking;
}

Result<TaskSet, Refusal> make_task_set(const System& system) {
  Obstacles obstacles;
  Elements elements = find_elements(system, obstacles);
  TaskSet set;
  set.tasks.reserve(system.tasks.size());
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    ChainTask task;
    task.index = i;
    task.name = system.tasks[i].name;
    add_timing(system.tasks[i], elements, task, obstacles);
    ChainBuilder(system, system.tasks[i], elements, task, obstacles).build();
    set.real_time += task.best_effort ? 0 : 1;
    set.tasks.push_back(std::move(task));
  }
  if (set.real_time == 0) obstacles.refuse("there is no real-time task to analyse");
  if (set.real_time < set.tasks.size()) {
    std::stable_partition(set.tasks.begin(), set.tasks.end(),
                          [](const ChainTask& task) { return !task.best_effort; });
  }
  set_priorities(system, set, obstacles);
  if (obstacles.any()) return std::move(obstacles).refusal();
  set.cores = number_cores(std::span(set.tasks).first(set.real_time));
  set.buses = elements.buses;
  set.sms = elements.gpu == nullptr ? 0 : elements.gpu->units;
  return set;
}

}  // namespace tactus::rtgpu
