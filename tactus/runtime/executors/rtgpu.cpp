#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tactus/methods/rtgpu/rtgpu_task_set.hpp"
#include "tactus/runtime/executors/executors.hpp"
#include "tactus/runtime/executors/loop.hpp"
#include "tactus/runtime/executors/partitions.hpp"
#include "tactus/runtime/executors/replays.hpp"

namespace tactus::runtime {
namespace {

using rtgpu::AllocationPlan;
using rtgpu::ChainTask;
using rtgpu::Interleaving;
using rtgpu::Segment;

/// A step is a segment of a chain. No other task uses the SMs of a kernel; the machine schedules
/// the cores; an engine, or the accelerator, serves one task at a time, the most urgent first.
class RtgpuExecutor final : public Executor {
 public:
  RtgpuExecutor(const System& system, rtgpu::TaskSet set, const AllocationPlan& plan,
                Holding holding, const RunOptions& options)
      : system_(system),
        set_(std::move(set)),
        plan_(plan),
        holding_(holding),
        options_(options),
        mode_(plan.interleaved ? Interleaving::kSelf : Interleaving::kNone),
        best_effort_(system, options),
        rank_of_(system.tasks.size(), kNoRank),
        steps_(system.tasks.size()),
        piece_(system.tasks.size()),
        holder_(std::max<std::size_t>(set_.buses, 1)) {
    for (std::size_t rank = 0; rank < set_.real_time; ++rank) {
      rank_of_[set_.tasks[rank].index] = rank;
    }
  }

  std::optional<Error> prepare(Device& device, trace::Observed& observed) override {
    filling_ = Filling(options_, device.capabilities());
    if (std::ssize(plan_.entries) != static_cast<std::ptrdiff_t>(set_.real_time)) {
      return Error{"the plan does not name every real-time task"};
    }
    if (static_cast<std::int64_t>(set_.cores) > device.capabilities().cores) {
      return Error{fmt::format("the file has {} cores; the {} can pin work to {}", set_.cores,
                               device.capabilities().name, device.capabilities().cores)};
    }
    if (auto problem = hand_out(device, observed)) return problem;
    for (std::size_t rank = 0; rank < set_.real_time; ++rank) {
      add_task(rank, observed);
      if (auto problem = prepare_graphs(rank, device, observed)) return problem;
    }
    left_.first_core = static_cast<std::int64_t>(set_.cores);
    left_.first_engine = static_cast<std::int64_t>(set_.buses);
    if (shares_copies() && left_.first_engine > device.capabilities().copy_engines) {
      observed.notes.push_back(fmt::format(
          "the {} copies on {} engines, and on each of them one after the other: the bounds, which "
          "have copies side by side, do not cover that",
          device.capabilities().name, device.capabilities().copy_engines));
    }
    return best_effort_.prepare(left_, device, observed);
  }

  const Graph& steps(TaskIndex task) const override {
    return best_effort_.runs(task) ? best_effort_.steps(task) : steps_[task];
  }
  std::span<const std::uint32_t> pieces(StepId step) const override {
    if (best_effort_.runs(step.task)) return best_effort_.pieces(step);
    return {&piece_[step.task][step.step], 1};
  }

  std::int64_t callback_core(StepId step) const override {
    if (best_effort_.runs(step.task)) return best_effort_.callback_core();
    return static_cast<std::int64_t>(chain(step.task).core);
  }

  void start_ready(Loop& loop) override {
    std::vector<StepId> ready = loop.ready();
    std::stable_sort(ready.begin(), ready.end(),
                     [&](StepId a, StepId b) { return rank_of_[a.task] < rank_of_[b.task]; });
    for (const StepId step : ready) {
      if (best_effort_.runs(step.task)) {
        best_effort_.start(loop, step);
      } else {
        start(loop, step);
      }
    }
  }

  void finished(StepId step, const Completion&, trace::Observed&) override {
    if (best_effort_.runs(step.task)) return;
    const auto held = held_by(segment_of(step));
    if (held && !goes_on(step)) holder_[*held].reset();
  }

 private:
  static constexpr std::size_t kNoRank = static_cast<std::size_t>(-1);
  struct Place {
    PartitionId partition = kWholeGpu;
    std::int64_t first = 0;
    std::int64_t sms = 0;  ///< of a partition of its own
  };

