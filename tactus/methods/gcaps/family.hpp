#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/gcaps/mode.hpp"
#include "tactus/methods/gcaps/task_set.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/recurrence.hpp"

/// What the ten methods share: modes, variants, the order in which tasks are analysed, warnings.
namespace tactus::gcaps {

enum class Variant {
  kSafe,         ///< repaired, runlist updates on the caller's core
  kSafeArbiter,  ///< repaired, runlist updates by an arbiter on its own core
  kPaper,        ///< as published; not safe
};

inline constexpr std::array<std::string_view, 3> kVariants = {kSafe, "safe-arbiter", "paper"};
Variant variant_of(const Options& options);

inline constexpr std::string_view kPaperTitle =
    "Wang, Liu, Wong, Kim: GCAPS: GPU Context-Aware Preemptive Priority-Based Scheduling for "
    "Real-Time Tasks, ECRTS 2024";

/// A bound, or why there is none, with what it is made of.
struct TaskBound {
  FixedPoint response;
  std::vector<Term> terms;
};

/// The summands every bound starts with.
inline void add_own_work(Recurrence& r, const GpuTask& task) {
  r.add("own CPU work", task.cpu);
  r.add("own GPU launches", task.launch);
  r.add("own GPU work", task.exec);
}

/// Real-time tasks in decreasing CPU priority; `bound_of(i, responses)` may use the
/// response times of the tasks before i. After the first failure the others have no bound, because
/// their jitters would need it.
template <typename BoundOf>
std::vector<TaskBound> bounds_in_priority_order(const TaskSet& set, const std::stop_token& stop,
                                                BoundOf bound_of) {
  std::vector<TaskBound> bounds(set.real_time);
  std::vector<Time> responses(set.real_time);
  for (std::size_t i = 0; i < set.real_time; ++i) {
    Stopped::check(stop);
    bounds[i] = bound_of(i, responses);
    if (!bounds[i].response.found()) {
      for (std::size_t k = i + 1; k < set.real_time; ++k) {
        bounds[k].response.outcome = FixedPoint::Outcome::kExceeded;
      }
      break;
    }
    responses[i] = bounds[i].response.value;
  }
  return bounds;
}

/// Marks bounds that hold only together (they use the deadlines of lower tasks), and warns if one
/// of them fails.
void mark_hold_only_together(Verdict& verdict);

bool all_found(const std::vector<TaskBound>& bounds);

/// Why a verdict is undecided when the test of a task reached the limit of steps.
std::string limit_reason(const GpuTask& task);

/// The verdict of a method from the bounds of `set.tasks`, with the warnings that go with mode and
/// variant.
Verdict to_verdict(const System& system, const TaskSet& set, Mode mode, Variant variant,
                   std::vector<TaskBound> bounds);

/// `Method::analyze` by `Test(set, mode, variant).bound_of(i, responses)`, task by task.
template <typename Test, Mode kMode, Overheads kNeeded>
Verdict analyze_in_priority_order(const System& system, const Options& options) {
  const auto made = make_task_set(system, kNeeded);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return Verdict::not_applicable(*refusal);
  const auto& set = std::get<TaskSet>(made);
  const Variant variant = variant_of(options);
  Test test(set, kMode, variant);
  return to_verdict(system, set, kMode, variant,
                    bounds_in_priority_order(set, options.stop,
                                             [&](std::size_t i, std::span<const Time> responses) {
                                               return test.bound_of(i, responses);
                                             }));
}

}  // namespace tactus::gcaps
