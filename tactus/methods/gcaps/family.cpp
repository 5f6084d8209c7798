#include "tactus/methods/gcaps/family.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "tactus/methods/gcaps/plan.hpp"
#include "tactus/model/diagnostic.hpp"

namespace tactus::gcaps {

Variant variant_of(const Options& options) {
  const auto found = std::find(kVariants.begin(), kVariants.end(), options.variant);
  return static_cast<Variant>(found - kVariants.begin());
}

bool all_found(const std::vector<TaskBound>& bounds) {
  return std::all_of(bounds.begin(), bounds.end(),
                     [](const TaskBound& bound) { return bound.response.found(); });
}

std::string limit_reason(const GpuTask& task) {
  return fmt::format("task {}: no fixed point within {} steps", quote(task.name), kMaxSteps);
}

void mark_hold_only_together(Verdict& verdict) {
  verdict.hold_only_together = true;
  if (verdict.status == Status::kSchedulable) return;
  verdict.warnings.emplace_back(
      "the bounds shown hold only if every task passes, and one does not");
}

namespace {

void add_warnings(const System& system, Mode mode, Variant variant, Verdict& verdict) {
  if (variant == Variant::kPaper) {
    verdict.warnings.emplace_back(
        "bounds follow the published equations and are not safe; see findings F1-F7");
  }
  const WaitMode analysed = mode == Mode::kSuspend ? WaitMode::kSuspend : WaitMode::kBusy;
  std::vector<std::string> others;
  for (const Task& task : system.tasks) {
    if (task.wait && *task.wait != analysed) others.push_back(quote(task.name));
  }
  if (others.empty()) return;
  verdict.warnings.push_back(
      fmt::format("this method analyses {}, but the file gives another `wait` for {}",
                  mode == Mode::kBusy ? "busy waiting" : "suspension", fmt::join(others, ", ")));
}

}  // namespace

namespace {

/// The places of the real-time tasks in file order, by place in the set.
std::vector<std::size_t> file_places(const TaskSet& set) {
  std::vector<std::size_t> by_index(set.tasks.size(), 0);  // first: is it real-time?
  for (std::size_t i = 0; i < set.real_time; ++i) by_index[set.tasks[i].index] = 1;
  std::exclusive_scan(by_index.begin(), by_index.end(), by_index.begin(), std::size_t{0});
  std::vector<std::size_t> places(set.real_time);
  for (std::size_t i = 0; i < set.real_time; ++i) places[i] = by_index[set.tasks[i].index];
  return places;
}

/// Of a task below one that has no bound. It changes nothing in the status.
void add_conditional(TaskVerdict& task, TaskBound& bound) {
  switch (bound.response.outcome) {
    case FixedPoint::Outcome::kFound:
      task.conditional_bound = bound.response.value;
      task.note = "only if the higher-priority tasks without a bound meet their deadlines";
      return;
    case FixedPoint::Outcome::kLimit:
      bound.terms.clear();
      task.note = "no answer within the limit of steps";
      return;
    case FixedPoint::Outcome::kExceeded:
      task.note = bound.reached ? "too long even if the tasks above it meet their deadlines"
                                : "not reached: a higher-priority task fails";
  }
}

}  // namespace

Verdict to_verdict(const Inquiry& inquiry, std::vector<TaskBound> bounds) {
  const TaskSet& set = inquiry.set;
  Verdict verdict;
  verdict.status = Status::kSchedulable;
  verdict.tasks.resize(set.real_time);
  const std::vector<std::size_t> places = file_places(set);
  for (std::size_t i = 0; i < set.real_time; ++i) {
    TaskBound& bound = bounds[i];
    TaskVerdict& task = verdict.tasks[places[i]];
    task.task = set.tasks[i].index;
    task.deadline = set.tasks[i].deadline;
    task.schedulable = bound.response.found() && !bound.conditional;
    if (task.schedulable) {
      task.bound = bound.response.value;
    } else if (bound.conditional) {
      add_conditional(task, bound);
    } else if (bound.response.outcome == FixedPoint::Outcome::kLimit) {
      verdict.status = Status::kUndecided;
      verdict.reason = limit_reason(set.tasks[i]);
      // The need of the last window is not a demand that exceeds the deadline.
      bound.terms.clear();
      task.note = "no answer within the limit of steps";
    } else if (verdict.status == Status::kSchedulable) {
      verdict.status = Status::kUnschedulable;
    }
    task.terms = std::move(bound.terms);
  }
  verdict.notes = set.notes;
  add_warnings(inquiry.system, inquiry.mode, inquiry.variant, verdict);
  return verdict;
}

void add_plan(const Inquiry& inquiry, Verdict& verdict) {
  if (!inquiry.options.plan || verdict.status != Status::kSchedulable) return;
  verdict.plan = std::make_shared<PriorityPlan>(plan_of(inquiry.system, inquiry.mode, verdict));
}

}  // namespace tactus::gcaps
