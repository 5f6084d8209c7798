#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "tactus/model/format.hpp"

/// What must hold between fields, for every method. What only some methods need is theirs to ask.
namespace tactus {
namespace {

void check_priorities(const json::Value& tasks, ReadContext& context, const System& system) {
  std::map<std::int64_t, TaskIndex> owner;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.best_effort || !task.priority) continue;
    const auto [entry, fresh] = owner.emplace(*task.priority, i);
    if (fresh) continue;
    ReadContext::Scope scope(context, "task", i, tasks.items()[i]);
    context.error(*tasks.items()[i].find("priority"),
                  fmt::format("`priority` {} is also that of task {}; priorities must be unique",
                              *task.priority, quote(system.tasks[entry->second].name)));
  }
}

void check_batch_times(const json::Value& source, ReadContext& context, const System& system,
                       const Batch& batch) {
  const bool alone = batch.tasks.size() == 1;
  if (alone && batch.forbid) {
    context.error(source, "a task alone cannot be forbidden");
    return;
  }
  if (!batch.completion) return;
  const json::Value& completion = *source.find("completion");
  for (TaskIndex index : batch.tasks) {
    const Task& task = system.tasks[index];
    if (task.nodes.size() != 1 || !task.nodes.front().wcet) continue;
    const Time wcet = *task.nodes.front().wcet;
    if (*batch.completion < wcet) {
      context.error(completion,
                    fmt::format("`completion` is below the wcet of task {}", quote(task.name)));
    } else if (alone && *batch.completion != wcet) {
      context.error(completion, fmt::format("`completion` of task {} alone must be its wcet",
                                            quote(task.name)));
    }
  }
}

void check_batches(const json::Value& source, ReadContext& context, const System& system) {
  if (system.interference && system.interference->model == InterferenceModel::kNone) {
    context.error(source, "`batches` contradict the interference model `none`");
  }
  std::set<std::pair<bool, std::vector<TaskIndex>>> listed;
  for (std::size_t i = 0; i < system.batches.size(); ++i) {
    const Batch& batch = system.batches[i];
    const json::Value& item = source.items()[i];
    ReadContext::Scope scope(context, "batch", i, item);
    check_batch_times(item, context, system, batch);
    std::vector<TaskIndex> key = batch.tasks;
    if (!batch.ordered) std::sort(key.begin(), key.end());
    if (!key.empty() && !listed.emplace(batch.ordered, std::move(key)).second) {
      context.error(item, batch.ordered ? "this order of tasks is listed twice"
                                        : "this set of tasks is listed twice");
    }
  }
}

/// The arbiter runs on a core of the cpu element (of the largest, should there be several).
void check_arbiter_cores(const json::Value& source, ReadContext& context,
                         const Platform& platform) {
  const Element* cpu = nullptr;
  for (const Element& element : platform.elements) {
    if (element.kind != ElementKind::kCpu) continue;
    if (cpu == nullptr || element.units > cpu->units) cpu = &element;
  }
  for (std::size_t i = 0; i < platform.elements.size(); ++i) {
    const std::optional<std::int64_t> core = platform.elements[i].arbiter_core;
    if (!core || (cpu != nullptr && *core <= cpu->units)) continue;
    const json::Value& item = source.items()[i];
    ReadContext::Scope scope(context, "element", i, item);
    const std::string problem =
        cpu == nullptr ? "`arbiter_core` names a core, but the platform has no cpu element"
                       : fmt::format("`arbiter_core` ({}) exceeds the `units` of element {} ({})",
                                     *core, quote(cpu->name), cpu->units);
    context.error(*item.find("arbiter_core"), problem);
  }
}

/// Was `key` written as 0? Else a zero stands for something that has been complained about.
bool written_as_zero(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  if (value == nullptr || !value->is(json::Kind::kNumber)) return false;
  const auto number = parse_scaled(value->text(), 0, Rounding::kUp);
  return number && number->exact && number->value == 0;
}

