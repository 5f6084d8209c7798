#include "tactus/runtime/measure_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/host/date.hpp"
#include "tactus/model/diagnostic.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/runtime/driver/enemies.hpp"
#include "tactus/runtime/measure_width.hpp"

namespace tactus::runtime {
namespace {

using Kind = MeasuredNode::Kind;

constexpr std::string_view kEmulator = "emulator";

bool is_named(const Task& task, const Node& node, const std::string& name) {
  return name == task.name || name == fmt::format("{}.{}", task.name, node.name);
}

/// What is bound to a node; nothing: its synthetic work.
std::optional<Kind> bound_kind(const Workload& workload, const Task& task, const Node& node) {
  if (workload.graph(task.name, node.name) != nullptr) return Kind::kGraph;
  if (workload.kernel(task.name, node.name) != nullptr) return Kind::kKernel;
  if (workload.function(task.name, node.name) != nullptr) return Kind::kCpu;
  if (workload.copy(task.name, node.name) != nullptr) return Kind::kCopy;
  return std::nullopt;
}

Kind synthetic_kind(ElementKind element) {
  switch (element) {
    case ElementKind::kCpu:
      return Kind::kCpu;
    case ElementKind::kCopy:
      return Kind::kCopy;
    case ElementKind::kGpu:
      break;
  }
  return Kind::kKernel;
}

/// Who takes part: what is measured, and the other GPU nodes as neighbours.
struct Cast {
  std::vector<Party> parties;
  std::vector<std::string> notes;
};

class Casting {
 public:
  Casting(const System& system, const Workload& workload, const MeasureOptions& options)
      : system_(system), workload_(workload), options_(options) {
    for (const Task& task : system.tasks) {
      for (const Node& node : task.nodes) {
        anything_bound_ = anything_bound_ || bound_kind(workload, task, node).has_value();
      }
    }
  }

  Cast make() const {
    Cast cast;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      for (NodeIndex node = 0; node < system_.tasks[task].nodes.size(); ++node) {
        consider(task, node, cast);
      }
    }
    return cast;
  }

 private:
  void consider(TaskIndex index, NodeIndex number, Cast& cast) const {
    const Task& task = system_.tasks[index];
    const Node& node = task.nodes[number];
    const ElementKind element = system_.platform.elements[node.on].kind;
    const auto bound = bound_kind(workload_, task, node);
    Party party{bound.value_or(synthetic_kind(element)), index, number,
                fmt::format("{} of {}", quote(node.name), quote(task.name)), false};
    const bool named =
        std::any_of(options_.nodes.begin(), options_.nodes.end(),
                    [&](const std::string& name) { return is_named(task, node, name); });
    party.measured = named || (options_.nodes.empty() && !task.best_effort &&
                               (anything_bound_ ? bound.has_value() : party.on_gpu()));
    if (!party.measured && !party.on_gpu()) return;
    const std::string why = why_not(node, bound);
    if (why.empty()) return cast.parties.push_back(std::move(party));
    cast.notes.push_back(fmt::format("{} is {}: {}", party.name,
                                     party.measured ? "not measured" : "no neighbour", why));
  }

  std::string why_not(const Node& node, std::optional<Kind> bound) const {
    const bool emulated = options_.backend == kEmulator;
    if (bound && !emulated) return {};
    if (!emulated && options_.backend == "driver") {
      return "nothing is bound to it, and the backend `driver` has no synthetic work";
    }
    if (bound && !node.wcet && !node.load && node.times.empty()) {
      return "the emulator takes the time of the file, and there is none";
    }
    return why_without_work(system_, node);
  }

