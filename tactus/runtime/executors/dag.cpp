#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/dag/dag_plan.hpp"
#include "tactus/methods/dag/extra_edges.hpp"
#include "tactus/runtime/executors/executors.hpp"
#include "tactus/runtime/executors/loop.hpp"
#include "tactus/runtime/executors/partitions.hpp"
#include "tactus/runtime/executors/replays.hpp"

namespace tactus::runtime {
namespace {

constexpr std::size_t kMostDirectEdges = 64;

/// A job is one prepared graph, kernels of the plan with a barrier between steps, and the copies
/// before and after it.
class DagExecutor final : public Executor {
 public:
  DagExecutor(const System& system, const dag::DagPlan& plan, const RunOptions& options)
      : system_(system),
        plan_(plan),
        options_(options),
        best_effort_(system, options),
        task_(system.tasks[plan.task]),
        ordered_(options.strategy != Strategy::kConcurrent),
        segments_(task_.graph.size(), plan.schedule) {
    const auto& kernels = plan.schedule.kernels;
    for (std::uint32_t k = 0; k < kernels.size(); ++k) {
      if (kernels[k].is_copy()) {
        copies_.push_back(k);
      } else {
        graph_step_ = static_cast<std::uint32_t>(copies_.size());
      }
    }
    steps_ = Graph::chain(static_cast<NodeIndex>(copies_.size() + 1));
  }

  std::optional<Error> prepare(Device& device, trace::Observed& observed) override {
    if (auto problem =
            refuse_bound(device, system_, plan_.task,
                         "but plans of dag cut kernels into blocks, which nobody can do with a "
                         "graph; gang and rtgpu run it in a partition of its own",
                         "but the nodes of this plan start on the device, without the host")) {
      return problem;
    }
    const ElementIndex gpu = task_.nodes[first_kernel().node].on;
    const auto share =
        carve(device, observed, options_, {{plan_.task, gpu, plan_.sms}}, best_effort_);
    if (!share) return share.error();
    filling_ = Filling(options_, device.capabilities());
    make_graph((*share)[0].id);
    timer_step_ = device.capabilities().timer_step;
    const bool streams = options_.strategy == Strategy::kStreams;
    const auto prepared = device.prepare(nodes_, streams ? Chaining::kStreams : Chaining::kGraph);
    if (!prepared) return prepared.error();
    graph_ = *prepared;
    for (std::uint32_t k = 0; k < plan_.schedule.kernels.size(); ++k) {
      const dag::Kernel& kernel = plan_.schedule.kernels[k];
      trace::ObservedNode piece;
      piece.task = plan_.task;
      piece.node = kernel.node;
      piece.element = task_.nodes[kernel.node].on;
      piece.label = plan_.kernel_name(system_, segments_, k);
      // Without the order between steps, kernels wait for each other's SMs.
      if (keeps_widths() || kernel.is_copy()) piece.bound = kernel.c;
      if (keeps_widths() && !kernel.is_copy()) {
        piece.asked = std::min(kernel.m, (*share)[0].got);
      }
      observed.nodes.push_back(std::move(piece));
    }
    if (ordered_) observed.tasks[plan_.task].bound = plan_.schedule.bound;
    if (!ordered_) {
      observed.notes.push_back(
          "concurrent: the order that the plan adds is left out, so its bound does not hold");
    }
    if (streams) {
      observed.notes.push_back(
          "streams: every kernel is launched by itself, which the bound counts only as far as the "
          "loads do");
    }
    BestEffort::Left left;  // of cores the plan uses none
    for (const std::uint32_t copy : copies_) {
      const ElementIndex on = task_.nodes[plan_.schedule.kernels[copy].node].on;
      left.first_engine = std::max(left.first_engine, engines_before(on + 1));
    }
    if (share->size() > 1) left.sms = share->back();
    return best_effort_.prepare(left, device, observed);
  }

