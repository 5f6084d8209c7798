#pragma once

#include <cstdint>
#include <optional>

#include "tactus/methods/method.hpp"

namespace tactus::rtgpu {

/// How long a search that may go through very many allocations goes on. It counts steps, so that
/// the answer is the same on every machine; `--time-limit` lets it go on for that long instead.
class SearchBudget {
 public:
  /// Reads `time-limit`. Steps up to `descent` are granted in any case: what it takes to go down
  /// the tasks once. @throws BadOption.
  explicit SearchBudget(const Options& options, std::int64_t descent = 0);

  /// Counts a partial allocation that is looked at. @throws LimitReached when the budget is spent.
  void spend_allocation();
  /// Counts the steps of a test. @throws LimitReached when the budget is spent.
  void spend(std::int64_t steps) {
    steps_ += steps;
    if (steps_ > limit_) give_up();
  }

  std::int64_t allocations() const { return allocations_; }
  std::int64_t steps() const { return steps_; }
  /// Whether half of it is spent: then another way is worth a try.
  bool half_spent() const;
  /// Whether there is a time limit, and it has passed.
  bool time_is_up() const;

  /// The most partial allocations, even with a time limit: the search would never end.
  static constexpr std::int64_t kMostAllocations = 2'000'000;
  /// One step is one segment of a task (for `stgm`: the whole job) against one more urgent task:
  /// about two seconds in all.
  static constexpr std::int64_t kMostSteps = 80'000'000;
  /// What another way may take beside it: half a second.
  static constexpr std::int64_t kMostStepsBeside = 40'000'000;

 private:
  [[noreturn]] void give_up() const;

  std::optional<std::int64_t> half_ns_, end_ns_;  ///< where there is a time limit
  std::int64_t limit_ = kMostSteps;
  std::int64_t allocations_ = 0, steps_ = 0;
};

}  // namespace tactus::rtgpu