  bool shares_copies() const {
    const auto& elements = system_.platform.elements;
    return std::any_of(elements.begin(), elements.end(), [](const Element& element) {
      return element.sharing == CopySharing::kShared;
    });
  }
  const ChainTask& chain(TaskIndex task) const { return set_.tasks[rank_of_[task]]; }
  const Segment& segment_of(StepId step) const {
    return chain(step.task).chain[present_[rank_of_[step.task]][step.step]];
  }
  NodeIndex node_of(const ChainTask& task, const Segment& segment) const {
    return task.order[segment.nodes.first];
  }

  /// What a segment must have alone while it runs, if anything.
  std::optional<std::size_t> held_by(const Segment& segment) const {
    if (segment.kind == Segment::Kind::kCpu) return std::nullopt;
    if (holding_ == Holding::kAccelerator) return 0;
    if (segment.kind == Segment::Kind::kCopy) return segment.bus;
    return std::nullopt;
  }
  /// The accelerator stays with the task until it comes to the CPU again.
  bool goes_on(StepId step) const {
    const auto& present = present_[rank_of_[step.task]];
    return holding_ == Holding::kAccelerator && step.step + 1 < present.size() &&
           held_by(chain(step.task).chain[present[step.step + 1]]).has_value();
  }

  /// SMs as partitions where they fit, else side by side on the whole GPU. Either way the blocks
  /// are pinned to as many SMs as planned: with more, a task would come back sooner and could make
  /// a less urgent one miss.
  std::optional<Error> hand_out(Device& device, trace::Observed& observed) {
    place_.resize(set_.real_time);
    std::vector<std::int64_t> sms;
    std::vector<std::size_t> owner;
    std::int64_t total = 0;
    for (std::size_t rank = 0; rank < set_.real_time; ++rank) {
      const std::int64_t count = plan_.entries[rank].sms;
      place_[rank].first = total;
      total += count;
      if (count == 0) continue;
      sms.push_back(count);
      owner.push_back(rank);
    }
    if (auto problem = refuse_beyond(device.capabilities(), total)) return problem;
    const std::int64_t left = best_effort_.sms_beside(sms, device.capabilities());
    if (left > 0) sms.push_back(left);
    if (sms.empty()) return std::nullopt;
    const auto partitions = device.partition(sms);
    if (left > 0) {
      sms.pop_back();
      if (partitions) left_.sms = partitions->back();
    }
    if (sms.empty()) return std::nullopt;
    for (std::size_t i = 0; i < sms.size(); ++i) {
      if (partitions) place_[owner[i]] = {(*partitions)[i].id, 0, (*partitions)[i].got};
      observed.shares.push_back({set_.tasks[owner[i]].index, gpu_of(owner[i]), sms[i], sms[i]});
    }
    observed.notes.push_back(partitions
                                 ? "kernels are pinned to SMs inside partitions of their own"
                                 : fmt::format("kernels are pinned to SMs of the whole GPU: {}",
                                               partitions.error().message));
    return std::nullopt;
  }

  ElementIndex gpu_of(std::size_t rank) const {
    const ChainTask& task = set_.tasks[rank];
    for (const Segment& segment : task.chain) {
      if (segment.kind == Segment::Kind::kKernel) {
        return system_.tasks[task.index].nodes[node_of(task, segment)].on;
      }
    }
    return 0;
  }

  void add_task(std::size_t rank, trace::Observed& observed) {
    const ChainTask& task = set_.tasks[rank];
    auto& present = present_.emplace_back();
    for (std::uint32_t i = 0; i < task.chain.size(); ++i) {
      const Segment& segment = task.chain[i];
      if (segment.absent()) continue;
      if (segment.kind == Segment::Kind::kKernel &&
          segment.kernel.longest(plan_.entries[rank].sms, mode_) == Time()) {
        continue;  // measured so, on as many SMs: never requested
      }
      present.push_back(i);
      piece_[task.index].push_back(static_cast<std::uint32_t>(observed.nodes.size()));
      observed.nodes.push_back(piece_for(rank, i));
    }
    steps_[task.index] = Graph::chain(static_cast<NodeIndex>(present.size()));
    // A bound holds only if every more urgent task meets its deadline.
    all_proved_ = all_proved_ && plan_.entries[rank].bound.has_value();
    if (all_proved_) observed.tasks[task.index].bound = plan_.entries[rank].bound;
  }

