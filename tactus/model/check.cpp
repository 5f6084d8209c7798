#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "tactus/model/check_pipelines.hpp"
#include "tactus/model/codec.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/without_effect.hpp"

/// What must hold between fields, for every method. Methods check themselves what only they need.
namespace tactus {
namespace {

void check_priorities(const Origin& origin, ReadContext& context, const System& system) {
  std::map<std::int64_t, TaskIndex> owner;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.best_effort || !task.priority) continue;
    const auto [entry, fresh] = owner.emplace(*task.priority, i);
    if (fresh) continue;
    const Origin item = origin.item("tasks", i, task.at);
    ReadContext::Scope scope(context, "task", i, item.name(task.name));
    context.error(item.at("priority"),
                  fmt::format("`priority` {} is also that of task {}; priorities must be unique",
                              *task.priority, quote(system.tasks[entry->second].name)));
  }
}

void check_batch_times(const Origin& origin, ReadContext& context, const System& system,
                       const Batch& batch) {
  const bool alone = batch.tasks.size() == 1;
  if (alone && batch.forbid) {
    context.error(origin.here(), "a task alone cannot be forbidden");
    return;
  }
  if (!batch.completion || *batch.completion < Time()) return;
  for (TaskIndex index : batch.tasks) {
    if (index >= system.tasks.size()) continue;  // already reported
    const Task& task = system.tasks[index];
    if (task.nodes.size() != 1 || !task.nodes.front().wcet) continue;
    const Time wcet = *task.nodes.front().wcet;
    if (wcet < Time()) continue;
    if (*batch.completion < wcet) {
      context.error(origin.at("completion"),
                    fmt::format("`completion` is below the wcet of task {}", quote(task.name)));
    } else if (alone && *batch.completion != wcet) {
      context.error(
          origin.at("completion"),
          fmt::format("`completion` of task {} alone must be its wcet", quote(task.name)));
    }
  }
}

void check_batches(const Origin& origin, ReadContext& context, const System& system) {
  if (system.interference && system.interference->model == InterferenceModel::kNone) {
    context.error(origin.at("batches"), "`batches` contradict the interference model `none`");
  }
  std::set<std::pair<bool, std::vector<TaskIndex>>> listed;
  for (std::size_t i = 0; i < system.batches.size(); ++i) {
    const Batch& batch = system.batches[i];
    const Origin item = origin.item("batches", i, batch.at);
    ReadContext::Scope scope(context, "batch", i, std::string_view());
    check_batch_times(item, context, system, batch);
    std::vector<TaskIndex> key = batch.tasks;
    if (!batch.ordered) std::sort(key.begin(), key.end());
    if (!key.empty() && !listed.emplace(batch.ordered, std::move(key)).second) {
      context.error(item.here(), batch.ordered ? "this order of tasks is listed twice"
                                               : "this set of tasks is listed twice");
    }
  }
}

/// The cpu element whose cores are counted: the largest if there are several; null if there is
/// none.
const Element* largest_cpu(const Platform& platform) {
  const Element* cpu = nullptr;
  for (const Element& element : platform.elements) {
    if (element.kind != ElementKind::kCpu) continue;
    if (cpu == nullptr || element.units > cpu->units) cpu = &element;
  }
  return cpu;
}

/// A core that does not exist is wrong for every method. Without a cpu element there is one core,
/// which no element describes.
void check_cores(const Origin& origin, ReadContext& context, const System& system) {
  const Element* cpu = largest_cpu(system.platform);
  const std::int64_t cores = cpu == nullptr ? 1 : cpu->units;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (!task.core || *task.core <= cores) continue;
    const Origin item = origin.item("tasks", i, task.at);
    ReadContext::Scope scope(context, "task", i, item.name(task.name));
    const std::string problem =
        cpu == nullptr
            ? fmt::format("`core` is {}, but the platform has no cpu element", *task.core)
            : fmt::format("`core` ({}) exceeds the `units` of element {} ({})", *task.core,
                          quote(cpu->name), cores);
    context.error(item.at("core"), problem);
  }
}

