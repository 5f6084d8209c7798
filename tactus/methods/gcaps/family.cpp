#include "tactus/methods/gcaps/family.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tactus/methods/releases.hpp"

namespace tactus::gcaps {

Variant variant_of(const Options& options) {
  const auto found = std::find(kVariantNames.begin(), kVariantNames.end(), options.variant);
  return static_cast<Variant>(found - kVariantNames.begin());
}

std::shared_ptr<const FamilyView> family_view(const System& system, const Options& options) {
  return shared_view_of<FamilyView>(system, options, [&] {
    auto made = reused_shared<FamilyView>(system.tasks.size() <= kMostTasksToKeepMemoryFor);
    make_view(system, *made);
    return made;
  });
}

bool all_found(std::span<const TaskBound> bounds) {
  return std::all_of(bounds.begin(), bounds.end(),
                     [](const TaskBound& bound) { return bound.response.found(); });
}

std::string limit_reason(const GpuTask& task) {
  return fmt::format("task {}: no fixed point within {} steps", quote(task.name), kMaxSteps);
}

void withdraw(std::span<TaskBound> bounds, std::size_t kept) {
  for (TaskBound& bound : bounds.subspan(kept)) {
    if (!bound.response.found() && !bound.conditional) continue;  // it has failed by itself
    bound.response.outcome = FixedPoint::Outcome::kExceeded;
    bound.terms.clear();
    bound.conditional = true;
    bound.reached = false;
  }
}

void mark_hold_only_together(Verdict& verdict) {
  verdict.hold_only_together = true;
  if (verdict.status == Status::kSchedulable) return;
  verdict.warnings.emplace_back(
      "the bounds shown hold only if every task passes, and one does not");
}

namespace {

void add_warnings(const Inquiry& inquiry, Verdict& verdict) {
  const auto& [system, options, set, mode, variant, releases] = inquiry;
  if (variant == Variant::kPaper) {
    verdict.warnings.emplace_back(
        "bounds follow the published equations and are not safe; see findings F1-F7");
  } else if (variant == Variant::kReleased) {
    verdict.warnings.emplace_back(
        "bounds follow the authors' released program, not their equations, and are not safe");
  }
  if (!set.says_waits) return;
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

Verdict to_verdict(const Inquiry& inquiry, std::span<TaskBound> bounds) {
  const TaskSet& set = inquiry.set;
  Verdict verdict;
  verdict.status = Status::kSchedulable;
  verdict.tasks = take_spare_tasks();
  verdict.tasks.resize(set.real_time);
  for (std::size_t i = 0; i < set.real_time; ++i) {
    TaskBound& bound = bounds[i];
    TaskVerdict& task = verdict.tasks[set.tasks[i].file_place];
    task.task = set.tasks[i].index;
    task.deadline = set.tasks[i].deadline;
    task.schedulable = bound.response.found() && !bound.conditional;
    task.bound.reset();
    task.conditional_bound.reset();
    task.latency.reset();
    task.note = {};
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
    if (!inquiry.options.terms) continue;
    task.terms = std::move(bound.terms);
    const bool explained = task.bound || task.conditional_bound || !task.terms.empty();
    if (bound.jitter > Time() && explained) task.terms.push_back(jitter_term(bound.jitter));
  }
  verdict.notes = set.notes;
  add_warnings(inquiry, verdict);
  return verdict;
}

void add_plan(const Inquiry& inquiry, Verdict& verdict) {
  if (!inquiry.options.plan || verdict.status != Status::kSchedulable) return;
  verdict.plan = std::make_shared<PriorityPlan>(plan_of(inquiry.system, inquiry.mode, verdict));
}

}  // namespace tactus::gcaps
