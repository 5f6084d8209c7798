#include "tactus/methods/releases.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/obstacles.hpp"
#include "tactus/methods/priorities.hpp"
#include "tactus/model/paths.hpp"

namespace tactus {

OnTime::OnTime(const System& system, Instead instead)
    : given_(system), instead_(instead), on_time_(system), jitter_(system.tasks.size()) {
  // Default priorities are those of the deadlines in the file.
  const auto priorities = priorities_of(system);
  if (const auto* made = std::get_if<Priorities>(&priorities); made && !made->note.empty()) {
    for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
      if (!system.tasks[i].best_effort) on_time_.tasks[i].priority = made->of[i];
    }
  }
  on_time_.chains.clear();
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (auto reason = shift(i); reason && !hopeless_) give_up(std::move(*reason), i);
    on_time_.tasks[i].jitter = Time();
    on_time_.tasks[i].after.reset();
  }
}

/// Puts its releases on time; or why nothing is left of its deadline.
std::optional<std::string> OnTime::shift(TaskIndex i) {
  const Task& given = given_.tasks[i];
  Task& task = on_time_.tasks[i];
  if (given.best_effort) return std::nullopt;
  Time jitter = given.jitter;
  const auto text = [&](Time time) { return format_time(time, given_.time_unit); };
  if (given.after) {
    const Task& before = given_.tasks[*given.after];
    // These methods are not asked again: the deadline stands for the bound.
    if (!before.deadline || (before.deadline == before.period && least_time(before) == Time())) {
      return fmt::format(
          "task {} starts when task {} ends, which this method takes for its deadline: without a "
          "`deadline` of {} below its period nothing is left",
          quote(given.name), quote(before.name), quote(before.name));
    }
    jitter += *before.deadline - least_time(before);
    task.offset = nominal_offset(given_, i);
  }
  if (jitter == Time()) return std::nullopt;
  jitter_[i] = jitter;
  if (instead_ == Instead::kOneGraph && task.period && task.deadline) {
    task.deadline = std::min(*task.deadline, *task.period);
  }
  const auto& shortest = instead_ != Instead::kTable && task.period && task.deadline > task.period
                             ? task.period
                             : task.deadline;
  if (shortest && jitter >= *shortest) {
    return fmt::format(
        "task {}: its jobs are released up to {} after they arrive, which leaves nothing of {}; "
        "where they come in bursts, make the shortest time between two releases the period",
        quote(given.name), text(jitter), text(*shortest));
  }
  if (task.deadline) task.deadline = *task.deadline - jitter;
  if (instead_ == Instead::kTable) {
    task.offset += jitter;
  } else if (task.period) {
    task.period = *task.period - jitter;
  }
  return std::nullopt;
}

void OnTime::give_up(std::string reason, TaskIndex task) {
  Verdict verdict;
  verdict.status = Status::kUnschedulable;
  verdict.reason = std::move(reason);
  verdict.at = given_.tasks[task].at;
  for (TaskIndex i = 0; i < given_.tasks.size(); ++i) {
    if (given_.tasks[i].best_effort) continue;
    TaskVerdict& entry = verdict.tasks.emplace_back();
    entry.task = i;
    entry.deadline = given_.tasks[i].deadline;
    entry.note = i == task ? "its jitter leaves nothing of its deadline"
                           : "not reached: the jitter of another task leaves nothing";
  }
  hopeless_ = std::move(verdict);
}

void OnTime::translate(Verdict& verdict) const {
  if (verdict.status == Status::kNotApplicable) return;
  verdict.notes.emplace_back(
      instead_ == Instead::kTable
          ? "a job is taken to arrive when it is released at the latest; bounds count from its "
            "arrival"
          : "periods and deadlines are taken without the jitter; bounds count from the arrival");
  for (TaskVerdict& task : verdict.tasks) {
    const Time jitter = jitter_[task.task];
    task.deadline = given_.tasks[task.task].deadline;
    if (jitter == Time()) continue;
    if (task.bound) *task.bound += jitter;
    if (task.conditional_bound) *task.conditional_bound += jitter;
    if (!task.terms.empty()) task.terms.push_back(jitter_term(jitter));
  }
}

std::optional<OnTime> where_late(const System& system, Instead instead) {
  if (!has_late_releases(system)) return std::nullopt;
  return std::optional<OnTime>(std::in_place, system, instead);
}

std::optional<Refusal> refused_releases(const Method& method, const System& system,
                                        const Options& options) {
  const bool late = has_late_releases(system);
  if (!late && system.chains.empty()) return std::nullopt;
  if (options.variant == "paper") {
    return Refusal{late ? "the paper has no jitter: a variant as published does not cover a file "
                          "with `jitter` or `after`"
                        : "the paper has no chains: a variant as published does not cover a file "
                          "with `chains`",
                   late ? Position() : system.chains.front().at};
  }
  if (late && method.analyst != nullptr) {
    return Refusal{"a method of your own is not asked about files with `jitter` or `after`", {}};
  }
  Obstacles obstacles;
  for (const Task& task : system.tasks) {
    if (task.best_effort || !task.after || !system.tasks[*task.after].best_effort) continue;
    obstacles.refuse(task,
                     fmt::format("is after task {}, which is best effort: nothing bounds when "
                                 "it ends; give that one a deadline",
                                 quote(system.tasks[*task.after].name)));
  }
  if (!obstacles.any()) return std::nullopt;
  return std::move(obstacles).refusal();
}

}  // namespace tactus