  const Graph& steps(TaskIndex task) const override {
    if (best_effort_.runs(task)) return best_effort_.steps(task);
    return task == plan_.task ? steps_ : none_;
  }
  std::span<const std::uint32_t> pieces(StepId step) const override {
    if (best_effort_.runs(step.task)) return best_effort_.pieces(step);
    if (step.step == graph_step_) return piece_of_node_;
    return {&copy_at(step), 1};
  }

  void start_ready(Loop& loop) override {
    const std::vector<StepId> ready = loop.ready();  // a copy: starting takes out of it
    for (const StepId step : ready) {
      if (best_effort_.runs(step.task)) {
        best_effort_.start(loop, step);
      } else if (step.step == graph_step_) {
        loop.launch(step, graph_);
      } else {
        loop.copy(step, copy_of(step));
      }
    }
  }

  /// Every kernel must have started after those before it ended.
  void finished(StepId step, const Completion& completion, trace::Observed& observed) override {
    if (best_effort_.runs(step.task) || step.step != graph_step_) return;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kernel) check_order(i, i, completion, observed);
    }
  }

 private:
  const dag::Kernel& first_kernel() const {
    const auto& kernels = plan_.schedule.kernels;
    return *std::find_if(kernels.begin(), kernels.end(),
                         [](const dag::Kernel& kernel) { return !kernel.is_copy(); });
  }
  /// Its place in the plan.
  const std::uint32_t& copy_at(StepId step) const {
    return copies_[step.step < graph_step_ ? step.step : step.step - 1];
  }
  std::int64_t engines_before(ElementIndex element) const {
    std::int64_t engines = 0;
    for (ElementIndex e = 0; e < element; ++e) {
      const Element& one = system_.platform.elements[e];
      if (one.kind == ElementKind::kCopy) engines += one.units;
    }
    return engines;
  }
  Copy copy_of(StepId step) const {
    const dag::Kernel& copy = plan_.schedule.kernels[copy_at(step)];
    const Node& node = task_.nodes[copy.node];
    return {plan_.task,
            copy.node,
            engines_before(node.on),
            step.step < graph_step_ ? Direction::kToDevice : Direction::kToHost,
            filling_.alone(copy.c),
            node.bcet,
            copy.c};
  }

  bool keeps_widths() const { return ordered_ && plan_.ordering == dag::Ordering::kBarriers; }

  /// Looks through barriers, of which a kernel has at most one before it.
  void check_order(std::uint32_t kernel, std::uint32_t at, const Completion& completion,
                   trace::Observed& observed) const {
    for (const std::uint32_t before : nodes_[at].after) {
      if (!nodes_[before].kernel) {
        check_order(kernel, before, completion, observed);
      } else if (completion.kernels[kernel].start + timer_step_ < completion.kernels[before].end) {
        observed.fail(
            fmt::format("{} started {} ns before {} had ended", name_of(kernel),
                        (completion.kernels[before].end - completion.kernels[kernel].start).ns(),
                        name_of(before)));
      }
    }
  }
  std::string name_of(std::uint32_t node) const {
    return quote(plan_.kernel_name(system_, segments_, piece_of_node_[node]));
  }

  Kernel launch_of(std::uint32_t place, PartitionId partition) const {
    const dag::Kernel& source = plan_.schedule.kernels[place];
    const Node& node = task_.nodes[source.node];
    Kernel kernel;
    kernel.task = plan_.task;
    kernel.node = source.node;
    kernel.blocks = source.m;
    kernel.partition = partition;
    const std::int64_t waves = (source.m - 1) / plan_.sms + 1;
    kernel.longest = Time::from_ns(source.c.ns() / waves);
    kernel.least =
        mul_div_up(kernel.longest, std::min(node.load_min, *node.load).ns(), node.load->ns());
    kernel.load = filling_.of(source.load);
    kernel.whole = filling_.of(*node.load);
    for (const std::uint32_t before : segments_.of(source.node)) {
      if (before == place) break;
      kernel.from += filling_.of(plan_.schedule.kernels[before].load);
    }
    // Rounding must not leave a gap between pieces, nor reach beyond the last.
    kernel.from = std::min(kernel.from, kernel.whole);
    kernel.load = place == segments_.last(source.node)
                      ? kernel.whole - kernel.from
                      : std::min(kernel.load, kernel.whole - kernel.from);
    return kernel;
  }