  const System& system_;
  const Workload& workload_;
  const MeasureOptions& options_;
  bool anything_bound_ = false;
};

/// The system with a best-effort task for each enemy, which is how a device knows a graph.
struct Arena {
  System system;
  Workload workload;
  std::vector<Party> enemies;
};

Arena arena_of(const System& system, const Workload& workload, const driver::Enemies* enemies,
               const MeasureOptions& options) {
  Arena arena{system, workload, {}};
  const auto& elements = system.platform.elements;
  const auto gpu = std::find_if(elements.begin(), elements.end(), [](const Element& element) {
    return element.kind == ElementKind::kGpu;
  });
  if (enemies == nullptr || gpu == elements.end()) return arena;
  for (const driver::Enemies::Enemy& enemy : enemies->all()) {
    if (std::find(options.enemies.begin(), options.enemies.end(), enemy.name) ==
        options.enemies.end()) {
      continue;
    }
    Task task;
    task.name = "enemy " + enemy.name;
    task.best_effort = true;
    task.nodes.emplace_back();
    task.nodes.back().name = "run";
    task.nodes.back().on = static_cast<ElementIndex>(gpu - elements.begin());
    task.graph = Graph::chain(1);
    arena.workload.bind(task.name, "run", UserGraph{.graph = enemy.graph});
    arena.enemies.push_back(
        {Kind::kGraph, static_cast<TaskIndex>(arena.system.tasks.size()), 0, enemy.name, false});
    arena.system.tasks.push_back(std::move(task));
  }
  return arena;
}

std::int64_t divisible_on(const Capabilities& machine) {
  return machine.divisible > 0 ? machine.divisible : machine.sms;
}

/// One step of partitions, two, four ... and all that can be divided.
std::vector<std::int64_t> usual_widths(const Capabilities& machine) {
  const std::int64_t all = divisible_on(machine);
  std::vector<std::int64_t> widths;
  for (std::int64_t width = std::max<std::int64_t>(machine.partition_least, 1); width < all;
       width *= 2) {
    widths.push_back(width);
  }
  if (all > 0) widths.push_back(all);
  return widths;
}

/// What was measured, written into the node.
void write_into(Node& node, const MeasuredNode& seen, const std::string& machine,
                const MeasureOptions& options) {
  const bool on_gpu = seen.kind == Kind::kGraph || seen.kind == Kind::kKernel;
  if (on_gpu) {
    node.load.reset();
    node.load_min = Time();
    node.overhead = Time();
    node.parallelism.reset();
    node.times.clear();
  }
  node.bcet = Time();
  Measured measured;
  std::int64_t runs = 0;
  const MeasuredWidth* shown = &seen.widths.back();
  for (const MeasuredWidth& width : seen.widths) {
    for (const SeenBeside& beside : width.beside) runs += std::ssize(beside.samples);
    if (width.got == 0) {
      node.wcet = width.wcet;
      if (options.bcet) node.bcet = width.bcet;
      continue;
    }
    TimesEntry entry;
    entry.units = width.got;
    entry.wcet = width.wcet;
    if (options.bcet) entry.bcet = width.bcet;
    if (!node.times.empty() && node.times.back().units == entry.units) {
      node.times.back().wcet = std::max(node.times.back().wcet, entry.wcet);
      node.times.back().bcet = std::min(node.times.back().bcet, entry.bcet);
    } else {
      node.times.push_back(entry);
    }
    // The widest that has neighbours says most.
    if (width.beside.size() > 1 || shown->beside.size() == 1) shown = &width;
  }
  measured.runs = runs;
  measured.alone = shown->beside.front().statistics.max;
  measured.worst = shown->worst().statistics.max;
  measured.enemy = shown->worst().neighbour;
  measured.margin = Margin{options.margin * 10'000'000LL};
  measured.on = machine;
  measured.date = host::today();
  node.measured = measured;
}

/// One width after the other, each on a fresh device: the SMs of a device are divided once.
class Measuring {
 public:
  Measuring(const System& system, const Workload& workload, const MeasureOptions& options,
            Cast cast)
      : system_(system), workload_(workload), options_(options), parties_(std::move(cast.parties)) {
    result_.notes = std::move(cast.notes);
    result_.system = system;
  }

  Result<MeasuredNodes> run() {
    const bool emulated = options_.backend == kEmulator;
    const gpu::Watch watch(emulated ? std::nullopt : std::optional(options_.machine.device));
    // The whole GPU first: then the machine is known.
    if (auto problem = measure(0)) return *problem;
    std::vector<std::int64_t> widths = options_.units ? *options_.units : usual_;
    std::sort(widths.begin(), widths.end());
    widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
    const bool on_gpu = std::any_of(parties_.begin(), parties_.end(), [](const Party& party) {
      return party.measured && party.on_gpu();
    });
    for (const std::int64_t width : widths) {
      if (!on_gpu) break;
      if (auto problem = measure(width)) return *problem;
    }
    for (MeasuredNode& node : result_.nodes) {
      std::rotate(node.widths.begin(), node.widths.begin() + 1, node.widths.end());
    }
    result_.conditions = watch.end();
    note_conditions(emulated);
    return write();
  }

