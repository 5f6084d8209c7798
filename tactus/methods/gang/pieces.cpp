#include "tactus/methods/gang/pieces.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/obstacles.hpp"
#include "tactus/methods/ways_out.hpp"

namespace tactus::gang {
namespace {

/// Threads alone do not determine when a block is refused: registers, shared memory and block slots
/// may be used up first. Counting the largest share of a unit that a block takes repairs that,
/// because a block refused for any resource then leaves less than m_i of it free.
std::int64_t dominant_share(std::int64_t width, const Node& node, const Element& element) {
  if (element.lanes == 1 || !element.sm) return width;
  const SmLimits& sm = *element.sm;
  const std::int64_t threads = node.threads.value_or(width);
  const auto take = [&](__int128 amount, const std::optional<std::int64_t>& limit) {
    if (!limit) return;
    const __int128 share = (amount * element.lanes + *limit - 1) / *limit;
    // What exceeds the unit is refused later; it only must not wrap around.
    constexpr __int128 kFarTooWide = INT64_MAX;
    width = std::max(width, static_cast<std::int64_t>(std::min(share, kFarTooWide)));
  };
  take(threads, sm.threads);
  take(1, sm.blocks);
  if (node.registers) take(static_cast<__int128>(threads) * *node.registers, sm.registers);
  if (node.shared_memory) take(*node.shared_memory, sm.shared_memory);
  return width;
}

/// The width that the file states. Nothing for a GPU node that says only its time on the whole
/// element: how many processors that takes is not known, and 1 would be the optimistic reading.
std::optional<std::int64_t> stated_width(const Node& node, const Element& element) {
  if (states_width(element, node)) return node.parallelism ? node.parallelism : node.threads;
  const bool divisible = element.units > 1 || element.lanes > 1;
  if (element.kind == ElementKind::kGpu && divisible) return std::nullopt;
  return 1;
}

class Reading {
 public:
  explicit Reading(const System& system) : system_(system) {
    for (ElementIndex p = 0; p < system.platform.elements.size(); ++p) {
      if (system.platform.elements[p].kind == ElementKind::kCpu) cpus_.push_back(p);
    }
  }

  Result<std::vector<GangTask>, Refusal> run() {
    std::vector<GangTask> tasks;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (!system_.tasks[task].best_effort) tasks.push_back(read(task));
    }
    if (tasks.empty()) obstacles_.refuse("there is no real-time task to analyse");
    if (obstacles_.any()) return std::move(obstacles_).refusal();
    return tasks;
  }

 private:
  GangTask read(TaskIndex index) {
    const Task& task = system_.tasks[index];
    GangTask gangs{index, task.period.value_or(Time()), task.deadline.value_or(Time()), {}, {}};
    if (!task.period) {
      obstacles_.lacks(task, {"period"}, "has no period; gang needs one");
    } else if (*task.deadline > *task.period) {
      obstacles_.refuse(task,
                        fmt::format("has a deadline of {}, which exceeds its period {}; gang "
                                    "needs D <= T: {}",
                                    shown(*task.deadline), shown(*task.period), kCutAtThePeriod));
    }
    std::vector<NodeIndex> first(task.nodes.size()), last(task.nodes.size());
    std::vector<Edge> edges;
    for (NodeIndex node = 0; node < task.nodes.size(); ++node) {
      first[node] = static_cast<NodeIndex>(gangs.pieces.size());
      if (task.nodes[node].launch > Time()) gangs.pieces.push_back(read_launch(task, node));
      last[node] = static_cast<NodeIndex>(gangs.pieces.size());
      gangs.pieces.push_back(read_node(task, node));
      if (first[node] != last[node]) edges.emplace_back(first[node], last[node]);
    }
    if (edges.empty()) {  // without launches the pieces are the nodes
      gangs.graph = task.graph;
      return gangs;
    }
    for (const auto& [from, to] : task.graph.edges()) edges.emplace_back(last[from], first[to]);
    gangs.graph = Graph(static_cast<NodeIndex>(gangs.pieces.size()), edges);
    return gangs;
  }

