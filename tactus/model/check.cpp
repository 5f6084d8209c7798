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

}  // namespace

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