  bool runs_graph(StepId step) const {
    return std::find(graphs_.begin(), graphs_.end(), step) != graphs_.end();
  }

  Replay replay_of(std::size_t rank, NodeIndex node, const rtgpu::Kernel& source) const {
    return {.task = set_.tasks[rank].index,
            .node = node,
            .partition = place_[rank].partition,
            .least = source.shortest(plan_.entries[rank].sms, mode_),
            .longest = source.longest(plan_.entries[rank].sms, mode_)};
  }

  std::optional<Error> prepare_graphs(std::size_t rank, Device& device, trace::Observed& observed) {
    const ChainTask& task = set_.tasks[rank];
    for (std::uint32_t step = 0; step < present_[rank].size(); ++step) {
      const Segment& segment = task.chain[present_[rank][step]];
      const NodeIndex node = node_of(task, segment);
      if (segment.kind != Segment::Kind::kKernel || !device.runs_graph(task.index, node)) continue;
      if (const std::string why = why_not_a_graph(rank, node, segment.kernel); !why.empty()) {
        return refuse_graph(system_, task.index, node, why);
      }
      if (auto problem =
              prepare_replay(device, system_, replay_of(rank, node, segment.kernel), observed)) {
        return problem;
      }
      graphs_.push_back({task.index, step});
    }
    return std::nullopt;
  }

  /// A graph has all SMs of its partition. On more than its time is known for, it could end sooner
  /// than the analysis assumes, and a less urgent task could miss its deadline.
  std::string why_not_a_graph(std::size_t rank, NodeIndex node, const rtgpu::Kernel& kernel) const {
    if (kernel.kind == rtgpu::Kernel::Kind::kMalleable) {
      return "whose time is known only where it was measured: it needs `times`, not `load`";
    }
    if (place_[rank].partition == kWholeGpu) {
      return "which needs a partition of its own, but the shares of the plan do not fit";
    }
    const std::int64_t units = units_of(rank, node);
    if (place_[rank].sms == units || kernel.shortest(plan_.entries[rank].sms, mode_) == Time()) {
      return {};
    }
    return fmt::format(
        "whose least time is known on {} SMs, but its partition has {}: without `bcet`, more SMs "
        "are "
        "safe",
        units, place_[rank].sms);
  }

  trace::ObservedNode piece_for(std::size_t rank, std::uint32_t place) const {
    const ChainTask& task = set_.tasks[rank];
    const Segment& segment = task.chain[place];
    const Task& source = system_.tasks[task.index];
    trace::ObservedNode piece;
    piece.task = task.index;
    piece.node = node_of(task, segment);
    piece.element = source.nodes[piece.node].on;
    piece.label = source.nodes[piece.node].name;
    piece.waits = true;
    const bool on_cpu = segment.kind == Segment::Kind::kCpu;
    if (on_cpu && system_.platform.elements[piece.element].kind != ElementKind::kCpu) {
      piece.label += " (launch)";
      for (ElementIndex e = 0; e < system_.platform.elements.size(); ++e) {
        if (system_.platform.elements[e].kind == ElementKind::kCpu) piece.element = e;
      }
    }
    if (segment.kind == Segment::Kind::kKernel) piece.asked = units_of(rank, piece.node);
    piece.bound = bound_of(rank, segment);
    return piece;
  }

  /// On how many SMs of its task a kernel runs.
  std::int64_t units_of(std::size_t rank, NodeIndex node) const {
    const auto& units = plan_.entries[rank].units;
    return std::find_if(units.begin(), units.end(),
                        [&](const rtgpu::KernelUnits& kernel) { return kernel.node == node; })
        ->units;
  }

  /// What the plan says of a segment, by its kind and first node.
  std::optional<Time> bound_of(std::size_t rank, const Segment& segment) const {
    static constexpr std::string_view kKinds[] = {"cpu", "copy", "gpu"};
    for (const rtgpu::SegmentBound& bound : plan_.entries[rank].segments) {
      if (bound.kind == kKinds[static_cast<std::size_t>(segment.kind)] &&
          bound.nodes.first == segment.nodes.first) {
        return bound.bound;
      }
    }
    return std::nullopt;
  }