  Piece read_launch(const Task& task, NodeIndex index) {
    const Node& node = task.nodes[index];
    Piece piece{index, true, 0, 1, {{1, node.launch, Time(), {}}}};
    if (system_.platform.elements[node.on].kind != ElementKind::kGpu) {
      obstacles_.refuse(task, node,
                        fmt::format("has a launch time of {}, but is not on a GPU; give the CPU "
                                    "part its own node",
                                    shown(node.launch)));
    } else if (cpus_.size() != 1) {
      obstacles_.refuse(
          task, node,
          fmt::format("has a launch time of {}, which needs exactly one cpu element to run on, and "
                      "there {}; give the CPU part its own node",
                      shown(node.launch),
                      cpus_.empty() ? "is none" : fmt::format("are {}", cpus_.size())));
    } else {
      piece.on = cpus_.front();
    }
    return piece;
  }

  Piece read_node(const Task& task, NodeIndex index) {
    const Node& node = task.nodes[index];
    const Element& element = system_.platform.elements[node.on];
    Piece piece{index, false, node.on, 1, {}};
    if (!node.times.empty()) {
      piece.moldable = true;
      for (const TimesEntry& entry : node.times) {
        piece.choices.push_back({entry.units, entry.wcet, entry.bcet, {}});
      }
      if (element.lanes > 1) {
        obstacles_.refuse(task, node,
                          fmt::format("has `times`, which count units of {}, but a gang must fit "
                                      "one unit ({} lanes)",
                                      quote(element.name), element.lanes));
      }
      return piece;
    }
    if (element.lanes > 1) piece.copies = node.blocks.value_or(1);
    piece.choices = {rigid(task, node, element)};
    return piece;
  }

  TimesEntry rigid(const Task& task, const Node& node, const Element& element) {
    const auto stated = stated_width(node, element);
    if (!node.wcet) {
      refuse_without_time(task, node, element, stated.has_value());
      return {};
    }
    if (!stated) {
      // `times` would be refused where units have lanes.
      lacks_time_on_fewer(obstacles_, task, node,
                          {element.lanes > 1 ? "threads" : "times", "parallelism"});
    }
    const std::int64_t width = dominant_share(stated.value_or(1), node, element);
    if (width > (element.lanes > 1 ? element.lanes : element.units)) {
      const std::string room =
          element.lanes > 1
              ? fmt::format("one unit of {} ({} lanes)", quote(element.name), element.lanes)
              : fmt::format("{} ({} units)", quote(element.name), element.units);
      obstacles_.refuse(task, node,
                        fmt::format("is a gang of {} and does not fit {}", width, room));
    }
    return {width, *node.wcet, std::min(node.bcet, *node.wcet), {}};
  }

  void refuse_without_time(const Task& task, const Node& node, const Element& element,
                           bool has_width) {
    const bool curve = element.kind == ElementKind::kGpu && element.lanes == 1 && !node.load;
    if (curve && !has_width) {
      return obstacles_.lacks(task, node, {"times"},
                              "has no time; gang needs `times`, or `wcet` with `parallelism`");
    }
    obstacles_.lacks(task, node, {"wcet"},
                     node.load
                         ? "is malleable, which rtgpu can use; gang needs its wcet on a fixed "
                           "number of units"
                         : "has no wcet; gang needs it");
    if (!has_width) {
      obstacles_.lacks(task, node, {"parallelism"},
                       "does not say how many units its wcet is for; give `parallelism`");
    }
  }

  std::string shown(Time time) const { return format_time(time, system_.time_unit); }

  const System& system_;
  std::vector<ElementIndex> cpus_;
  Obstacles obstacles_;
};

}  // namespace

std::uint32_t Piece::fastest_within(std::int64_t units) const {
  return static_cast<std::uint32_t>(entry_for(choices, units) - choices.data());
}

bool GangTask::moldable() const {
  return std::any_of(pieces.begin(), pieces.end(), [](const Piece& p) { return p.moldable; });
}

TasksOrRefusal make_tasks(const System& system) { return Reading(system).run(); }

std::vector<std::string> notes_on(const System& system, const std::vector<GangTask>& tasks) {
  for (const GangTask& task : tasks) {
    for (const Piece& piece : task.pieces) {
      if (!piece.launch) continue;
      return {fmt::format("launch times run on {} as nodes of their own, before their kernels",
                          quote(system.platform.elements[piece.on].name))};
    }
  }
  return {};
}

std::string name_of(const Task& task, const Piece& piece) {
  return task.nodes[piece.node].name + (piece.launch ? " (launch)" : "");
}

}  // namespace tactus::gang
