#include "tactus/model/check_pipelines.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/model/codec.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/paths.hpp"

namespace tactus {
namespace {

/// In a file the tasks are known by name only when all have been read.
void find_predecessors(const Origin& origin, ReadContext& context, System& system) {
  if (origin.json() == nullptr) return;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Origin item = origin.item("tasks", i, system.tasks[i].at);
    const json::Value* name = item.json()->find("after");
    if (name == nullptr || !name->is(json::Kind::kString)) continue;
    ReadContext::Scope scope(context, "task", i, item.name({}));
    TaskIndex found = 0;
    if (codec::read_reference(*name, context, context.tasks, "task", found)) {
      system.tasks[i].after = found;
    }
  }
}

/// Is what a task says of its period wrong by itself? Then nothing can be compared with it.
bool has_bad_period(const Origin& origin, const Task& task) {
  return origin.written("period", task.period.has_value()) && !(task.period > Time());
}

/// What a task that another one starts may not say about its arrivals.
void check_successor(const Origin& origin, ReadContext& context, const System& system, Task& task,
                     const Origin& of_root, const Task& root) {
  if (origin.written("offset", task.offset != Time())) {
    context.error(
        origin.at("offset"),
        fmt::format("`offset` and `after` exclude each other: its jobs come when those of "
                    "task {} complete",
                    quote(system.tasks[*task.after].name)));
  }
  if (task.period > Time() && !has_bad_period(of_root, root) && task.period != root.period) {
    context.error(origin.at("period"),
                  fmt::format("`period` ({}) is not that of task {}, which begins its path; leave "
                              "it out",
                              format_time(*task.period, context.time_unit), quote(root.name)));
  }
  task.period = root.period;
  if (!task.deadline) task.deadline = task.period;
}

/// Is a time of the file finer than 1 ns?
bool is_finer(const json::Value* value, TimeUnit unit) {
  if (value == nullptr || !value->is(json::Kind::kNumber)) return false;
  const auto number = parse_scaled(value->text(), decimal_places(unit), Rounding::kDown);
  return number && !number->exact;
}

/// A chain counts arrivals one by one: a part of a nanosecond that is left out grows with them.
void check_whole_times(const Origin& origin, const Origin& of_chain, ReadContext& context,
                       const System& system, const Chain& chain,
                       const std::vector<TaskIndex>& roots) {
  if (origin.json() == nullptr) return;
  for (const TaskIndex member : chain.tasks) {
    const TaskIndex root = roots[member];
    if (root == kNoRoot) continue;
    const Origin task = origin.item("tasks", root, system.tasks[root].at);
    for (const std::string_view key : {"period", "offset"}) {
      if (!is_finer(task.json()->find(key), context.time_unit)) continue;
      context.error(of_chain.at("tasks"),
                    fmt::format("`{}` of task {} is finer than 1 ns, and chains need arrivals at "
                                "whole nanoseconds; write the one that is used at run time",
                                key, quote(system.tasks[root].name)));
    }
  }
}

}  // namespace

void connect_tasks(const Origin& origin, ReadContext& context, System& system) {
  find_predecessors(origin, context, system);
  const bool any = std::any_of(system.tasks.begin(), system.tasks.end(),
                               [](const Task& task) { return task.after.has_value(); });
  if (!any) return;
  const std::vector<TaskIndex> roots = roots_of(system);
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    Task& task = system.tasks[i];
    if (!task.after) continue;
    const Origin item = origin.item("tasks", i, task.at);
    ReadContext::Scope scope(context, "task", i, item.name(task.name));
    if (roots[i] != kNoRoot) {
      const Task& root = system.tasks[roots[i]];
      check_successor(item, context, system, task, origin.item("tasks", roots[i], root.at), root);
    } else if (*task.after < system.tasks.size()) {
      context.error(item.at("after"),
                    "`after` leads in a circle: no task of this path is the first");
    }
  }
}

void check_chains(const Origin& origin, ReadContext& context, const System& system) {
  if (system.chains.empty()) return;
  codec::index_names(
      system.chains.size(), "chain", context,
      [&](std::size_t i) -> std::optional<codec::NamePlace> {
        const Chain& chain = system.chains[i];
        if (chain.name.empty()) return std::nullopt;
        return codec::NamePlace{chain.name, origin.item("chains", i, chain.at).at("name")};
      });
  const std::vector<TaskIndex> roots = roots_of(system);
  for (std::size_t i = 0; i < system.chains.size(); ++i) {
    const Chain& chain = system.chains[i];
    const Origin item = origin.item("chains", i, chain.at);
    ReadContext::Scope scope(context, "chain", i, item.name(chain.name));
    check_whole_times(origin, item, context, system, chain, roots);
  }
}

template <>
void check(const Origin& origin, ReadContext& context, Chain& chain) {
  if (origin.usable("tasks", true) && chain.tasks.empty()) {
    context.error(origin.at("tasks"), "a chain needs at least one task");
  }
  std::vector<TaskIndex> sorted = chain.tasks;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    context.error(origin.at("tasks"), "a task is listed twice in this chain");
  }
}

}  // namespace tactus
