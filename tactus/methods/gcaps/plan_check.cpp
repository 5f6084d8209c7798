#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/gcaps/methods.hpp"
#include "tactus/methods/gcaps/plan.hpp"
#include "tactus/methods/plan_source.hpp"
#include "tactus/methods/priorities.hpp"
#include "tactus/model/decimal.hpp"
#include "tactus/model/diagnostic.hpp"

namespace tactus::gcaps {
namespace {

/// The entry of a task in one of the plan's two tables.
std::optional<std::int64_t> entry(const json::Value* table, const std::string& task) {
  const json::Value* value = table == nullptr ? nullptr : table->find(task);
  if (value == nullptr || !value->is(json::Kind::kNumber)) return std::nullopt;
  const auto number = parse_scaled(value->text(), 0, Rounding::kDown);
  if (!number || !number->exact) return std::nullopt;
  return number->value;
}

/// What the plain method says when the GPU priorities stand in the file.
Verdict verdict_on(const System& planned, const json::Value& plan) {
  Options options;
  if (const json::Value* variant = plan.find("variant")) options.variant = variant->text();
  const bool busy = plan.find("method")->text() == kGcapsBusyPrio.id;
  return analyze(busy ? kGcapsBusy : kGcapsSuspend, planned, options);
}

}  // namespace

Verdict read_priority_plan(const System& system, const json::Value& source) {
  using plan_source::integer, plan_source::member, plan_source::table;
  const json::Value& priorities = table(source, "priorities");
  const json::Value& levels = table(source, "gpu_priorities");
  auto plan = std::make_shared<PriorityPlan>();
  System planned = system;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    Task& task = planned.tasks[i];
    if (task.best_effort) continue;
    task.gpu_priority = integer(member(levels, task.name), "gpu_priorities");
    const std::int64_t priority = integer(member(priorities, task.name), "priorities");
    plan->entries.push_back({i, priority, *task.gpu_priority});
  }
  std::stable_sort(plan->entries.begin(), plan->entries.end(),
                   [](const auto& a, const auto& b) { return a.priority > b.priority; });
  Verdict verdict = verdict_on(planned, source);
  verdict.method.clear();  // the plan's own, which assigned the priorities
  verdict.plan = std::move(plan);
  return verdict;
}

std::vector<std::string> check_priority_plan(const System& system, const json::Value& plan) {
  std::vector<std::string> failures;
  const json::Value *priorities = plan.find("priorities"), *levels = plan.find("gpu_priorities");
  System planned = system;
  std::size_t real_time = 0;
  const auto made = priorities_of(system);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return {refusal->reason};
  for (TaskIndex i = 0; i < planned.tasks.size(); ++i) {
    Task& task = planned.tasks[i];
    if (task.best_effort) continue;
    ++real_time;
    if (entry(priorities, task.name) != std::get<Priorities>(made).of[i]) {
      failures.push_back(
          task.priority
              ? fmt::format("task {}: `priorities` does not give its priority in the file",
                            quote(task.name))
              : fmt::format("task {}: `priorities` does not give its deadline-monotonic priority",
                            quote(task.name)));
    }
    task.gpu_priority = entry(levels, task.name);
    if (!task.gpu_priority) {
      failures.push_back(fmt::format("task {}: `gpu_priorities` gives no level", quote(task.name)));
    }
  }
  for (const json::Value* table : {priorities, levels}) {
    if (table != nullptr && table->is(json::Kind::kObject) &&
        table->members().size() != real_time) {
      failures.emplace_back("the plan does not name every real-time task exactly once");
    }
  }
  if (!failures.empty()) return failures;

  const Verdict verdict = verdict_on(planned, plan);
  if (verdict.status == Status::kSchedulable) return {};
  failures.push_back(fmt::format("with these GPU priorities {} is {}{}{}", verdict.method,
                                 to_string(verdict.status), verdict.reason.empty() ? "" : ": ",
                                 verdict.reason));
  for (const TaskVerdict& task : verdict.tasks) {
    if (task.schedulable) continue;
    failures.push_back(
        fmt::format("task {}: no bound within its deadline", quote(system.tasks[task.task].name)));
  }
  return failures;
}

}  // namespace tactus::gcaps
