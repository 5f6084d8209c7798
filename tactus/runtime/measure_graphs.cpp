#include "tactus/runtime/measure_graphs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <set>

#include "tactus/model/diagnostic.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/runtime/driver/driver_device.hpp"
#include "tactus/runtime/driver/enemies.hpp"

namespace tactus::runtime {
namespace {

constexpr int kTurn = 20;  ///< runs before the next neighbour has its turn
constexpr OpId kMeasured = 0;

double autocorrelation(const std::vector<Time>& samples) {
  if (samples.size() < 3) return 0;
  double mean = 0, all = 0, next = 0;
  for (const Time sample : samples) mean += static_cast<double>(sample.ns());
  mean /= static_cast<double>(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double off = static_cast<double>(samples[i].ns()) - mean;
    all += off * off;
    if (i + 1 < samples.size()) next += off * (static_cast<double>(samples[i + 1].ns()) - mean);
  }
  return all > 0 ? next / all : 0;
}

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

/// A node with a graph, or an enemy, as a node of the system that is measured.
struct Party {
  TaskIndex task = 0;
  NodeIndex node = 0;
  std::string name;
};

/// What is measured on one width.
class Measurement {
 public:
  Measurement(Device& device, std::vector<Party> graphs, std::vector<Party> enemies,
              const MeasureGraphsOptions& options)
      : device_(device),
        graphs_(std::move(graphs)),
        enemies_(std::move(enemies)),
        options_(options) {}

  /// @param units  0: the whole GPU
  Result<std::vector<MeasuredWidth>> measure(std::int64_t units) {
    if (auto problem = divide(units)) return *problem;
    std::vector<MeasuredWidth> widths;
    for (const Party& graph : graphs_) {
      const auto how = device_.prepare(replay_of(graph, own_));
      if (!how) return Error{fmt::format("the graph of {}: {}", graph.name, how.error().message)};
      widths.push_back({units, units == 0 ? 0 : got_, *how, {}, {}});
    }
    if (auto problem = prepare_neighbours()) return *problem;
    if (auto problem = device_.start()) return *problem;
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      for (const auto& beside : neighbours_of(i)) {
        widths[i].beside.push_back({name_of(beside), {}, {}, 0, false});
      }
    }
    for (int done = 0; done < options_.runs; done += kTurn) {
      for (std::size_t i = 0; i < graphs_.size(); ++i) {
        if (auto problem = take_turns(i, widths[i])) return *problem;
      }
    }
    for (MeasuredWidth& width : widths) finish(width);
    return widths;
  }

 private:
  std::optional<Error> divide(std::int64_t units) {
    if (units == 0) return std::nullopt;
    const Capabilities& machine = device_.capabilities();
    const std::int64_t step = machine.partition_step;
    const std::int64_t own = (units + step - 1) / step * step;
    const std::int64_t rest = machine.divisible - own;
    std::vector<std::int64_t> widths = {units};
    if (rest >= machine.partition_least) widths.push_back(rest);
    const auto made = device_.partition(widths);
    if (!made) return made.error();
    own_ = made->front().id;
    got_ = made->front().got;
    if (made->size() > 1) rest_ = made->back().id;
    return std::nullopt;
  }

  static Replay replay_of(const Party& party, PartitionId partition) {
    Replay replay;
    replay.task = party.task;
    replay.node = party.node;
    replay.partition = partition;
    replay.longest = Time::from_ms(1000);
    return replay;
  }

  std::optional<Error> prepare_neighbours() {
    if (!rest_) return std::nullopt;
    for (const auto* parties : {&enemies_, &graphs_}) {
      if (parties == &graphs_ && graphs_.size() < 2) continue;
      for (const Party& party : *parties) {
        if (const auto how = device_.prepare(replay_of(party, *rest_)); !how) return how.error();
      }
    }
    return std::nullopt;
  }