/// The points of a measured curve: units rise and exist, lower bounds do not exceed upper ones.
void check_entries(const json::Value& source, ReadContext& context, const Node& node,
                   const ReadContext::ElementFacts* element) {
  std::int64_t before = 0;
  for (std::size_t i = 0; i < node.times.size(); ++i) {
    const TimesEntry& entry = node.times[i];
    const json::Value& item = source.items()[i];
    ReadContext::Scope scope(context, "time", i, item);
    if (entry.bcet > entry.wcet && (entry.wcet > Time() || written_as_zero(item, "wcet"))) {
      context.error(*item.find("bcet"), fmt::format("`bcet` ({}) exceeds `wcet` ({})",
                                                    format_time(entry.bcet, context.time_unit),
                                                    format_time(entry.wcet, context.time_unit)));
    }
    if (entry.units == 0) continue;  // told already
    const json::Value& units = *item.find("units");
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

/// `times` is for GPU nodes, and the only description of the kernel's time on fewer units.
void check_times(const json::Value& source, ReadContext& context, const Node& node) {
  const json::Value* times = source.find("times");
  if (times == nullptr || !times->is(json::Kind::kArray)) return;
  const json::Value* on = source.find("on");
  const bool placed = on != nullptr && on->is(json::Kind::kString) &&
                      context.elements.find(on->text()) && !context.facts.empty();
  const auto* element = placed ? &context.facts[node.on] : nullptr;
  if (element != nullptr && element->kind != ElementKind::kGpu) {
    context.error(*times, fmt::format("`times` is for nodes on a gpu element; element {} is none",
                                      quote(element->name)));
    element = nullptr;
  }
  if (times->items().empty()) context.error(*times, "`times` needs at least one entry");
  for (std::string_view other : {"load", "load_min", "parallelism"}) {
    if (const json::Value* value = source.find(other)) {
      context.error(*value, fmt::format("`{}` and `times` exclude each other", other));
    }
  }
  if (const json::Value* bcet = source.find("bcet"); bcet && source.find("wcet") == nullptr) {
    context.error(*bcet, "`bcet` beside `times` goes with a `wcet`, which is missing");
  }
  check_entries(*times, context, node, element);
}

}  // namespace

template <>
void check(const json::Value& source, ReadContext& context, Platform& platform) {
  if (platform.elements.empty()) return;
  const json::Value& elements = *source.find("elements");
  check_arbiter_cores(elements, context, platform);
  if (context.failed()) return;
  for (std::size_t i = 0; i < platform.elements.size(); ++i) {
    context.facts.push_back({elements.items()[i].find("name")->text(), platform.elements[i].kind,
                             platform.elements[i].units});
  }
}

template <>
void check(const json::Value& source, ReadContext& context, System& system) {
  const json::Value* tasks = source.find("tasks");
  if (tasks != nullptr && tasks->is(json::Kind::kArray)) check_priorities(*tasks, context, system);
  if (!system.batches.empty()) check_batches(*source.find("batches"), context, system);
}

template <>
void check(const json::Value& source, ReadContext& context, Task& task) {
  const json::Value* nodes = source.find("nodes");
  if (nodes != nullptr && nodes->is(json::Kind::kArray) && nodes->items().empty()) {
    context.error(*nodes, "a task needs at least one node");
  }
  if (!task.deadline) task.deadline = task.period;
  if (source.find("edges") == nullptr) {
    task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  }
}

template <>
void check(const json::Value& source, ReadContext& context, Node& node) {
  const auto at_most = [&](std::string_view low, Time value, std::string_view high,
                           const std::optional<Time>& limit) {
    if (!limit || value <= *limit) return;
    context.error(*source.find(low), fmt::format("`{}` ({}) exceeds `{}` ({})", low,
                                                 format_time(value, context.time_unit), high,
                                                 format_time(*limit, context.time_unit)));
  };
  at_most("bcet", node.bcet, "wcet", node.wcet);
  at_most("load_min", node.load_min, "load", node.load);
  at_most("overhead", node.overhead, "load", node.load);
  check_times(source, context, node);
}

template <>
void check(const json::Value& source, ReadContext& context, Batch& batch) {
  if (const json::Value* tasks = source.find("tasks")) {
    if (tasks->is(json::Kind::kArray) && tasks->items().empty()) {
      context.error(*tasks, "a batch needs at least one task");
    }
    std::vector<TaskIndex> sorted = batch.tasks;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      context.error(*tasks, "a task is listed twice in this batch");
    }
  }
  const bool completes = source.find("completion") != nullptr;
  const json::Value* forbid = source.find("forbid");
  if (completes && batch.forbid) {
    context.error(source, "`completion` and `forbid` exclude each other");
  } else if (!completes &&
             (forbid == nullptr || (forbid->is(json::Kind::kBool) && !batch.forbid))) {
    context.error(source, "a batch needs either `completion` or `forbid`");
  }
}

}  // namespace tactus
