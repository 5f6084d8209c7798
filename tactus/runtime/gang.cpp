#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/gang/bound/theorem2.hpp"
#include "tactus/methods/gang/exact.hpp"
#include "tactus/methods/gang/limits.hpp"
#include "tactus/model/diagnostic.hpp"
#include "tactus/runtime/executors.hpp"
#include "tactus/runtime/loop.hpp"
#include "tactus/runtime/partitions.hpp"

namespace tactus::runtime {
namespace {

using gang::GangDag;
using gang::GangNode;
using gang::Scheduler;

/// Units of one element that a task has to itself.
struct OwnUnits {
  std::int64_t free = 0;
  std::vector<std::int64_t> cores;  ///< free ones, of a cpu element
  bool blocked = false;             ///< somebody who does not fit holds back those behind
};

/// A step is a node. A gang starts only when all its units are free (the hardware would start it
/// piece by piece); the blocks of a kernel on an SM's lanes are gangs themselves, and the GPU's own
/// dispatcher places them.
class GangExecutor final : public Executor {
 public:
  GangExecutor(const System& system, const gang::SharePlan& plan, std::vector<GangDag> dags,
               Scheduler scheduler, const RunOptions& options)
      : system_(system),
        plan_(plan),
        dags_(std::move(dags)),
        scheduler_(scheduler),
        options_(options),
        width_(system.tasks.size()),
        piece_(system.tasks.size()),
        own_(system.tasks.size()),
        partition_(system.tasks.size(), kWholeGpu) {}

  std::optional<Error> prepare(Device& device, RunReport& report) override {
    filling_ = Filling(options_, device.capabilities());
    for (const GangDag& dag : dags_) {
      width_[dag.task].resize(system_.tasks[dag.task].nodes.size());
      for (const GangNode& node : dag.nodes) {
        for (const NodeIndex source : node.sources) width_[dag.task][source] = node.width;
      }
    }
    if (auto problem = hand_out(device, report)) return problem;
    if (options_.strategy == Strategy::kShared) {
      report.notes.push_back("shared: every task uses the whole GPU, so its bound does not hold");
    } else if (auto problem = bound_again(report)) {
      return problem;
    }
    for (const GangDag& dag : dags_) add_pieces(dag, report);
    return std::nullopt;
  }

  const Graph& steps(TaskIndex task) const override {
    return width_[task].empty() ? none_ : system_.tasks[task].graph;
  }
  std::span<const std::uint32_t> pieces(StepId step) const override {
    return {&piece_[step.task][step.step], 1};
  }

  void start_ready(Loop& loop) override {
    for (auto& of_task : own_) {
      for (OwnUnits& own : of_task) own.blocked = false;
    }
    const std::vector<StepId> ready = loop.ready();  // a copy: starting takes out of it
    for (const StepId step : ready) start(loop, step);
  }

  void finished(StepId step, const Completion&, RunReport&) override {
    const Node& node = system_.tasks[step.task].nodes[step.step];
    OwnUnits& own = own_[step.task][node.on];
    if (has_lanes(node.on)) return;
    own.free += width_[step.task][step.step];
    auto& cores = held_[step.task][step.step];
    own.cores.insert(own.cores.end(), cores.begin(), cores.end());
    cores.clear();
  }

 private:
  const Element& element(ElementIndex index) const { return system_.platform.elements[index]; }
  bool has_lanes(ElementIndex index) const { return element(index).lanes > 1; }