 private:
  std::optional<Error> measure(std::int64_t units) {
    std::unique_ptr<driver::Enemies> enemies;
    if (options_.backend != kEmulator && !options_.enemies.empty()) {
      const auto gpu = driver::open_gpu(options_.machine.device);
      if (!gpu) return gpu.error();
      auto made = driver::Enemies::make(*gpu);
      if (!made) return made.error();
      enemies = std::move(*made);
    }
    const Arena arena = arena_of(system_, workload_, enemies.get(), options_);
    BackendOptions machine = options_.machine;
    machine.workload = &arena.workload;
    const auto device = open_backend(options_.backend, arena.system, machine);
    if (!device) return device.error();
    result_.machine = (*device)->capabilities().name;
    result_.divisible = divisible_on((*device)->capabilities());
    result_.step = std::max<std::int64_t>((*device)->capabilities().partition_step, 1);
    usual_ = usual_widths((*device)->capabilities());
    auto seen =
        WidthMeasurement(arena.system, **device, parties_, arena.enemies, options_).measure(units);
    if (!seen) return seen.error();
    return take(std::move(*seen));
  }

  std::optional<Error> take(std::vector<MeasuredWidth> seen) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const Party& party = parties_[i];
      if (!party.measured) continue;
      if (place == result_.nodes.size()) {
        result_.nodes.push_back({party.kind, party.task, party.node, {}});
      }
      MeasuredNode& node = result_.nodes[place++];
      if (seen[i].beside.empty()) continue;
      const trace::Statistics& alone = seen[i].beside.front().statistics;
      if (!options_.noisy && party.on_gpu() && is_noisy(alone)) {
        return Error{fmt::format(
            "the machine is noisy: {} alone takes {} ns (p50) but {} ns (p99); find out what else "
            "runs, or ask for noisy-ok",
            party.name, alone.p50.ns(), alone.p99.ns())};
      }
      node.widths.push_back(std::move(seen[i]));
    }
    return std::nullopt;
  }

  void note_conditions(bool emulated) {
    if (emulated) {
      result_.notes.push_back(
          "the emulator takes the times of the file, and nothing disturbs anything there: this "
          "shows the procedure, not a machine");
    } else if (!result_.conditions.after) {
      result_.notes.push_back(
          "clocks and temperature are not known: libnvidia-ml.so.1 (NVML) does not tell them");
    }
  }

  Result<MeasuredNodes> write() {
    for (const MeasuredNode& node : result_.nodes) {
      write_into(result_.system.tasks[node.task].nodes[node.node], node, result_.machine, options_);
    }
    ReadResult checked = check_system(std::move(result_.system));
    if (!checked.system) return Error{checked.diagnostics.front().message};
    result_.system = std::move(*checked.system);
    return std::move(result_);
  }

  const System& system_;
  const Workload& workload_;
  const MeasureOptions& options_;
  const std::vector<Party> parties_;
  std::vector<std::int64_t> usual_;
  MeasuredNodes result_;
};

}  // namespace

const SeenBeside& MeasuredWidth::worst() const {
  return *std::max_element(
      beside.begin(), beside.end(),
      [](const SeenBeside& a, const SeenBeside& b) { return a.statistics.max < b.statistics.max; });
}

std::string_view word_of(MeasuredNode::Kind kind) {
  switch (kind) {
    case Kind::kGraph:
      return "graph";
    case Kind::kKernel:
      return "kernel";
    case Kind::kCpu:
      return "cpu";
    case Kind::kCopy:
      return "copy";
  }
  return "";
}

bool is_noisy(const trace::Statistics& alone) {
  return alone.p99 > mul_div_up(alone.p50, 110, 100) + Time::from_us(20);
}

std::optional<Error> unknown_in(const System& system, const MeasureOptions& options) {
  for (const std::string& name : options.nodes) {
    const bool known = std::any_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) {
      return std::any_of(task.nodes.begin(), task.nodes.end(),
                         [&](const Node& node) { return is_named(task, node, name); });
    });
    if (!known) {
      return Error{fmt::format("there is no task or node {} (TASK, or TASK.NODE)", quote(name))};
    }
  }
  for (const std::string& name : options.enemies) {
    if (std::find(kEnemies.begin(), kEnemies.end(), name) != kEnemies.end()) continue;
    return Error{
        fmt::format("there is no enemy {}; there are {}", quote(name), fmt::join(kEnemies, ", "))};
  }
  return std::nullopt;
}

Result<MeasuredNodes> measure_nodes(const System& system, const Workload& workload,
                                    const MeasureOptions& options) {
  if (auto problem = workload.misfit(system)) return *problem;
  if (auto problem = unknown_in(system, options)) return *problem;
  Cast cast = Casting(system, workload, options).make();
  const bool any = std::any_of(cast.parties.begin(), cast.parties.end(),
                               [](const Party& party) { return party.measured; });
  if (!any) {
    return Error{cast.notes.empty() ? "there is nothing to measure: no node of the file is on a GPU"
                                    : "there is nothing to measure: " + cast.notes.front()};
  }
  return Measuring(system, workload, options, std::move(cast)).run();
}

}  // namespace tactus::runtime
