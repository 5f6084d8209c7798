#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/gcaps/gcaps_task_set.hpp"
#include "tactus/methods/gcaps/mode.hpp"
#include "tactus/methods/gcaps/releases.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/recurrence.hpp"
#include "tactus/methods/reuse.hpp"
#include "tactus/methods/views.hpp"

/// What the ten methods share: modes, variants, the order in which tasks are analysed, warnings.
namespace tactus::gcaps {

enum class Variant {
  kSafe,         ///< repaired, runlist updates on the caller's core, never preempted
  kSafeArbiter,  ///< repaired, runlist updates by an arbiter on its own core
  kSafeInherit,  ///< repaired, updates on the caller's core, preemptible under an rt_mutex
  kPaper,        ///< as published; not safe
  kReleased,     ///< as the authors' program computes; not safe
};

/// Their names, in that order.
inline constexpr std::array<std::string_view, 5> kVariantNames = {
    kSafe, "safe-arbiter", "safe-inherit", "paper", "released"};
Variant variant_of(const Options& options);

/// Those of a protocol to which the others mean nothing of their own.
inline constexpr std::array<std::string_view, 3> kVariants = {kSafe, "safe-arbiter", "paper"};

/// Without the repairs: bounds that are not guaranteed.
constexpr bool is_printed(Variant variant) { return variant >= Variant::kPaper; }

inline constexpr std::string_view kPaperTitle =
    "Wang, Liu, Wong, Kim: GCAPS: GPU Context-Aware Preemptive Priority-Based Scheduling for "
    "Real-Time Tasks, ECRTS 2024";

/// A bound, or why there is none, with what it is made of where that is asked for.
struct TaskBound {
  FixedPoint response;  ///< its value counts from the arrival, its window from the release
  std::vector<Term> terms;
  Time jitter = {};  ///< what is between the two
  /// A task before it has no bound: this one holds only if every such task meets its deadline.
  bool conditional = false;
  bool reached = true;  ///< false: for that reason it was not looked at
};

/// The bound of a task whose equation has this solution.
inline TaskBound bound_from(const GpuTask& task, FixedPoint window) {
  window.value += task.jitter;
  return {window, {}, task.jitter};
}

inline constexpr std::string_view kLaunchesBeforeWork =
    "launch times of its nodes, without what overlaps with GPU work";

/// The summands every bound starts with.
inline void add_own_work(Recurrence& r, const GpuTask& task) {
  r.add("own CPU work", task.cpu, "its nodes on the cpu");
  r.add("own GPU launches", task.launch - task.overlap,
        task.overlap == Time() ? "launch times of its nodes" : kLaunchesBeforeWork);
  r.add("own GPU work", task.exec, "its kernels and copies");
}

/// What an analysis needs once, whatever the method.
struct BoundsMemory {
  std::vector<TaskBound> bounds;
  std::vector<Time> responses;
};

/// Real-time tasks in decreasing CPU priority; `bound_of(i, responses)` may use the response times
/// of the tasks before i. All it makes of them is an upper bound of how long their jobs take; so where
/// there is none, the deadline can stand in for it, on the condition that it is met. That is done only
/// for somebody who reads the terms: the verdict is known already.
template <typename BoundOf>
void find_bounds_in_priority_order(const TaskSet& set, const Options& options, BoundsMemory& memory,
                                   BoundOf bound_of) {
  auto& [bounds, responses] = memory;
  bounds.resize(set.real_time);  // each is written below
  responses.assign(set.real_time, Time());
  bool failed = false;
  for (std::size_t i = 0; i < set.real_time; ++i) {
    if (failed && !options.terms) {
      bounds[i].response.outcome = FixedPoint::Outcome::kExceeded;
      bounds[i].terms.clear();
      bounds[i].conditional = true;
      bounds[i].reached = false;
      continue;
    }
    Stopped::check(options.stop);
    bounds[i] = bound_of(i, responses);
    bounds[i].conditional = failed;
    const bool found = bounds[i].response.found();
    responses[i] = found ? bounds[i].response.value : set.tasks[i].deadline;
    failed = failed || !found;
  }
}

/// The first real-time task without a bound, and how the search for it ended; `kFound`: all have one.
struct FirstFailure {
  std::size_t task = 0;
  FixedPoint::Outcome outcome = FixedPoint::Outcome::kFound;
};

/// The same order without bounds that anybody reads: up to the first task that fails, which decides.
template <typename ResponseOf>
FirstFailure first_failure(const TaskSet& set, const Options& options, std::vector<Time>& responses,
                           ResponseOf& response_of) {
  responses.resize(set.real_time);  // each is written before it is read
  for (std::size_t i = 0; i < set.real_time; ++i) {
    Stopped::check(options.stop);
    const FixedPoint response = response_of(i, std::span<const Time>(responses));
    if (!response.found()) return {i, response.outcome};
    responses[i] = response.value;
  }
  return {set.real_time, FixedPoint::Outcome::kFound};
}

/// Are these tasks so few that the memory for them is worth keeping?
inline bool worth_keeping(const TaskSet& set) {
  return set.tasks.size() <= kMostTasksToKeepMemoryFor;
}

/// Marks bounds that hold only together (they use the deadlines of lower tasks), and warns if one
/// of them fails.
void mark_hold_only_together(Verdict& verdict);

bool all_found(std::span<const TaskBound> bounds);

/// Why a verdict is undecided when the test of a task reached the limit of steps.
std::string limit_reason(const GpuTask& task);

/// One analysis: what is asked, of which system, seen how.
struct Inquiry {
  const System& system;
  const Options& options;
  const TaskSet& set;
  Mode mode;
  Variant variant;
  Releases* releases = nullptr;  ///< of `set`, where tasks start tasks
};

/// What holds without a task that has no bound.
enum class Together {
  kFromTheFirstFailure,  ///< the bounds of all tasks before it
  kAll,                  ///< none
};

/// Takes back the bounds that use one that was not found.
void withdraw(std::span<TaskBound> bounds, std::size_t kept);

/// Bounds where tasks start tasks: `find()` finds them for the jitters as they are, again and again
/// until these are what the bounds say. They only rise, so that this is the least solution.
template <typename Find>
void settle_releases(const Inquiry& inquiry, std::vector<TaskBound>& bounds, Together together,
                     Find find) {
  if (inquiry.releases == nullptr) return find();
  Releases& releases = *inquiry.releases;
  releases.restart();
  std::vector<Time> responses;
  for (;;) {
    Stopped::check(inquiry.options.stop);
    find();
    responses.clear();
    for (const TaskBound& bound : bounds) responses.push_back(bound.response.value);
    const auto failure = std::find_if(bounds.begin(), bounds.end(), [](const TaskBound& bound) {
      return !bound.response.found();
    });
    auto kept = static_cast<std::size_t>(failure - bounds.begin());
    if (failure != bounds.end() && together == Together::kAll) kept = 0;
    kept = releases.closed(kept);
    if (releases.follow(responses, kept)) continue;
    return withdraw(bounds, kept);
  }
}

/// The verdict of a method from the bounds of `set.tasks`, whose terms it takes, with the warnings that go with mode and
/// variant.
Verdict to_verdict(const Inquiry& inquiry, std::span<TaskBound> bounds);

/// Where the file's priorities prove every deadline, they are the plan.
void add_plan(const Inquiry& inquiry, Verdict& verdict);

/// What the family makes of a system, or made of it before.
std::shared_ptr<const FamilyView> family_view(const System& system, const Options& options);

/// `Method::analyze` by `judge(inquiry)`, where the methods apply.
template <typename Judge>
Verdict analyze_view(const System& system, const Options& options, Mode mode, Overheads needed,
                     Judge judge) {
  const auto view = family_view(system, options);
  if (auto refusal = view->refusal(needed)) return Verdict::not_applicable(std::move(*refusal));
  if (view->set.followers.empty()) {
    return judge(Inquiry{system, options, view->set, mode, variant_of(options)});
  }
  Releases releases(view->set);
  return judge(Inquiry{system, options, releases.set(), mode, variant_of(options), &releases});
}

/// `Method::decide` by `judge(inquiry)`, where the methods apply: how the search for the bound of the
/// first task without one ended.
template <typename Judge>
std::optional<Status> decide_view(const System& system, const Options& options, Mode mode,
                                  Overheads needed, Judge judge) {
  const auto view = family_view(system, options);
  if (view->refusal(needed) || !view->set.followers.empty()) return std::nullopt;
  switch (judge(Inquiry{system, options, view->set, mode, variant_of(options)})) {
    case FixedPoint::Outcome::kFound:
      return Status::kSchedulable;
    case FixedPoint::Outcome::kExceeded:
      return Status::kUnschedulable;
    case FixedPoint::Outcome::kLimit:
      break;
  }
  return std::nullopt;
}

/// `Method::analyze` by a test that does `begin(inquiry)`, then `window_of(i, responses)` task by
/// task, and tells on request the terms of the one that it did last.
template <typename Test, Mode kMode, Overheads kNeeded, bool kHoldOnlyTogether>
Verdict analyze_in_priority_order(const System& system, const Options& options) {
  return analyze_view(system, options, kMode, kNeeded, [](const Inquiry& inquiry) {
    const bool keep = worth_keeping(inquiry.set);
    const Reused<Test> test(keep);
    const Reused<BoundsMemory> memory(keep);
    const auto bound_of = [&](std::size_t i, std::span<const Time> responses) {
      TaskBound bound = bound_from(inquiry.set.tasks[i], test->window_of(i, responses));
      if (inquiry.options.terms) bound.terms = test->terms_of(i, bound.response.window);
      return bound;
    };
    settle_releases(inquiry, memory->bounds, Together::kFromTheFirstFailure, [&] {
      test->begin(inquiry);
      find_bounds_in_priority_order(inquiry.set, inquiry.options, *memory, bound_of);
    });
    Verdict verdict = to_verdict(inquiry, memory->bounds);
    if (kHoldOnlyTogether) mark_hold_only_together(verdict);
    add_plan(inquiry, verdict);
    return verdict;
  });
}

/// `Method::decide` by the same test.
template <typename Test, Mode kMode, Overheads kNeeded>
std::optional<Status> decide_in_priority_order(const System& system, const Options& options) {
  return decide_view(system, options, kMode, kNeeded, [](const Inquiry& inquiry) {
    const bool keep = worth_keeping(inquiry.set);
    const Reused<Test> test(keep);
    const Reused<std::vector<Time>> responses(keep);
    test->begin(inquiry);
    auto response_of = [&](std::size_t i, std::span<const Time> before) {
      return bound_from(inquiry.set.tasks[i], test->window_of(i, before)).response;
    };
    return first_failure(inquiry.set, inquiry.options, *responses, response_of).outcome;
  });
}

/// How a method is asked: `Method::analyze` and `Method::decide`.
struct Ways {
  Verdict (*analyze)(const System&, const Options&);
  std::optional<Status> (*decide)(const System&, const Options&);
};

template <typename Test, Mode kMode, Overheads kNeeded, bool kHoldOnlyTogether = false>
constexpr Ways kInPriorityOrder = {
    analyze_in_priority_order<Test, kMode, kNeeded, kHoldOnlyTogether>,
    decide_in_priority_order<Test, kMode, kNeeded>};

}  // namespace tactus::gcaps