  void start(Loop& loop, StepId step) {
    const std::size_t rank = rank_of_[step.task];
    const Segment& segment = segment_of(step);
    const NodeIndex node = node_of(chain(step.task), segment);
    if (const auto held = held_by(segment)) {
      if (holder_[*held].value_or(step.task) != step.task) return;
      holder_[*held] = step.task;
    }
    switch (segment.kind) {
      case Segment::Kind::kCpu:
        loop.run(step, CpuWork{step.task, node, static_cast<std::int64_t>(chain(step.task).core),
                               -static_cast<std::int64_t>(rank), filling_.alone(segment.upper),
                               segment.lower, segment.upper});
        break;
      case Segment::Kind::kCopy:
        loop.copy(step,
                  Copy{step.task, node, static_cast<std::int64_t>(segment.bus), direction_of(step),
                       filling_.alone(segment.upper), segment.lower, segment.upper});
        break;
      case Segment::Kind::kKernel:
        if (runs_graph(step)) {
          loop.launch(step, replay_of(rank, node, segment.kernel));
        } else {
          loop.launch(step, kernel_of(step, node, segment.kernel));
        }
        break;
    }
  }

  /// To the device before the next kernel, to the host after the last.
  Direction direction_of(StepId step) const {
    const auto& present = present_[rank_of_[step.task]];
    for (std::size_t i = step.step + 1; i < present.size(); ++i) {
      const auto kind = chain(step.task).chain[present[i]].kind;
      if (kind == Segment::Kind::kKernel) return Direction::kToDevice;
      if (kind == Segment::Kind::kCpu) break;
    }
    return Direction::kToHost;
  }

  Kernel kernel_of(StepId step, NodeIndex node, const rtgpu::Kernel& source) const {
    const std::size_t rank = rank_of_[step.task];
    const std::int64_t sms = plan_.entries[rank].sms;
    const std::int64_t units = units_of(rank, node);
    // Only malleable kernels interleave with themselves.
    const bool malleable = source.kind == rtgpu::Kernel::Kind::kMalleable;
    const std::int64_t seats = malleable && mode_ == Interleaving::kSelf ? 2 : 1;
    Kernel kernel;
    kernel.task = step.task;
    kernel.node = node;
    kernel.blocks = units * seats;
    kernel.share = {1, seats};
    kernel.partition = place_[rank].partition;
    kernel.pinning = Pinning{place_[rank].first, units, seats};
    kernel.longest = source.longest(sms, mode_);
    kernel.least = source.shortest(sms, mode_);
    // A malleable kernel has its time on one SM as work; the others take the time that is known on
    // the SMs they run on. Each SM does less by the cost of the operation.
    const Time share = malleable ? div_up(source.work, units) : kernel.longest;
    kernel.load = units * filling_.alone(share);
    kernel.whole = kernel.load;
    return kernel;
  }

  const System& system_;
  const rtgpu::TaskSet set_;
  const AllocationPlan& plan_;
  const Holding holding_;
  const RunOptions& options_;
  const Interleaving mode_;
  Filling filling_;
  BestEffort best_effort_;
  BestEffort::Left left_;
  std::vector<std::size_t> rank_of_;                 ///< by task
  std::vector<Place> place_;                         ///< by rank
  std::vector<std::vector<std::uint32_t>> present_;  ///< segments that are requested, by rank
  std::vector<Graph> steps_;                         ///< by task
  std::vector<std::vector<std::uint32_t>> piece_;    ///< by task and step
  std::vector<std::optional<TaskIndex>> holder_;     ///< of each engine, or of the accelerator
  std::vector<StepId> graphs_;                       ///< steps that run a graph
  bool all_proved_ = true;                           ///< of the tasks so far
};

}  // namespace

MadeExecutor make_rtgpu_executor(const System& system, const AllocationPlan& plan, Holding holding,
                                 const RunOptions& options) {
  if (options.strategy != Strategy::kPlanned) {
    return Error{"an allocation is run as `planned`; there is no other strategy"};
  }
  auto set = rtgpu::make_task_set(system);
  if (!set) return Error{set.error().reason};
  return MadeExecutor(std::make_unique<RtgpuExecutor>(
      system, std::get<rtgpu::TaskSet>(std::move(set)), plan, holding, options));
}

}  // namespace tactus::runtime