  using Neighbours = std::vector<const Party*>;
  std::vector<Neighbours> neighbours_of(std::size_t graph) const {
    std::vector<Neighbours> all = {{}};
    if (!rest_) return all;
    for (const Party& enemy : enemies_) all.push_back({&enemy});
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      if (i != graph) all.push_back({&graphs_[i]});
    }
    for (std::size_t a = 0; options_.pairs && a < enemies_.size(); ++a) {
      for (std::size_t b = a + 1; b < enemies_.size(); ++b) {
        all.push_back({&enemies_[a], &enemies_[b]});
      }
    }
    return all;
  }
  static std::string name_of(const Neighbours& neighbours) {
    if (neighbours.empty()) return "nothing";
    return neighbours.size() == 1 ? neighbours[0]->name
                                  : neighbours[0]->name + " and " + neighbours[1]->name;
  }

  std::optional<Error> take_turns(std::size_t graph, MeasuredWidth& width) {
    const auto neighbours = neighbours_of(graph);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (options_.stop.stop_requested()) return Error{"interrupted"};
      if (options_.progress) {
        options_.progress(fmt::format("{} on {} SMs beside {}", graphs_[graph].name, width.got,
                                      width.beside[i].neighbour));
      }
      if (auto problem = run_beside(graph, neighbours[i], width.beside[i].samples)) return problem;
    }
    return std::nullopt;
  }

  std::optional<Error> run_beside(std::size_t graph, const Neighbours& neighbours,
                                  std::vector<Time>& samples) {
    std::set<OpId> flying;
    bool done = false;
    const auto wait = [&]() -> std::optional<Error> {
      const auto completions = device_.wait(std::nullopt);
      if (!completions) return completions.error();
      for (const Completion& completion : *completions) {
        if (completion.failed) return Error{completion.problem};
        done = done || completion.op == kMeasured;
        flying.erase(completion.op);
      }
      return std::nullopt;
    };
    // One more run first, for the caches and the clocks.
    for (int i = 0; i <= kTurn; ++i) {
      for (std::size_t n = 0; n < neighbours.size(); ++n) {
        if (!flying.insert(n + 1).second) continue;
        if (auto problem = device_.launch(replay_of(*neighbours[n], *rest_), n + 1)) return problem;
      }
      const Time begin = device_.now();
      if (auto problem = device_.launch(replay_of(graphs_[graph], own_), kMeasured)) return problem;
      for (done = false; !done;) {
        if (auto problem = wait()) return problem;
      }
      if (i > 0) samples.push_back(device_.now() - begin);
    }
    while (!flying.empty()) {
      if (auto problem = wait()) return problem;
    }
    return std::nullopt;
  }

  void finish(MeasuredWidth& width) const {
    for (SeenBeside& seen : width.beside) {
      seen.statistics = trace::statistics_of(seen.samples);
      seen.autocorrelation = autocorrelation(seen.samples);
      const auto longest = std::max_element(seen.samples.begin(), seen.samples.end());
      seen.grew = longest - seen.samples.begin() >= std::ssize(seen.samples) / 2;
    }
    const Time more = mul_div_up(width.worst().statistics.max, 100 + options_.margin, 100);
    width.wcet = Time::from_us((more.ns() + 999) / 1000);
  }

  Device& device_;
  const std::vector<Party> graphs_, enemies_;
  const MeasureGraphsOptions& options_;
  PartitionId own_ = kWholeGpu;
  std::int64_t got_ = 0;
  std::optional<PartitionId> rest_;
};

/// The system with a best-effort task for each enemy, which is how a device knows a graph.
struct Arena {
  System system;
  Workload workload;
  std::vector<Party> graphs, enemies;
};

Arena arena_of(const System& system, const Workload& workload, const driver::Enemies& enemies) {
  Arena arena{system, workload, {}, {}};
  std::optional<ElementIndex> gpu;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const Task& source = system.tasks[task];
    for (NodeIndex node = 0; node < source.nodes.size(); ++node) {
      if (workload.graph(source.name, source.nodes[node].name) == nullptr) continue;
      arena.graphs.push_back(
          {task, node,
           fmt::format("{} of {}", quote(source.nodes[node].name), quote(source.name))});
      gpu = source.nodes[node].on;
    }
  }
  for (const driver::Enemies::Enemy& enemy : enemies.all()) {
    if (!gpu) break;
    Task task;
    task.name = "enemy " + enemy.name;
    task.best_effort = true;
    task.nodes.emplace_back();
    task.nodes.back().name = "run";
    task.nodes.back().on = *gpu;
    task.graph = Graph::chain(1);
    arena.workload.bind(task.name, "run", UserGraph{.graph = enemy.graph});
    arena.enemies.push_back({static_cast<TaskIndex>(arena.system.tasks.size()), 0, enemy.name});
    arena.system.tasks.push_back(std::move(task));
  }
  return arena;
}

