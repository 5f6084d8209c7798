#include "tactus/runtime/emulator/emulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <queue>
#include <unordered_map>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/random.hpp"
#include "tactus/runtime/emulator/bound_work.hpp"
#include "tactus/runtime/emulator/emulated_core.hpp"
#include "tactus/runtime/emulator/emulated_gpu.hpp"
#include "tactus/runtime/stream_plan.hpp"

namespace tactus::runtime {
namespace {

constexpr std::int64_t kMostUnits = 100'000;
constexpr std::int64_t kMostBlocks = 1'000'000;

class Emulator final : public Device {
 public:
  Emulator(const System& system, Capabilities capabilities, const BackendOptions& options)
      : capabilities_(std::move(capabilities)),
        system_(system),
        bound_(system_, options.workload),
        scenario_(options.scenario),
        jitter_(options.jitter),
        lots_(options.scenario.seed, 0),
        gpu_(capabilities_.sms),
        partitions_{{0, capabilities_.sms}},
        cores_(static_cast<std::size_t>(capabilities_.cores)),
        engines_(static_cast<std::size_t>(capabilities_.copy_engines)) {}

  const Capabilities& capabilities() const override { return capabilities_; }

  Result<std::vector<Partition>> partition(std::span<const std::int64_t> sms) override {
    std::vector<Partition> made;
    std::int64_t first = 0;
    for (const std::int64_t asked : sms) {
      if (asked < 1) return Error{fmt::format("a partition of {} SMs was asked for", asked)};
      const std::int64_t step = capabilities_.partition_step;
      const std::int64_t got =
          std::max((asked + step - 1) / step * step, capabilities_.partition_least);
      if (got > capabilities_.sms - first) {
        return Error{fmt::format("partitions of {} SMs do not fit the {} of the {}",
                                 fmt::join(sms, ", "), capabilities_.sms, capabilities_.name)};
      }
      partitions_.push_back({first, got});
      made.push_back({static_cast<PartitionId>(partitions_.size() - 1), asked, got});
      first += got;
    }
    return made;
  }

  /// Streams take no time to launch on either.
  Result<GraphId> prepare(std::span<const GraphNode> nodes, Chaining chaining) override {
    if (chaining == Chaining::kStreams) {
      if (const auto plan = streams_of(nodes); !plan) return plan.error();
    }
    Graph& graph = graphs_.emplace_back();
    graph.nodes.assign(nodes.begin(), nodes.end());
    graph.next.resize(nodes.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kernel) {
        if (auto problem = refuse(*nodes[i].kernel)) return *problem;
      }
      for (const std::uint32_t before : nodes[i].after) {
        if (before >= i) return Error{"a node of a graph waits for one that comes after it"};
        graph.next[before].push_back(i);
      }
    }
    return static_cast<GraphId>(graphs_.size() - 1);
  }

  bool runs_graph(TaskIndex task, NodeIndex node) const override {
    return bound_.graph(task, node) != nullptr;
  }
  /// Nothing of the user's is called in virtual time.
  bool has_callback(TaskIndex, NodeIndex, Phase) const override { return false; }
  Result<std::string> prepare(const Replay& replay) override {
    if (auto problem = refuse(replay)) return *problem;
    return std::string("emulated by its time in the file");
  }

  std::optional<Error> start() override { return std::nullopt; }
  Time now() const override { return now_; }

  std::optional<Error> launch(const Kernel& kernel, OpId op) override {
    if (auto problem = refuse(kernel)) return problem;
    if (auto problem = refuse(op)) return problem;
    begin(op).kernels.emplace_back();
    submit(kernel, op, 0);
    return std::nullopt;
  }

