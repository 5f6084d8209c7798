#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gang/bound/theorem2.hpp"
#include "tactus/methods/gang/exact.hpp"
#include "tactus/methods/gang/gang_plan.hpp"
#include "tactus/methods/gang/limits.hpp"
#include "tactus/runtime/executors/executors.hpp"
#include "tactus/runtime/executors/loop.hpp"
#include "tactus/runtime/executors/partitions.hpp"
#include "tactus/runtime/executors/replays.hpp"

namespace tactus::runtime {
namespace {

using gang::Entries;
using gang::GangTask;
using gang::Scheduler;

/// Units of one element that belong to one task.
struct OwnUnits {
  std::int64_t free = 0;
  std::vector<std::int64_t> cores;  ///< free ones, of a cpu element
  bool blocked = false;             ///< a gang that does not fit holds back those behind
};

/// A step is a node, or the launch before it. A gang starts only when all its units are free (the
/// hardware would start it piece by piece), and a moldable one has the width of the plan, never
/// another; the blocks of a kernel on an SM's lanes are gangs themselves, and the GPU's own dispatcher
/// places them.
class GangExecutor final : public Executor {
 public:
  /// @pre `entries` are those of the plan, for every one of `tasks`.
  GangExecutor(const System& system, const gang::SharePlan& plan, std::vector<GangTask> tasks,
               std::vector<Entries> entries, Scheduler scheduler, const RunOptions& options)
      : system_(system),
        plan_(plan),
        tasks_(std::move(tasks)),
        entries_(std::move(entries)),
        scheduler_(scheduler),
        options_(options),
        best_effort_(system, options),
        runs_(system.tasks.size()),
        piece_(system.tasks.size()),
        own_(system.tasks.size()),
        partition_(system.tasks.size(), kWholeGpu),
        callback_core_(system.tasks.size()) {
    for (std::size_t k = 0; k < tasks_.size(); ++k) runs_[tasks_[k].task] = k;
  }

  std::optional<Error> prepare(Device& device, trace::Observed& observed) override {
    filling_ = Filling(options_, device.capabilities());
    if (auto problem = hand_out(device, observed)) return problem;
    if (options_.strategy == Strategy::kShared) {
      observed.notes.push_back("shared: every task uses the whole GPU, so its bound does not hold");
    } else if (auto problem = bound_again(observed)) {
      return problem;
    }
    for (const GangTask& task : tasks_) {
      add_pieces(task, observed);
      if (auto problem = prepare_graphs(task, device, observed)) return problem;
    }
    return best_effort_.prepare(left_, device, observed);
  }

  const Graph& steps(TaskIndex task) const override {
    if (best_effort_.runs(task)) return best_effort_.steps(task);
    return runs_[task] ? tasks_[*runs_[task]].graph : none_;
  }
  std::span<const std::uint32_t> pieces(StepId step) const override {
    if (best_effort_.runs(step.task)) return best_effort_.pieces(step);
    return {&piece_[step.task][step.step], 1};
  }

  std::int64_t callback_core(StepId step) const override {
    return best_effort_.runs(step.task) ? best_effort_.callback_core() : callback_core_[step.task];
  }

  void start_ready(Loop& loop) override {
    for (auto& of_task : own_) {
      for (OwnUnits& own : of_task) own.blocked = false;
    }
    const std::vector<StepId> ready = loop.ready();  // a copy: starting takes out of it
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
    const gang::Piece& piece = piece_of(step);
    OwnUnits& own = own_[step.task][piece.on];
    if (has_lanes(piece.on)) return;
    own.free += time_of(step).units;
    auto& cores = held_[step.task][step.step];
    own.cores.insert(own.cores.end(), cores.begin(), cores.end());
    cores.clear();
  }

 private:
  const gang::Piece& piece_of(StepId step) const {
    return tasks_[*runs_[step.task]].pieces[step.step];
  }
  const TimesEntry& time_of(StepId step) const {
    return piece_of(step).choices[entries_[*runs_[step.task]][step.step]];
  }
  const Element& element(ElementIndex index) const { return system_.platform.elements[index]; }
  bool has_lanes(ElementIndex index) const { return element(index).lanes > 1; }

  /// Cores and engines one after the other, SMs as partitions.
  std::optional<Error> hand_out(Device& device, trace::Observed& observed) {
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
    left_.first_core = cores;
    left_.first_engine = engines;
    std::vector<Claim> claims;
    held_.resize(system_.tasks.size());
    for (const auto& share : plan_.shares) {
      held_[share.task].resize(tasks_[*runs_[share.task]].pieces.size());
      own_[share.task].resize(elements.size());
      for (ElementIndex e = 0; e < elements.size(); ++e) {
        OwnUnits& own = own_[share.task][e];
        own.free = share.units[e];
        if (elements[e].kind == ElementKind::kGpu) {
          if (share.units[e] > 0) claims.push_back({share.task, e, share.units[e]});
          continue;
        }
        if (share.units[e] > 0) {
          observed.shares.push_back({share.task, e, share.units[e], share.units[e]});
        }
        if (elements[e].kind == ElementKind::kCpu && share.units[e] > 0) {
          callback_core_[share.task] = next[e];
        }
        for (std::int64_t i = 0; i < share.units[e]; ++i) own.cores.push_back(next[e]++);
      }
    }
    leave_rest(next);
    if (claims.empty()) return std::nullopt;
    if (options_.strategy == Strategy::kShared) {
      for (const Claim& claim : claims)
        own_[claim.task][claim.element].free = device.capabilities().sms;
      return std::nullopt;
    }
    const auto partitions = carve(device, observed, options_, claims, best_effort_);
    if (!partitions) return partitions.error();
    if (partitions->size() > claims.size()) left_.sms = partitions->back();
    for (std::size_t i = 0; i < claims.size(); ++i) {
      partition_[claims[i].task] = (*partitions)[i].id;
      own_[claims[i].task][claims[i].element].free = (*partitions)[i].got;
    }
    return std::nullopt;
  }