/// What was measured, written into the node.
void write_into(Node& node, const MeasuredGraph& graph, const std::string& machine,
                const MeasureGraphsOptions& options) {
  node.load.reset();
  node.load_min = Time();
  node.overhead = Time();
  node.parallelism.reset();
  node.bcet = Time();
  node.times.clear();
  Measured measured;
  std::int64_t runs = 0;
  const MeasuredWidth* widest = nullptr;
  for (const MeasuredWidth& width : graph.widths) {
    for (const SeenBeside& seen : width.beside) runs += std::ssize(seen.samples);
    if (width.got == 0) {
      node.wcet = width.wcet;
      continue;
    }
    TimesEntry entry;
    entry.units = width.got;
    entry.wcet = width.wcet;
    if (!node.times.empty() && node.times.back().units == entry.units) {
      node.times.back().wcet = std::max(node.times.back().wcet, entry.wcet);
    } else {
      node.times.push_back(entry);
    }
    widest = &width;
  }
  measured.runs = runs;
  if (widest != nullptr) {
    measured.alone = widest->beside.front().statistics.max;
    measured.worst = widest->worst().statistics.max;
    measured.enemy = widest->worst().neighbour;
  }
  measured.margin = Margin{options.margin * 10'000'000LL};
  measured.on = machine;
  measured.date = today();
  node.measured = measured;
}

}  // namespace

const SeenBeside& MeasuredWidth::worst() const {
  return *std::max_element(
      beside.begin(), beside.end(),
      [](const SeenBeside& a, const SeenBeside& b) { return a.statistics.max < b.statistics.max; });
}

bool is_noisy(const trace::Statistics& alone) {
  return alone.p99 > mul_div_up(alone.p50, 110, 100) + Time::from_us(20);
}

Result<MeasuredGraphs> measure_graphs(const System& system, const Workload& workload,
                                      const MeasureGraphsOptions& options) {
  if (auto problem = workload.misfit(system)) return *problem;
  if (!workload.has_graphs()) return Error{"no graph is bound to any node"};
  std::vector<std::int64_t> widths = options.units;
  std::sort(widths.begin(), widths.end());
  widths.push_back(0);  // the whole GPU
  MeasuredGraphs result{{}, {}, system};
  for (const std::int64_t units : widths) {
    BackendOptions backend;
    backend.device = options.device;
    backend.realtime = true;
    const auto gpu = driver::open_gpu(options.device);
    if (!gpu) return gpu.error();
    const auto enemies = driver::Enemies::make(*gpu);
    if (!enemies) return enemies.error();
    const Arena arena = arena_of(system, workload, **enemies);
    backend.workload = &arena.workload;
    const auto device = open_driver_device(arena.system, backend);
    if (!device) return device.error();
    result.machine = (*device)->capabilities().name;
    auto seen = Measurement(**device, arena.graphs, arena.enemies, options).measure(units);
    if (!seen) return seen.error();
    for (std::size_t i = 0; i < seen->size(); ++i) {
      const trace::Statistics& alone = (*seen)[i].beside.front().statistics;
      if (!options.noisy && is_noisy(alone)) {
        return Error{fmt::format(
            "the machine is noisy: the graph of {} alone takes {} ns (p50) but {} ns (p99)",
            arena.graphs[i].name, alone.p50.ns(), alone.p99.ns())};
      }
      if (result.graphs.size() <= i) {
        result.graphs.push_back({arena.graphs[i].task, arena.graphs[i].node, {}});
      }
      result.graphs[i].widths.push_back(std::move((*seen)[i]));
    }
  }
  for (const MeasuredGraph& graph : result.graphs) {
    write_into(result.system.tasks[graph.task].nodes[graph.node], graph, result.machine, options);
  }
  ReadResult checked = check_system(std::move(result.system));
  if (!checked.system) return Error{checked.diagnostics.front().message};
  result.system = std::move(*checked.system);
  return result;
}

}  // namespace tactus::runtime
