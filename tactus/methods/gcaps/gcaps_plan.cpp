#include "tactus/methods/gcaps/gcaps_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tactus/methods/priorities.hpp"
#include "tactus/model/written.hpp"

namespace tactus {

using namespace codec;  // the words of the table
using gcaps::PriorityPlan;

namespace {

template <auto kMember>
auto by_task(const PriorityPlan& plan) {
  std::vector<std::pair<TaskIndex, decltype(detail::member_of(kMember))>> all;
  for (const PriorityPlan::Entry& entry : plan.entries) {
    all.emplace_back(entry.task, entry.*kMember);
  }
  return all;
}

std::vector<std::pair<TaskIndex, std::int64_t>> cores_of(const PriorityPlan& plan) {
  std::vector<std::pair<TaskIndex, std::int64_t>> all;
  for (TaskIndex i = 0; i < plan.cores.size(); ++i) all.emplace_back(i, plan.cores[i]);
  return all;
}

/// None where nothing is promised.
auto bounds_of(const PriorityPlan& plan) {
  auto all = by_task<&PriorityPlan::Entry::bound>(plan);
  const bool promises =
      std::any_of(all.begin(), all.end(), [](const auto& each) { return each.second.has_value(); });
  return promises ? all : decltype(all)();
}

}  // namespace

template <>
std::span<const Field<PriorityPlan>> fields<PriorityPlan>() {
  using Entry = PriorityPlan::Entry;
  static constexpr auto kTable = std::to_array<Field<PriorityPlan>>({
      always<&PriorityPlan::waiting, Named<gcaps::Mode, gcaps::Mode::kBusy>>("waiting",
                                                                             "While the GPU works"),
      always<cores_of, ByTask<AnyInteger>>("cores", "By task"),
      always<by_task<&Entry::priority>, ByTask<AnyInteger>>("priorities",
                                                            "By task; larger is more urgent"),
      always<by_task<&Entry::gpu_priority>, ByTask<AnyInteger>>("gpu_priorities", "By task"),
      where_known<bounds_of, ByTask<OrNull<TimeSeen>>>("bounds", "By task"),
  });
  return kTable;
}

namespace gcaps {

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
  write_members(out, system, *this);
}
std::vector<Described> plan_keys() { return described<PriorityPlan>(); }

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

}  // namespace gcaps
}  // namespace tactus