/// The arbiter runs on a core of the cpu element.
void check_arbiter_cores(const Origin& origin, ReadContext& context, const Platform& platform) {
  const Element* cpu = largest_cpu(platform);
  for (std::size_t i = 0; i < platform.elements.size(); ++i) {
    const Element& element = platform.elements[i];
    const std::optional<std::int64_t> core = element.arbiter_core;
    if (!core || (cpu != nullptr && *core <= cpu->units)) continue;
    const Origin item = origin.item("elements", i, element.at);
    ReadContext::Scope scope(context, "element", i, item.name(element.name));
    const std::string problem =
        cpu == nullptr ? "`arbiter_core` names a core, but the platform has no cpu element"
                       : fmt::format("`arbiter_core` ({}) exceeds the `units` of element {} ({})",
                                     *core, quote(cpu->name), cpu->units);
    context.error(item.at("arbiter_core"), problem);
  }
}

/// Only copies meet on a copy engine.
void check_sharing(const Origin& origin, ReadContext& context, const Platform& platform) {
  for (std::size_t i = 0; i < platform.elements.size(); ++i) {
    const Element& element = platform.elements[i];
    if (!element.sharing || element.kind == ElementKind::kCopy) continue;
    const Origin item = origin.item("elements", i, element.at);
    ReadContext::Scope scope(context, "element", i, item.name(element.name));
    context.error(item.at("sharing"), "`sharing` is for elements of kind `copy`");
  }
}

/// A threshold protects GPU work; below the priority of its own task it would do the opposite.
void check_thresholds(const Origin& origin, ReadContext& context, const System& system) {
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const std::optional<std::int64_t> own = task.gpu_priority ? task.gpu_priority : task.priority;
    if (task.best_effort || !own) continue;
    for (NodeIndex k = 0; k < task.nodes.size(); ++k) {
      const Node& node = task.nodes[k];
      if (!node.gpu_threshold || *node.gpu_threshold >= *own) continue;
      const Origin item = origin.item("tasks", i, task.at);
      const Origin inner = item.item("nodes", k, node.at);
      ReadContext::Scope in_task(context, "task", i, item.name(task.name));
      ReadContext::Scope in_node(context, "node", k, inner.name(node.name));
      context.error(inner.at("gpu_threshold"),
                    fmt::format("`gpu_threshold` ({}) is below the GPU priority of its task ({})",
                                *node.gpu_threshold, *own));
    }
  }
}

/// `low` must not exceed `high`, if both are given.
void check_at_most(const Origin& origin, ReadContext& context, std::string_view low, Time value,
                   std::string_view high, const std::optional<Time>& limit) {
  if (!limit || value <= *limit || !origin.usable(high, true)) return;
  context.error(origin.at(low), fmt::format("`{}` ({}) exceeds `{}` ({})", low,
                                            format_time(value, context.time_unit), high,
                                            format_time(*limit, context.time_unit)));
}

/// The points of a measured curve: units rise and exist.
void check_entries(const Origin& origin, ReadContext& context, const Node& node,
                   const ReadContext::ElementFacts* element) {
  std::int64_t before = 0;
  for (std::size_t i = 0; i < node.times.size(); ++i) {
    const TimesEntry& entry = node.times[i];
    if (entry.units < 1 || entry.units > codec::kMaxCount) continue;  // already reported
    const Place units = origin.item("times", i, entry.at).at("units");
    ReadContext::Scope scope(context, "time", i, std::string_view());
    if (entry.units <= before) {
      context.error(units, fmt::format("`units` must rise from entry to entry, got {} after {}",
                                       entry.units, before));
    } else if (element != nullptr && entry.units > element->units) {
      context.error(units, fmt::format("`units` ({}) exceeds the `units` of element {} ({})",
                                       entry.units, quote(element->name), element->units));
    }
    before = std::max(before, entry.units);
  }
}

/// What overlaps is part of both.
void check_overlap(const Origin& origin, ReadContext& context, const Node& node) {
  if (node.overlap <= node.launch) {
    return check_at_most(origin, context, "overlap", node.overlap, "wcet", node.wcet);
  }
  context.error(origin.at("overlap"), fmt::format("`overlap` ({}) exceeds `launch` ({})",
                                                  format_time(node.overlap, context.time_unit),
                                                  format_time(node.launch, context.time_unit)));
}

