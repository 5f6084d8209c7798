#include "tactus/runtime/measure/measure_cast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tactus/base/diagnostic.hpp"

namespace tactus::runtime {
namespace {

using Kind = MeasuredNode::Kind;

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
    const Element& element = system_.platform.elements[node.on];
    const auto bound = bound_kind(workload_, task, node);
    Party party{bound.value_or(synthetic_kind(element.kind)), index, number,
                fmt::format("{} of {}", quote(node.name), quote(task.name)), false};
    const bool named =
        std::any_of(options_.nodes.begin(), options_.nodes.end(),
                    [&](const std::string& name) { return is_named(task, node, name); });
    party.measured =
        named || (options_.nodes.empty() && !task.best_effort &&
                  (anything_bound_ ? bound.has_value() : party.on_gpu() || disturbed(element)));
    if (!party.measured && !party.on_gpu() && !disturbed(element)) return;
    const std::string why = why_not(node, bound);
    if (why.empty()) return cast.parties.push_back(std::move(party));
    cast.notes.push_back(fmt::format("{} is {}: {}", party.name,
                                     party.measured ? "not measured" : "no neighbour", why));
  }

  /// The times of copies that share an engine are those beside other copies.
  static bool disturbed(const Element& element) { return element.sharing == CopySharing::kShared; }

  std::string why_not(const Node& node, std::optional<Kind> bound) const {
    const bool emulated = is_emulated(options_);
    if (bound && !emulated) return {};
    if (options_.backend == "driver" || options_.backend == "cpu") {
      return fmt::format("nothing is bound to it, and the backend `{}` has no synthetic work",
                         options_.backend);
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

}  // namespace

Cast cast_of(const System& system, const Workload& workload, const MeasureOptions& options) {
  return Casting(system, workload, options).make();
}

Arena arena_of(const System& system, const Workload& workload, const driver::Enemies* enemies,
               const MeasureOptions& options) {
  Arena arena{system, workload, {}};
  const auto& elements = system.platform.elements;
  const auto gpu = std::find_if(elements.begin(), elements.end(), [](const Element& element) {
    return element.kind == ElementKind::kGpu;
  });
  if (enemies == nullptr || gpu == elements.end()) return arena;
  for (const driver::Enemies::Enemy& enemy : enemies->all()) {
    if (std::find(options.enemies.begin(), options.enemies.end(),
                  enemy.of_copies ? "copies" : enemy.name) == options.enemies.end()) {
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
    arena.enemies.push_back({Kind::kGraph, static_cast<TaskIndex>(arena.system.tasks.size()), 0,
                             enemy.name, false, enemy.of_copies});
    arena.system.tasks.push_back(std::move(task));
  }
  return arena;
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

}  // namespace tactus::runtime