  std::optional<Error> launch(GraphId id, OpId op) override {
    if (id >= graphs_.size()) return Error{fmt::format("there is no graph {}", id)};
    Graph& graph = graphs_[id];
    if (graph.left > 0) return Error{fmt::format("graph {} is still running", id)};
    if (auto problem = refuse(op)) return problem;
    begin(op).kernels.resize(graph.nodes.size());
    graph_of_[op] = id;
    graph.left = graph.nodes.size();
    graph.waiting_for.clear();
    for (const GraphNode& node : graph.nodes) graph.waiting_for.push_back(node.after.size());
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      if (graph.nodes[i].after.empty()) start_node(graph, op, i);
    }
    if (graph.nodes.empty()) complete(op);
    return std::nullopt;
  }

  std::optional<Error> launch(const Replay& replay, OpId op) override {
    if (auto problem = refuse(replay)) return problem;
    if (auto problem = refuse(op)) return problem;
    // One block that claims nothing stands for the whole graph: only its time counts.
    Kernel whole;
    whole.task = replay.task;
    whole.node = replay.node;
    whole.partition = replay.partition;
    whole.priority = replay.priority;
    whole.share = {0, 1};
    whole.least = replay.least;
    whole.longest = replay.longest;
    begin(op).kernels.emplace_back().partition_width = partitions_[replay.partition].count;
    submit(whole, op, 0);
    return std::nullopt;
  }

  std::optional<Error> run(const CpuWork& work, OpId op) override {
    if (work.core < 0 || work.core >= capabilities_.cores) {
      return Error{fmt::format("there is no core {} among {}", work.core + 1, capabilities_.cores)};
    }
    if (auto problem = refuse(op)) return problem;
    begin(op);
    const Time length = draw(work.task, work.node, work.least, work.longest);
    cores_[static_cast<std::size_t>(work.core)].add(op, work.priority, length);
    return std::nullopt;
  }

  std::optional<Error> copy(const Copy& copy, OpId op) override {
    if (copy.engine < 0) return Error{fmt::format("there is no copy engine {}", copy.engine + 1)};
    if (auto problem = refuse(op)) return problem;
    begin(op);
    const Time length = draw(copy.task, copy.node, copy.least, copy.longest);
    engines_[static_cast<std::size_t>(copy.engine) % engines_.size()].push_back({op, length});
    return std::nullopt;
  }

  Result<std::vector<Completion>> wait(std::optional<Time> until) override {
    if (until) *until += Time::from_ns(lots_.integer(0, jitter_.ns()));
    for (;;) {
      // What is submitted at one instant is looked at together.
      if (completed_.empty()) settle();
      const std::optional<Time> next =
          events_.empty() ? std::nullopt : std::optional(events_.top().at);
      if (!completed_.empty() && (!next || *next > now_)) return std::exchange(completed_, {});
      if (!next || (until && *next > *until)) {
        if (until) now_ = std::max(now_, *until);
        return std::vector<Completion>();
      }
      now_ = *next;
      while (!events_.empty() && events_.top().at == now_) {
        const Event event = events_.top();
        events_.pop();
        handle(event);
      }
    }
  }

 private:
  struct Graph {
    std::vector<GraphNode> nodes;
    std::vector<std::vector<std::uint32_t>> next;
    std::vector<std::size_t> waiting_for;  ///< of the run in flight
    std::size_t left = 0;
  };
  /// A kernel in flight: the one of a launch, or a node of a graph.
  struct Running {
    Kernel kernel;
    OpId op = 0;
    std::uint32_t node = 0;
    std::int64_t left = 0;
  };
  struct Queued {
    OpId op;
    Time length;
    bool running = false;
  };
  struct Event {
    enum Kind { kBlockEnds, kCoreIsDone, kCopyEnds };
    Time at;
    std::uint64_t order = 0;  ///< events of one instant, in the order they were foreseen
    Kind kind = kBlockEnds;
    std::uint64_t what = 0;    ///< kernel, core or engine
    std::uint64_t detail = 0;  ///< SM, or the version of a core's decision

    friend bool operator>(const Event& a, const Event& b) {
      return std::tie(a.at, a.order) > std::tie(b.at, b.order);
    }
  };

