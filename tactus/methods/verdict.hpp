#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/plan.hpp"
#include "tactus/model/system.hpp"

/// What a method says about a system. A verdict is never an error code: bad input has been refused
/// by the reader before any method sees it.
namespace tactus {

enum class Status {
  kSchedulable,    ///< every deadline is proved
  kUnschedulable,  ///< this method cannot prove every deadline
  kUndecided,      ///< a limit was reached first
  kNotApplicable,  ///< this method does not cover this system
};

std::string_view to_string(Status status);

/// One summand of a bound. The terms of a bound add up to it.
struct Term {
  static constexpr TaskIndex kNoTask = static_cast<TaskIndex>(-1);

  std::string_view label;  ///< what it stands for ("CPU preemption"); static text
  TaskIndex by = kNoTask;  ///< the task that causes it
  Time amount;

  /// Where the amount is ceil((R + jitter) / period) * each, the parts of it; else `jobs` is 0.
  std::int64_t jobs = 0;
  Time each = {}, period = {}, jitter = {};
};

/// Why a method does not cover a system, and where in the file.
struct Refusal {
  std::string reason;
  Position at;
};

struct TaskVerdict {
  TaskIndex task = 0;
  std::optional<Time> bound;
  std::optional<Time> deadline;
  bool schedulable = false;
  /// Of the bound; without a bound, of the demand that first exceeded the deadline (empty when the
  /// task was not reached).
  std::vector<Term> terms;
  std::string_view note = {};  ///< why there is neither bound nor terms; static text
};

struct Verdict {
  std::string method;
  std::string variant;
  Status status = Status::kUnschedulable;
  /// Why, when undecided or not applicable, and the place in the file where there is one.
  std::string reason;
  Position at;
  std::vector<std::string> warnings;
  std::vector<TaskVerdict> tasks;  ///< real-time tasks in file order
  /// The bounds rely on the other tasks meeting their deadlines: none holds unless all do.
  bool hold_only_together = false;
  std::shared_ptr<const Plan> plan;  ///< what must be done at run time; null when none was made

  static Verdict not_applicable(Refusal refusal) {
    Verdict verdict;
    verdict.status = Status::kNotApplicable;
    verdict.reason = std::move(refusal.reason);
    verdict.at = refusal.at;
    return verdict;
  }
};

}  // namespace tactus