  /// A core or an engine of the file that no task has is for best effort; else one that the file does
  /// not have. @param next by element, the first that was not handed out
  void leave_rest(const std::vector<std::int64_t>& next) {
    for (std::size_t e = next.size(); e-- > 0;) {
      const Element& here = system_.platform.elements[e];
      if (here.kind == ElementKind::kGpu) continue;
      const bool copies = here.kind == ElementKind::kCopy;
      std::int64_t end = here.units;
      for (std::size_t before = 0; before < e; ++before)
        if (system_.platform.elements[before].kind == here.kind)
          end += system_.platform.elements[before].units;
      if (next[e] < end) (copies ? left_.first_engine : left_.first_core) = next[e];
    }
  }

  /// The bounds for the units that the machine gave, which may be more than the plan asked for, and
  /// for the way its dispatcher works: blocks on lanes are started in order, none passes another.
  std::optional<Error> bound_again(trace::Observed& observed) const {
    System larger = system_;
    std::vector<std::int64_t> total(larger.platform.elements.size());
    for (const auto& of_task : own_) {
      for (std::size_t e = 0; e < of_task.size(); ++e) total[e] += of_task[e].free;
    }
    for (std::size_t e = 0; e < total.size(); ++e) {
      Element& changed = larger.platform.elements[e];
      changed.units = std::max(changed.units, total[e]);
    }
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      const gang::GangDag dag = gang::make_dag(tasks_[k], entries_[k]);
      std::vector<std::int64_t> units;
      for (const OwnUnits& own : own_[dag.task]) units.push_back(own.free);
      const bool in_order =
          std::any_of(dag.nodes.begin(), dag.nodes.end(), [&](const gang::GangNode& n) {
            return has_lanes(n.on) && element(n.on).kind == ElementKind::kGpu;
          });
      const Scheduler real = in_order ? Scheduler::kSemiWorkConserving : scheduler_;
      try {
        const auto prepared = gang::prepare(larger, dag, {.exact = has_exact_delta(dag.task)});
        observed.tasks[dag.task].bound =
            gang::round_up(gang::theorem2(larger, prepared, real, units).total);
      } catch (const gang::LimitReached& limit) {
        return Error{limit.what()};
      }
      if (real != scheduler_) {
        observed.notes.push_back(
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

  void add_pieces(const GangTask& task, trace::Observed& observed) {
    const Task& source = system_.tasks[task.task];
    for (std::uint32_t step = 0; step < task.pieces.size(); ++step) {
      const gang::Piece& gangs = task.pieces[step];
      const TimesEntry& time = time_of({task.task, step});
      piece_[task.task].push_back(static_cast<std::uint32_t>(observed.nodes.size()));
      trace::ObservedNode piece;
      piece.task = task.task;
      piece.node = gangs.node;
      piece.element = gangs.on;
      piece.label = gang::name_of(source, gangs);
      // The blocks of a kernel may run in several waves, for which the file has no bound.
      const bool alone = options_.strategy == Strategy::kPlanned;
      if (alone && gangs.copies == 1) piece.bound = time.wcet;
      if (alone && !has_lanes(piece.element)) piece.asked = time.units;
      observed.nodes.push_back(std::move(piece));
    }
  }

  void start(Loop& loop, StepId step) {
    const gang::Piece& piece = piece_of(step);
    OwnUnits& own = own_[step.task][piece.on];
    const std::int64_t width = time_of(step).units;
    if (has_lanes(piece.on)) return launch(loop, step);
    if (own.blocked) return;
    if (width > own.free) {
      own.blocked = scheduler_ == Scheduler::kSemiWorkConserving;
      return;
    }
    own.free -= width;
    if (element(piece.on).kind == ElementKind::kGpu) return launch(loop, step);
    auto& held = held_[step.task][step.step];
    held.assign(own.cores.end() - width, own.cores.end());
    own.cores.resize(own.cores.size() - static_cast<std::size_t>(width));
    for (const std::int64_t core : held) start_on(loop, step, core);
  }

  void launch(Loop& loop, StepId step) const {
    if (runs_graph(step)) return loop.launch(step, replay_of(step));
    loop.launch(step, kernel_of(step));
  }

  void start_on(Loop& loop, StepId step, std::int64_t unit) const {
    const gang::Piece& piece = piece_of(step);
    const TimesEntry& time = time_of(step);
    const Time load = filling_.alone(time.wcet);
    if (element(piece.on).kind == ElementKind::kCpu) {
      loop.run(step, CpuWork{step.task, piece.node, unit, 0, load, time.bcet, time.wcet});
    } else {
      loop.copy(step, Copy{step.task, piece.node, unit, Direction::kToDevice, load, time.bcet,
                           time.wcet});
    }
  }

  bool runs_graph(StepId step) const {
    return std::find(graphs_.begin(), graphs_.end(), step) != graphs_.end();
  }

  Replay replay_of(StepId step) const {
    return {.task = step.task,
            .node = piece_of(step).node,
            .partition = partition_[step.task],
            .least = time_of(step).bcet,
            .longest = time_of(step).wcet};
  }

  /// A graph has the whole partition of its task, so nothing else of the task may run there at the
  /// same time.
  std::optional<Error> prepare_graphs(const GangTask& task, Device& device,
                                      trace::Observed& observed) {
    std::vector<std::uint32_t> on_gpu;
    for (const NodeIndex step : topological_order(task.graph)) {
      if (element(task.pieces[step].on).kind == ElementKind::kGpu) on_gpu.push_back(step);
    }
    for (const std::uint32_t step : on_gpu) {
      const gang::Piece& piece = task.pieces[step];
      if (!device.runs_graph(task.task, piece.node)) continue;
      if (has_lanes(piece.on)) {
        return refuse_graph(system_, task.task, piece.node,
                            "which cannot be one of several on an SM (its element has lanes)");
      }
      for (const std::uint32_t other : on_gpu) {
        if (other == step || ordered(task.graph, step, other)) continue;
        return refuse_graph(
            system_, task.task, piece.node,
            fmt::format("which would share its partition with {}: no edge orders the two",
                        quote(gang::name_of(system_.tasks[task.task], task.pieces[other]))));
      }
      const StepId id{task.task, step};
      if (auto problem = prepare_replay(device, system_, replay_of(id), observed)) return problem;
      graphs_.push_back(id);
    }
    return std::nullopt;
  }

  static bool ordered(const Graph& graph, NodeIndex a, NodeIndex b) {
    return leads_to(graph, a, b) || leads_to(graph, b, a);
  }
  static bool leads_to(const Graph& graph, NodeIndex from, NodeIndex to) {
    std::vector<bool> reached(graph.size());
    std::vector<NodeIndex> open = {from};
    while (!open.empty()) {
      const NodeIndex at = open.back();
      open.pop_back();
      if (at == to) return true;
      for (const NodeIndex next : graph.successors(at)) {
        if (!reached[next]) open.push_back(next);
        reached[next] = true;
      }
    }
    return false;
  }

  Kernel kernel_of(StepId step) const {
    const gang::Piece& piece = piece_of(step);
    const TimesEntry& time = time_of(step);
    const Node& node = system_.tasks[step.task].nodes[piece.node];
    Kernel kernel;
    kernel.task = step.task;
    kernel.node = piece.node;
    kernel.partition = partition_[step.task];
    kernel.blocks = has_lanes(piece.on) ? piece.copies : time.units;
    if (has_lanes(piece.on)) kernel.share = {time.units, element(piece.on).lanes};
    kernel.threads = has_lanes(piece.on) ? node.threads.value_or(0) : 0;
    kernel.load = kernel.blocks * filling_.alone(time.wcet);
    kernel.whole = kernel.load;
    kernel.longest = time.wcet;
    kernel.least = time.bcet;
    return kernel;
  }

  const System& system_;
  const gang::SharePlan& plan_;
  const std::vector<GangTask> tasks_;
  const std::vector<Entries> entries_;  ///< as `tasks_`
  const Scheduler scheduler_;
  const RunOptions& options_;
  const Graph none_;
  Filling filling_;
  BestEffort best_effort_;
  BestEffort::Left left_;
  std::vector<std::optional<std::size_t>> runs_;   ///< by task, its place in `tasks_`, if any
  std::vector<std::vector<std::uint32_t>> piece_;  ///< of the report, by task and step
  std::vector<std::vector<OwnUnits>> own_;         ///< by task and element
  std::vector<std::vector<std::vector<std::int64_t>>> held_;  ///< cores, by task and step
  std::vector<PartitionId> partition_;                        ///< by task
  std::vector<std::int64_t> callback_core_;                   ///< by task
  std::vector<StepId> graphs_;                                ///< steps that run a graph
};

/// The parts of the model that no machine here supports.
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
  auto made = gang::make_tasks(system);
  if (!made) return Error{made.error().reason};
  auto& tasks = std::get<std::vector<GangTask>>(made);
  std::vector<Entries> entries;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    auto chosen = gang::entries_of(tasks[k], plan.shares[k].widths);
    if (!chosen) return Error{"the plan does not say how wide every node runs"};
    entries.push_back(std::move(*chosen));
  }
  return MadeExecutor(std::make_unique<GangExecutor>(system, plan, std::move(tasks),
                                                     std::move(entries), scheduler, options));
}

}  // namespace tactus::runtime