  std::optional<Error> refuse(OpId op) const {
    if (!in_flight_.contains(op)) return std::nullopt;
    return Error{fmt::format("operation {} is still in flight", op)};
  }
  std::optional<Error> refuse(const Kernel& kernel) const {
    if (kernel.partition >= partitions_.size()) {
      return Error{fmt::format("there is no partition {}", kernel.partition)};
    }
    const EmulatedGpu::Range& sms = partitions_[kernel.partition];
    const std::int64_t end = kernel.pinning ? kernel.pinning->first + kernel.pinning->count : 1;
    if (kernel.pinning && (kernel.pinning->first < 0 || kernel.pinning->count < 1)) {
      return Error{"a kernel is pinned to no SM"};
    }
    if (end > sms.count) {
      return Error{fmt::format("a kernel is pinned to {} SMs where there are {}", end, sms.count)};
    }
    if (kernel.share.part > kernel.share.whole) return Error{"a block takes more than an SM"};
    if (kernel.share.part < 0 || kernel.share.whole < 1)
      return Error{"a block's share of an SM is not valid"};
    if (kernel.blocks < 1 || kernel.blocks > kMostBlocks) {
      return Error{fmt::format("a kernel of {} blocks; the emulator takes 1 to {}", kernel.blocks,
                               kMostBlocks)};
    }
    return std::nullopt;
  }

  std::optional<Error> refuse(const Replay& replay) const {
    if (replay.partition < partitions_.size()) return std::nullopt;
    return Error{fmt::format("there is no partition {}", replay.partition)};
  }

  Time draw(TaskIndex task, std::uint32_t piece, Time least, Time longest) {
    return scenario_.length(task, draws_++, {.number = piece}, std::min(least, longest), longest);
  }
  void foresee(Time after, Event::Kind kind, std::uint64_t what, std::uint64_t detail) {
    events_.push({now_ + after, foreseen_++, kind, what, detail});
  }

  Completion& begin(OpId op) {
    Completion& completion = in_flight_[op];
    completion.op = op;
    completion.submitted = now_;
    completion.start = Time::max();
    return completion;
  }
  void complete(OpId op) {
    const auto found = in_flight_.find(op);
    found->second.end = now_;
    found->second.start = std::min(found->second.start, now_);
    completed_.push_back(std::move(found->second));
    in_flight_.erase(found);
    graph_of_.erase(op);
  }

  void submit(const Kernel& kernel, OpId op, std::uint32_t node) {
    const std::uint64_t id = launched_++;
    running_[id] = {kernel, op, node, kernel.blocks};
    in_flight_[op].kernels[node].pieces = kernel.blocks;
    gpu_.submit(id, kernel, partitions_[kernel.partition]);
  }

  void start_node(Graph& graph, OpId op, std::uint32_t node) {
    if (graph.nodes[node].kernel) {
      submit(*graph.nodes[node].kernel, op, node);
    } else {
      end_node(graph, op, node);
    }
  }
  void end_node(Graph& graph, OpId op, std::uint32_t node) {
    if (--graph.left == 0) return complete(op);
    for (const std::uint32_t next : graph.next[node]) {
      if (--graph.waiting_for[next] == 0) start_node(graph, op, next);
    }
  }

