#include "tactus/methods/rtgpu/task_set.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/chain.hpp"
#include "tactus/methods/cores.hpp"
#include "tactus/methods/priorities.hpp"
#include "tactus/model/diagnostic.hpp"

namespace tactus::rtgpu {
namespace {

constexpr std::int64_t kBillionthsPerMillionth = 1'000;

/// The parts of the platform that the methods use.
struct Elements {
  std::int64_t cores = 1;        ///< one where the file describes no cpu
  std::vector<std::size_t> bus;  ///< by element: which bus it is, for copy elements
  std::size_t buses = 0;
  const Element* gpu = nullptr;  ///< the one that is used
};

std::optional<Refusal> find_elements(const System& system, Elements& found) {
  const Element* cpu = nullptr;
  const auto refuse = [](const Element& element, std::string_view problem) {
    return Refusal{fmt::format("element {} {}", quote(element.name), problem), element.at};
  };
  for (const Element& element : system.platform.elements) {
    found.bus.push_back(found.buses);
    if (element.kind == ElementKind::kCpu) {
      if (cpu != nullptr) return refuse(element, "is a second cpu element; rtgpu takes one");
      cpu = &element;
      found.cores = element.units;
    } else if (element.kind == ElementKind::kCopy) {
      if (element.units != 1) {
        return refuse(element, fmt::format("has {} units; rtgpu needs copy elements of one unit",
                                           element.units));
      }
      ++found.buses;
    }
  }
  return std::nullopt;
}

/// Builds the chain of one task, node by node.
class ChainBuilder {
 public:
  ChainBuilder(const System& system, const Task& task, Elements& elements, ChainTask& out)
      : system_(system), task_(task), elements_(elements), out_(out) {}

  std::optional<Refusal> build() {
    auto chain = chain_of(task_, "rtgpu needs a chain");
    if (const auto* refusal = std::get_if<Refusal>(&chain)) return *refusal;
    out_.order = std::move(std::get<std::vector<NodeIndex>>(chain));
    out_.chain.reserve(out_.order.size());
    for (; place_ < out_.order.size(); ++place_) {
      if (auto refusal = add(task_.nodes[out_.order[place_]])) return refusal;
    }
    const auto& segments = out_.chain;
    if (std::all_of(segments.begin(), segments.end(), [](auto& s) { return s.absent(); })) {
      return Refusal{
          fmt::format("task {}: every segment is zero; rtgpu needs some work", quote(task_.name)),
          task_.at};
    }
    return std::nullopt;
  }

 private:
  Refusal refuse(const Node& node, std::string_view problem) const {
    return {fmt::format("task {}: node {} {}", quote(task_.name), quote(node.name), problem),
            node.at};
  }

  std::optional<Refusal> add(const Node& node) {
    const Element& element = system_.platform.elements[node.on];
    if (element.kind == ElementKind::kGpu) return add_kernel(node, element);
    if (!node.wcet) return refuse(node, "has no wcet; rtgpu needs one");
    if (element.kind == ElementKind::kCpu) {
      if (node.launch > Time()) return refuse(node, "has a launch time, but is on the cpu");
      add_cpu(*node.wcet, node.bcet);
      return std::nullopt;
    }
    add_launch(node);
    Segment& copy = append(Segment::Kind::kCopy);
    copy.upper = *node.wcet;
    copy.lower = node.bcet;
    copy.bus = elements_.bus[node.on];
    return std::nullopt;
  }

  std::optional<Refusal> add_kernel(const Node& node, const Element& gpu) {
    if (elements_.gpu != nullptr && elements_.gpu != &gpu) {
      return refuse(
          node, fmt::format("is on a second gpu element, {}; rtgpu takes one", quote(gpu.name)));
    }
    elements_.gpu = &gpu;
    Kernel kernel;
    if (node.load) {
      kernel.work = *node.load;
      kernel.work_min = node.load_min;
      kernel.overhead = node.overhead;
      const std::int64_t alpha = node.interleave.value_or(Factor{}).billionths;
      kernel.alpha = alpha / kBillionthsPerMillionth + (alpha % kBillionthsPerMillionth != 0);
    } else if (node.wcet) {
      kernel.rigid = true;
      kernel.work = *node.wcet;
      kernel.work_min = node.bcet;
      kernel.width = node.parallelism.value_or(1);
      if (gpu.lanes > 1) {
        if (kernel.width > gpu.lanes) {
          return refuse(node, fmt::format("is {} lanes wide, but a unit of element {} has {}",
                                          kernel.width, quote(gpu.name), gpu.lanes));
        }
        kernel.width = 1;
      }
    } else {
      return refuse(node, "has neither load nor wcet; rtgpu needs one of them");
    }
    add_launch(node);
    append(Segment::Kind::kKernel).kernel = kernel;
    if (kernel.work > Time()) out_.min_sms = std::max(out_.min_sms, kernel.width);
    return std::nullopt;
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
  std::uint32_t place_ = 0;  ///< along the chain
};

std::optional<Refusal> add_timing(const Task& task, const Elements& elements, ChainTask& out) {
  const auto refuse = [&](std::string_view problem) {
    return Refusal{fmt::format("task {} {}", quote(task.name), problem), task.at};
  };
  if (task.core && *task.core > elements.cores) {
    return refuse(fmt::format("is on core {}, but the cpu has {}", *task.core, elements.cores));
  }
  out.best_effort = task.best_effort;
  if (task.best_effort) return std::nullopt;
  if (!task.core && elements.cores > 1) {
    return refuse("has no core; with several cores rtgpu is partitioned");
  }
  out.core = static_cast<std::size_t>(task.core.value_or(1) - 1);
  if (!task.period) return refuse("has no period; rtgpu needs one");
  out.period = *task.period;
  out.deadline = *task.deadline;
  if (out.deadline > out.period) {
    return refuse("has a deadline beyond its period; rtgpu needs constrained deadlines");
  }
  return std::nullopt;
}

std::optional<Refusal> set_priorities(const System& system, TaskSet& set) {
  auto made = priorities_of(system);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
  auto& priorities = std::get<Priorities>(made);
  const auto real_time = std::span(set.tasks).first(set.real_time);
  for (ChainTask& task : real_time) task.priority = priorities.of[task.index];
  std::sort(real_time.begin(), real_time.end(),
            [](const auto& a, const auto& b) { return a.priority > b.priority; });
  if (!priorities.note.empty()) set.notes.push_back(std::move(priorities.note));
  return std::nullopt;
}

}  // namespace

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

std::variant<TaskSet, Refusal> make_task_set(const System& system) {
  Elements elements;
  if (auto refusal = find_elements(system, elements)) return *refusal;

  TaskSet set;
  set.tasks.reserve(system.tasks.size());
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    ChainTask task;
    task.index = i;
    task.name = system.tasks[i].name;
    if (auto refusal = add_timing(system.tasks[i], elements, task)) return *refusal;
    if (auto refusal = ChainBuilder(system, system.tasks[i], elements, task).build()) {
      return *refusal;
    }
    set.real_time += task.best_effort ? 0 : 1;
    set.tasks.push_back(std::move(task));
  }
  if (set.real_time == 0) return Refusal{"there is no real-time task to analyse", {}};
  std::stable_partition(set.tasks.begin(), set.tasks.end(),
                        [](const ChainTask& task) { return !task.best_effort; });
  if (auto refusal = set_priorities(system, set)) return *refusal;
  set.cores = number_cores(std::span(set.tasks).first(set.real_time));
  set.buses = elements.buses;
  set.sms = elements.gpu == nullptr ? 0 : elements.gpu->units;
  return set;
}

}  // namespace tactus::rtgpu
