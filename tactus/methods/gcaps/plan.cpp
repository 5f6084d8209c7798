#include "tactus/methods/gcaps/plan.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/priorities.hpp"

namespace tactus::gcaps {

PriorityPlan plan_of(const System& system, Mode waiting, const Verdict& verdict,
                     const std::vector<std::int64_t>& levels) {
  PriorityPlan plan;
  plan.waiting = waiting;
  const auto priorities = std::get<Priorities>(priorities_of(system));
  const bool promises = verdict.status == Status::kSchedulable;
  plan.cores.reserve(system.tasks.size());
  plan.entries.reserve(verdict.tasks.size());
  auto proved = verdict.tasks.begin();  // in file order, as these
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    plan.cores.push_back(task.core.value_or(1));
    if (task.best_effort) continue;
    const std::int64_t own = task.gpu_priority.value_or(priorities.of[i]);
    PriorityPlan::Entry& entry = plan.entries.emplace_back();
    entry = {i, priorities.of[i], levels.empty() ? own : levels[i]};
    while (proved != verdict.tasks.end() && proved->task < i) ++proved;
    if (promises && proved != verdict.tasks.end() && proved->task == i) entry.bound = proved->bound;
  }
  std::sort(plan.entries.begin(), plan.entries.end(), [](const auto& a, const auto& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.task < b.task;
  });
  return plan;
}

void PriorityPlan::write_fields(json::Writer& out, const System& system) const {
  out.key("waiting").string(to_string(waiting));
  out.key("cores").begin_object();
  for (TaskIndex i = 0; i < cores.size(); ++i) out.key(system.tasks[i].name).integer(cores[i]);
  out.end_object();
  out.key("priorities").begin_object();
  for (const Entry& entry : entries) out.key(system.tasks[entry.task].name).integer(entry.priority);
  out.end_object();
  out.key("gpu_priorities").begin_object();
  for (const Entry& entry : entries) {
    out.key(system.tasks[entry.task].name).integer(entry.gpu_priority);
  }
  out.end_object();
  const bool promises = std::any_of(entries.begin(), entries.end(),
                                    [](const Entry& entry) { return entry.bound.has_value(); });
  if (!promises) return;
  out.key("bounds").begin_object();
  for (const Entry& entry : entries) {
    write_time(out.key(system.tasks[entry.task].name), entry.bound, system.time_unit);
  }
  out.end_object();
}

std::vector<PlanTable> PriorityPlan::tables(const System& system) const {
  PlanTable table{fmt::format("Priorities (larger is more urgent); while the GPU works, tasks {}",
                              waiting == Mode::kBusy ? "spin" : "suspend"),
                  {"task", "core", "CPU", "GPU", "bound"},
                  {}};
  for (const Entry& entry : entries) {
    table.rows.push_back(
        {system.tasks[entry.task].name, std::to_string(cores[entry.task]),
         std::to_string(entry.priority), std::to_string(entry.gpu_priority),
         entry.bound ? format_time(*entry.bound, system.time_unit) : std::string("-")});
  }
  for (TaskIndex i = 0; i < cores.size(); ++i) {
    if (!system.tasks[i].best_effort) continue;
    table.rows.push_back({system.tasks[i].name, std::to_string(cores[i]), "-", "-", "-"});
  }
  return {table};
}

}  // namespace tactus::gcaps