  /// Starts everything that can start now.
  void settle() {
    for (const EmulatedGpu::Placed& placed : gpu_.dispatch()) {
      const Running& running = running_[placed.kernel];
      Completion& completion = in_flight_[running.op];
      completion.start = std::min(completion.start, now_);
      const Time length = draw(running.kernel.task, running.kernel.node, running.kernel.least,
                               running.kernel.longest);
      KernelSeen& seen = completion.kernels[running.node];
      if (seen.blocks.empty()) seen.start = now_;
      seen.blocks.push_back({placed.sm, now_, now_ + length});
      foresee(length, Event::kBlockEnds, placed.kernel, static_cast<std::uint64_t>(placed.sm));
    }
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      if (const auto begun = cores_[i].choose(now_)) {
        Completion& completion = in_flight_[begun->op];
        completion.start = std::min(completion.start, now_);
        foresee(begun->remaining, Event::kCoreIsDone, i, cores_[i].version());
      }
    }
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      if (engines_[i].empty() || engines_[i].front().running) continue;
      engines_[i].front().running = true;
      in_flight_[engines_[i].front().op].start = now_;
      foresee(engines_[i].front().length, Event::kCopyEnds, i, 0);
    }
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case Event::kBlockEnds: {
        Running& running = running_[event.what];
        gpu_.leave(static_cast<std::int32_t>(event.detail), running.kernel.share);
        KernelSeen& seen = in_flight_[running.op].kernels[running.node];
        ++seen.pieces_done;
        seen.end = now_;
        if (--running.left == 0) {
          const Running over = std::move(running);
          running_.erase(event.what);
          end_kernel(over);
        }
        break;
      }
      case Event::kCoreIsDone:
        if (event.detail == cores_[event.what].version()) complete(cores_[event.what].finish());
        break;
      case Event::kCopyEnds:
        complete(engines_[event.what].front().op);
        engines_[event.what].pop_front();
        break;
    }
  }
  void end_kernel(const Running& over) {
    const auto graph = graph_of_.find(over.op);
    if (graph == graph_of_.end()) {
      complete(over.op);
    } else {
      end_node(graphs_[graph->second], over.op, over.node);
    }
  }

  Capabilities capabilities_;
  System system_;
  BoundWork bound_;
  trace::Scenario scenario_;
  Time jitter_;
  Random lots_;
  EmulatedGpu gpu_;
  std::vector<EmulatedGpu::Range> partitions_;  ///< by id
  std::vector<EmulatedCore> cores_;
  std::vector<std::deque<Queued>> engines_;
  std::deque<Graph> graphs_;
  Time now_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t foreseen_ = 0, launched_ = 0;
  std::uint32_t draws_ = 0;
  std::unordered_map<std::uint64_t, Running> running_;
  std::unordered_map<OpId, Completion> in_flight_;
  std::unordered_map<OpId, GraphId> graph_of_;
  std::vector<Completion> completed_;
};

}  // namespace

namespace {

/// How many copies a shared engine can have at a time.
std::int64_t copying_tasks(const System& system, const Element& engine) {
  return std::count_if(system.tasks.begin(), system.tasks.end(), [&](const Task& task) {
    return std::any_of(task.nodes.begin(), task.nodes.end(), [&](const Node& node) {
      return &system.platform.elements[node.on] == &engine;
    });
  });
}

}  // namespace

Result<std::unique_ptr<Device>> open_emulator(const System& system, const BackendOptions& options) {
  Capabilities machine;
  machine.name = "emulator";
  machine.virtual_time = true;
  machine.partition_step = machine.partition_least = options.partition_step;
  machine.priorities = 6;
  machine.cores = machine.copy_engines = 0;
  for (const Element& element : system.platform.elements) {
    if (element.units > kMostUnits) {
      return Error{fmt::format("element {} has {} units; the emulator takes up to {}",
                               quote(element.name), element.units, kMostUnits)};
    }
    switch (element.kind) {
      case ElementKind::kCpu:
        machine.cores += element.units;
        break;
      case ElementKind::kCopy:
        machine.copy_engines += element.sharing == CopySharing::kShared
                                    ? std::max(element.units, copying_tasks(system, element))
                                    : element.units;
        break;
      case ElementKind::kGpu:
        machine.sms = std::max(machine.sms, element.units);
        break;
    }
  }
  machine.copy_engines = std::max<std::int64_t>(machine.copy_engines, 1);
  machine.sms = options.sms.value_or(machine.sms);
  if (machine.sms > kMostUnits) {
    return Error{fmt::format("{} SMs; the emulator takes up to {}", machine.sms, kMostUnits)};
  }
  return std::unique_ptr<Device>(std::make_unique<Emulator>(system, std::move(machine), options));
}

}  // namespace tactus::runtime