/// `times` is for GPU nodes, and the only description of the kernel's time on fewer units.
void check_times(const Origin& origin, ReadContext& context, const Node& node) {
  if (node.times.empty()) return;
  const bool placed = origin.usable("on", true) && node.on < context.facts.size();
  const auto* element = placed ? &context.facts[node.on] : nullptr;
  if (element != nullptr && element->kind != ElementKind::kGpu) {
    context.error(origin.at("times"),
                  fmt::format("`times` is for nodes on a gpu element; element {} is none",
                              quote(element->name)));
    element = nullptr;
  }
  const std::pair<std::string_view, bool> others[] = {
      {"load", node.load.has_value()},
      {"load_min", node.load_min != Time()},
      {"parallelism", node.parallelism.has_value()}};
  for (const auto& [other, set] : others) {
    if (!origin.written(other, set)) continue;
    context.error(origin.at(other), fmt::format("`{}` and `times` exclude each other", other));
  }
  if (origin.written("bcet", node.bcet != Time()) &&
      !origin.written("wcet", node.wcet.has_value())) {
    context.error(origin.at("bcet"), "`bcet` beside `times` goes with a `wcet`, which is missing");
  }
  check_entries(origin, context, node, element);
}

}  // namespace

template <>
void check(const Origin& origin, ReadContext& context, Platform& platform) {
  if (context.failed()) return;  // an element is not what it should be
  check_arbiter_cores(origin, context, platform);
  check_sharing(origin, context, platform);
  if (context.failed()) return;
  for (std::size_t i = 0; i < platform.elements.size(); ++i) {
    const Element& element = platform.elements[i];
    context.facts.push_back({element.name, element.kind, element.units});
    const Origin item = origin.item("elements", i, element.at);
    const ReadContext::Scope scope(context, "element", i, item.name(element.name));
    warn_without_effect(item, context, element);
  }
}

template <>
void check(const Origin& origin, ReadContext& context, System& system) {
  check_priorities(origin, context, system);
  check_thresholds(origin, context, system);
  // If the platform itself is wrong, it says nothing about its cores.
  if (!context.failed()) check_cores(origin, context, system);
  if (!system.batches.empty()) check_batches(origin, context, system);
  connect_tasks(origin, context, system);
  check_chains(origin, context, system);
  if (!context.failed()) warn_of_unlikely_unit(origin, context, system);
}

template <>
void check(const Origin& origin, ReadContext& context, Task& task) {
  if (task.nodes.empty() && origin.usable("nodes", true)) {
    context.error(origin.at("nodes"), "a task needs at least one node");
  }
  warn_without_effect(origin, context, task);
  if (!task.deadline) task.deadline = task.period;
  if (!origin.written("edges", task.graph.size() > 0)) {
    task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  }
}

template <>
void check(const Origin& origin, ReadContext& context, TimesEntry& entry) {
  check_at_most(origin, context, "bcet", entry.bcet, "wcet", entry.wcet);
}

template <>
void check(const Origin& origin, ReadContext& context, Node& node) {
  check_at_most(origin, context, "bcet", node.bcet, "wcet", node.wcet);
  check_at_most(origin, context, "load_min", node.load_min, "load", node.load);
  check_at_most(origin, context, "overhead", node.overhead, "load", node.load);
  if (!origin.spoilt("launch")) check_overlap(origin, context, node);
  check_times(origin, context, node);
  const bool placed = origin.usable("on", true) && node.on < context.facts.size();
  if (placed && !context.failed()) warn_without_effect(origin, context, node);
}

template <>
void check(const Origin& origin, ReadContext& context, Batch& batch) {
  if (origin.usable("tasks", true) && batch.tasks.empty()) {
    context.error(origin.at("tasks"), "a batch needs at least one task");
  }
  std::vector<TaskIndex> sorted = batch.tasks;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    context.error(origin.at("tasks"), "a task is listed twice in this batch");
  }
  const bool completes = origin.written("completion", batch.completion.has_value());
  if (completes && batch.forbid) {
    context.error(origin.here(), "`completion` and `forbid` exclude each other");
  } else if (!completes && !batch.forbid && !origin.spoilt("forbid")) {
    context.error(origin.here(), "a batch needs either `completion` or `forbid`");
  }
}

}  // namespace tactus