  /// Orders two steps kernel by kernel, unless that takes too many edges. A barrier between them
  /// would cost a GPU some microseconds more.
  static bool add_edges(const dag::Step& before, const dag::Step& after, std::vector<Edge>& edges) {
    if ((before.end - before.begin) * std::size_t{after.end - after.begin} > kMostDirectEdges) {
      return false;
    }
    for (std::uint32_t from = before.begin; from < before.end; ++from) {
      for (std::uint32_t to = after.begin; to < after.end; ++to) edges.emplace_back(from, to);
    }
    return true;
  }
  static void add_barrier(const dag::Step& before, const dag::Step& after, NodeIndex barrier,
                          std::vector<Edge>& edges) {
    for (std::uint32_t k = before.begin; k < before.end; ++k) edges.emplace_back(k, barrier);
    for (std::uint32_t k = after.begin; k < after.end; ++k) edges.emplace_back(barrier, k);
  }

  void make_graph(PartitionId partition) {
    const auto& schedule = plan_.schedule;
    const auto count = static_cast<NodeIndex>(schedule.kernels.size());
    const auto is_copy = [&](NodeIndex place) { return schedule.kernels[place].is_copy(); };
    std::vector<Edge> edges = dag::natural_edges(task_.graph, segments_);
    NodeIndex total = count;
    if (ordered_ && plan_.ordering == dag::Ordering::kPrinted) {
      const auto extra = dag::extra_edges(task_.graph, schedule, segments_, plan_.ordering);
      edges.insert(edges.end(), extra.begin(), extra.end());
    }
    if (ordered_ && plan_.ordering == dag::Ordering::kBarriers) {
      for (std::size_t j = 1; j < schedule.steps.size(); ++j) {
        if (is_copy(schedule.steps[j - 1].begin) || is_copy(schedule.steps[j].begin)) continue;
        if (!add_edges(schedule.steps[j - 1], schedule.steps[j], edges)) {
          add_barrier(schedule.steps[j - 1], schedule.steps[j], total++, edges);
        }
      }
    }
    std::erase_if(edges, [&](const Edge& edge) {  // the copies are other steps of the job
      return (edge.first < count && is_copy(edge.first)) ||
             (edge.second < count && is_copy(edge.second));
    });
    std::sort(edges.begin(), edges.end());  // an edge of the file may be there twice
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    const Graph graph(total, edges);
    std::vector<std::uint32_t> place(total);
    for (const NodeIndex node : topological_order(graph)) {
      if (node < count && is_copy(node)) continue;
      place[node] = static_cast<std::uint32_t>(nodes_.size());
      GraphNode& made = nodes_.emplace_back();
      if (node < count) made.kernel = launch_of(node, partition);
      for (const NodeIndex before : graph.predecessors(node)) made.after.push_back(place[before]);
      piece_of_node_.push_back(node < count ? node : kNoPiece);
    }
  }

  const System& system_;
  const dag::DagPlan& plan_;
  const RunOptions& options_;
  BestEffort best_effort_;
  const Task& task_;
  const bool ordered_;
  const dag::Segments segments_;
  std::vector<std::uint32_t> copies_;  ///< their places in the plan
  std::uint32_t graph_step_ = 0;       ///< the copies before it are the steps before
  Graph steps_;
  const Graph none_;
  std::vector<GraphNode> nodes_;
  std::vector<std::uint32_t> piece_of_node_;
  GraphId graph_ = 0;
  Time timer_step_;
  Filling filling_;
};

}  // namespace

MadeExecutor make_dag_executor(const System& system, const dag::DagPlan& plan,
                               const RunOptions& options) {
  if (options.strategy != Strategy::kPlanned && options.strategy != Strategy::kConcurrent &&
      options.strategy != Strategy::kStreams) {
    return Error{
        "a graph is run as `planned`, `concurrent` or `streams`; there is no other strategy"};
  }
  return MadeExecutor(std::make_unique<DagExecutor>(system, plan, options));
}

}  // namespace tactus::runtime