  /// Cores and engines one after the other, SMs as partitions.
  std::optional<Error> hand_out(Device& device, RunReport& report) {
    const auto& elements = system_.platform.elements;
    std::vector<std::int64_t> next(elements.size());
    std::int64_t cores = 0, engines = 0;
    for (std::size_t e = 0; e < elements.size(); ++e) {
      std::int64_t& before = elements[e].kind == ElementKind::kCopy ? engines : cores;
      next[e] = before;
      if (elements[e].kind != ElementKind::kGpu) before += elements[e].units;
    }
    if (cores > device.capabilities().cores) {
      return Error{fmt::format("the file has {} cores; the {} can pin work to {}", cores,
                               device.capabilities().name, device.capabilities().cores)};
    }
    std::vector<Claim> claims;
    held_.resize(system_.tasks.size());
    for (const auto& share : plan_.shares) {
      held_[share.task].resize(system_.tasks[share.task].nodes.size());
      own_[share.task].resize(elements.size());
      for (ElementIndex e = 0; e < elements.size(); ++e) {
        OwnUnits& own = own_[share.task][e];
        own.free = share.units[e];
        if (elements[e].kind == ElementKind::kGpu) {
          if (share.units[e] > 0) claims.push_back({share.task, e, share.units[e]});
          continue;
        }
        if (share.units[e] > 0) {
          report.shares.push_back({share.task, e, share.units[e], share.units[e]});
        }
        for (std::int64_t i = 0; i < share.units[e]; ++i) own.cores.push_back(next[e]++);
      }
    }
    if (claims.empty()) return std::nullopt;
    if (options_.strategy == Strategy::kShared) {
      for (const Claim& claim : claims)
        own_[claim.task][claim.element].free = device.capabilities().sms;
      return std::nullopt;
    }
    const auto partitions = carve(device, report, options_, claims);
    if (!partitions) return partitions.error();
    for (std::size_t i = 0; i < claims.size(); ++i) {
      partition_[claims[i].task] = (*partitions)[i].id;
      own_[claims[i].task][claims[i].element].free = (*partitions)[i].got;
    }
    return std::nullopt;
  }

  /// The bounds for the units that the machine gave, which may be more than the plan asked for, and
  /// for the way its dispatcher works: blocks on lanes are started in order, none passes another.
  std::optional<Error> bound_again(RunReport& report) const {
    System larger = system_;
    std::vector<std::int64_t> total(larger.platform.elements.size());
    for (const auto& of_task : own_) {
      for (std::size_t e = 0; e < of_task.size(); ++e) total[e] += of_task[e].free;
    }
    for (std::size_t e = 0; e < total.size(); ++e) {
      Element& changed = larger.platform.elements[e];
      changed.units = std::max(changed.units, total[e]);
    }
    for (const GangDag& dag : dags_) {
      std::vector<std::int64_t> units;
      for (const OwnUnits& own : own_[dag.task]) units.push_back(own.free);
      const bool in_order = std::any_of(dag.nodes.begin(), dag.nodes.end(), [&](const GangNode& n) {
        return has_lanes(n.on) && element(n.on).kind == ElementKind::kGpu;
      });
      const Scheduler real = in_order ? Scheduler::kSemiWorkConserving : scheduler_;
      try {
        const auto prepared = gang::prepare(larger, dag, {.exact = has_exact_delta(dag.task)});
        report.tasks[dag.task].bound =
            gang::round_up(gang::theorem2(larger, prepared, real, units).total);
      } catch (const gang::LimitReached& limit) {
        return Error{limit.what()};
      }
      if (real != scheduler_) {
        report.notes.push_back(
            fmt::format("task {}: a GPU starts blocks in order, so its bound is that of gang.swc",
                        quote(system_.tasks[dag.task].name)));
      }
    }
    return std::nullopt;
  }

  bool has_exact_delta(TaskIndex task) const {
    return std::any_of(plan_.shares.begin(), plan_.shares.end(),
                       [&](const auto& share) { return share.task == task && share.exact_delta; });
  }

  void add_pieces(const GangDag& dag, RunReport& report) {
    const Task& task = system_.tasks[dag.task];
    for (NodeIndex node = 0; node < task.nodes.size(); ++node) {
      piece_[dag.task].push_back(static_cast<std::uint32_t>(report.pieces.size()));
      Piece piece;
      piece.task = dag.task;
      piece.node = node;
      piece.element = task.nodes[node].on;
      piece.label = task.nodes[node].name;
      // The blocks of a kernel may run in several waves, for which the file has no bound.
      const bool alone = options_.strategy == Strategy::kPlanned;
      if (alone && (!has_lanes(piece.element) || task.nodes[node].blocks.value_or(1) == 1)) {
        piece.bound = task.nodes[node].wcet;
      }
      if (alone && !has_lanes(piece.element)) piece.asked = width_[dag.task][node];
      report.pieces.push_back(std::move(piece));
    }
  }

