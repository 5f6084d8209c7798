#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/decimal.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tactus/methods/plan_source.hpp"

namespace tactus::gcaps {
namespace {

/// The number that a table of the plan gives to a task, times 10^places.
std::optional<std::int64_t> entry(const json::Value* table, const std::string& task,
                                  int places = 0) {
  const json::Value* value = table == nullptr ? nullptr : table->find(task);
  if (value == nullptr || !value->is(json::Kind::kNumber)) return std::nullopt;
  const auto number = parse_scaled(value->text(), places, Rounding::kDown);
  if (!number || !number->exact) return std::nullopt;
  return number->value;
}

/// The answer of the plain method when the priorities are in the file.
Verdict verdict_on(const System& planned, const json::Value& plan, const Method& plain) {
  Options options;
  options.plan = false;
  if (const json::Value* variant = plan.find("variant")) options.variant = variant->text();
  // A plan may promise the bounds of finer windows: none are below those.
  const auto is_windows = [](const OptionSpec& option) { return option.name == "windows"; };
  if (std::any_of(plain.options.begin(), plain.options.end(), is_windows) &&
      !is_printed(variant_of(options))) {
    options.settings["windows"] = "on";
  }
  return analyze(plain, planned, options);
}

/// Looks at a plan field by field, and writes what it says into a copy of the system.
class FieldCheck {
 public:
  FieldCheck(const System& system, const json::Value& plan) : planned(system), plan_(plan) {}

  System planned;
  std::vector<std::string> failures;

  void waiting(Mode needed) {
    const json::Value* said = plan_.find("waiting");
    if (said == nullptr) return;  // by hand: as the method says
    if (!said->is(json::Kind::kString) || said->text() != to_string(needed)) {
      failures.push_back(
          fmt::format("`waiting` must be {} for this method", quote(to_string(needed))));
    }
  }

  void cores() {
    const json::Value* said = plan_.find("cores");
    if (said == nullptr) return;
    for (const Task& task : planned.tasks) {
      if (entry(said, task.name) != task.core)
        fail(task, "`cores` does not give its core in the file");
    }
    names_all_once(*said, "cores", planned.tasks.size());
  }

  void priorities() {
    const json::Value *cpu = plan_.find("priorities"), *gpu = plan_.find("gpu_priorities");
    for (Task& task : planned.tasks) {
      if (task.best_effort) continue;
      ++real_time_;
      const auto said = entry(cpu, task.name);
      if (!said) {
        fail(task, "`priorities` gives no priority");
      } else if (task.priority && said != task.priority) {
        fail(task, "`priorities` does not give its priority in the file");
      }
      task.priority = said;
      task.gpu_priority = entry(gpu, task.name);
      if (!task.gpu_priority) fail(task, "`gpu_priorities` gives no level");
    }
    if (cpu != nullptr) names_all_once(*cpu, "priorities", real_time_);
    if (gpu != nullptr) names_all_once(*gpu, "gpu_priorities", real_time_);
  }

  /// @param found what the plain method finds
  void bounds(const Verdict& found) {
    const json::Value* said = plan_.find("bounds");
    if (said == nullptr) return;
    names_all_once(*said, "bounds", real_time_);
    for (const TaskVerdict& each : found.tasks) {
      const Task& task = planned.tasks[each.task];
      const auto bound = entry(said, task.name, decimal_places(planned.time_unit));
      if (!bound) {
        fail(task, "`bounds` gives no bound");
      } else if (each.bound && Time::from_ns(*bound) < *each.bound) {
        fail(task, fmt::format("`bounds` promises {}, but it can take {}",
                               format_time(Time::from_ns(*bound), planned.time_unit),
                               format_time(*each.bound, planned.time_unit)));
      } else if (task.deadline && Time::from_ns(*bound) > *task.deadline) {
        fail(task, "`bounds` gives a bound beyond its deadline");
      }
    }
  }

 private:
  void fail(const Task& task, std::string_view problem) {
    failures.push_back(fmt::format("task {}: {}", quote(task.name), problem));
  }
  void names_all_once(const json::Value& table, std::string_view key, std::size_t tasks) {
    if (table.is(json::Kind::kObject) && table.members().size() == tasks) return;
    failures.push_back(fmt::format("`{}` does not name every {}task exactly once", key,
                                   key == "cores" ? "" : "real-time "));
  }

  const json::Value& plan_;
  std::size_t real_time_ = 0;
};

}  // namespace

Verdict read_priority_plan(const System& system, const json::Value& source, const Method& plain,
                           Mode waiting, const Prepare& prepare) {
  using plan_source::integer, plan_source::member, plan_source::table;
  const json::Value& priorities = table(source, "priorities");
  const json::Value& levels = table(source, "gpu_priorities");
  const json::Value* cores = source.find("cores");
  const json::Value* bounds = source.find("bounds");
  auto plan = std::make_shared<PriorityPlan>();
  plan->waiting = waiting;
  System planned = system;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    Task& task = planned.tasks[i];
    if (cores != nullptr) task.core = integer(member(*cores, task.name), "cores");
    plan->cores.push_back(task.core.value_or(1));
    if (task.best_effort) continue;
    task.priority = integer(member(priorities, task.name), "priorities");
    task.gpu_priority = integer(member(levels, task.name), "gpu_priorities");
    plan->entries.push_back({i, *task.priority, *task.gpu_priority});
  }
  std::vector<std::string> failures;  // `check_priority_plan` tells them
  if (prepare) prepare(planned, failures);
  Verdict verdict = verdict_on(planned, source, plain);
  for (PriorityPlan::Entry& each : plan->entries) {
    const auto own = std::find_if(verdict.tasks.begin(), verdict.tasks.end(),
                                  [&](const TaskVerdict& task) { return task.task == each.task; });
    if (own == verdict.tasks.end()) continue;
    if (bounds != nullptr) {
      const Time said = plan_source::time(member(*bounds, system.tasks[each.task].name), "bounds",
                                          system.time_unit);
      if (own->bound != said) own->terms.clear();  // they add up to the other one
      own->bound = said;
    }
    each.bound = own->bound;
  }
  std::stable_sort(plan->entries.begin(), plan->entries.end(),
                   [](const auto& a, const auto& b) { return a.priority > b.priority; });
  verdict.method.clear();  // the plan's own, which may have assigned the priorities
  verdict.plan = std::move(plan);
  return verdict;
}

std::vector<std::string> check_priority_plan(const System& system, const json::Value& plan,
                                             const Method& plain, Mode waiting,
                                             const Prepare& prepare) {
  FieldCheck fields(system, plan);
  fields.waiting(waiting);
  fields.cores();
  fields.priorities();
  std::vector<std::string>& failures = fields.failures;
  if (prepare) prepare(fields.planned, failures);
  if (!failures.empty()) return failures;

  const Verdict verdict = verdict_on(fields.planned, plan, plain);
  if (verdict.status == Status::kSchedulable) {
    fields.bounds(verdict);
    return failures;
  }
  failures.push_back(fmt::format("with these priorities {} is {}{}{}", verdict.method,
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