  void start(Loop& loop, StepId step) {
    const Node& node = system_.tasks[step.task].nodes[step.step];
    OwnUnits& own = own_[step.task][node.on];
    const std::int64_t width = width_[step.task][step.step];
    if (has_lanes(node.on)) return loop.launch(step, kernel_of(step));
    if (own.blocked) return;
    if (width > own.free) {
      own.blocked = scheduler_ == Scheduler::kSemiWorkConserving;
      return;
    }
    own.free -= width;
    if (element(node.on).kind == ElementKind::kGpu) return loop.launch(step, kernel_of(step));
    auto& held = held_[step.task][step.step];
    held.assign(own.cores.end() - width, own.cores.end());
    own.cores.resize(own.cores.size() - static_cast<std::size_t>(width));
    for (const std::int64_t core : held) start_on(loop, step, node, core);
  }

  void start_on(Loop& loop, StepId step, const Node& node, std::int64_t unit) const {
    const Time least = std::min(node.bcet, *node.wcet);
    const Time load = filling_.alone(*node.wcet);
    if (element(node.on).kind == ElementKind::kCpu) {
      loop.run(step, CpuWork{step.task, step.step, unit, 0, load, least, *node.wcet});
    } else {
      loop.copy(step,
                Copy{step.task, step.step, unit, Direction::kToDevice, load, least, *node.wcet});
    }
  }

  Kernel kernel_of(StepId step) const {
    const Node& node = system_.tasks[step.task].nodes[step.step];
    const std::int64_t width = width_[step.task][step.step];
    Kernel kernel;
    kernel.task = step.task;
    kernel.node = step.step;
    kernel.partition = partition_[step.task];
    kernel.blocks = has_lanes(node.on) ? node.blocks.value_or(1) : width;
    if (has_lanes(node.on)) kernel.share = {width, element(node.on).lanes};
    kernel.threads = has_lanes(node.on) ? node.threads.value_or(0) : 0;
    kernel.load = kernel.blocks * filling_.alone(*node.wcet);
    kernel.whole = kernel.load;
    kernel.longest = *node.wcet;
    kernel.least = std::min(node.bcet, *node.wcet);
    return kernel;
  }

  const System& system_;
  const gang::SharePlan& plan_;
  const std::vector<GangDag> dags_;
  const Scheduler scheduler_;
  const RunOptions& options_;
  const Graph none_;
  Filling filling_;
  std::vector<std::vector<std::int64_t>> width_;   ///< by task and node; empty: takes no part
  std::vector<std::vector<std::uint32_t>> piece_;  ///< by task and node
  std::vector<std::vector<OwnUnits>> own_;         ///< by task and element
  std::vector<std::vector<std::vector<std::int64_t>>> held_;  ///< cores, by task and node
  std::vector<PartitionId> partition_;                        ///< by task
};

/// What of the model no machine here can do.
std::optional<Error> refuse(const System& system) {
  int gpus = 0;
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kGpu) ++gpus;
    if (element.kind != ElementKind::kGpu && element.lanes > 1) {
      return Error{fmt::format("element {} has lanes; only the SMs of a GPU can be run so",
                               quote(element.name))};
    }
  }
  if (gpus > 1) return Error{"the file has several GPUs; one is run at a time"};
  return std::nullopt;
}

}  // namespace

MadeExecutor make_gang_executor(const System& system, const gang::SharePlan& plan,
                                gang::Scheduler scheduler, const RunOptions& options) {
  if (options.strategy != Strategy::kPlanned && options.strategy != Strategy::kShared) {
    return Error{"shares are run as `planned` or `shared`; there is no other strategy"};
  }
  if (auto problem = refuse(system)) return *problem;
  auto dags = gang::make_dags(system);
  if (const auto* refusal = std::get_if<Refusal>(&dags)) return Error{refusal->reason};
  return MadeExecutor(std::make_unique<GangExecutor>(
      system, plan, std::get<std::vector<GangDag>>(std::move(dags)), scheduler, options));
}

}  // namespace tactus::runtime
