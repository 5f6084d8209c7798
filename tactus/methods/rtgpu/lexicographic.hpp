#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/rtgpu/allocation_climb.hpp"
#include "tactus/methods/rtgpu/family.hpp"
#include "tactus/methods/rtgpu/search_budget.hpp"

/// The lexicographically first feasible allocation, most urgent task first, for analyses whose
/// feasible allocations are not a lattice: depth-first, pruned by the best that unassigned tasks
/// can do, which cannot change the result.
namespace tactus::rtgpu {

/// Between which counts each task still is: equal if it is assigned. The tasks that are not assigned
/// can get `spare` SMs together beyond their least counts; `most` gives all of them to each.
struct CountRange {
  Counts least, most;
  std::int64_t spare = 0;
};

/// `Test` answers optimistically:
///   void assume(const CountRange&);                  the other tasks are within these counts:
///                                                    least kernel times from any of them
///   bool may_meet(std::size_t k, std::int64_t sms);  can task k meet its deadline with `sms`?
///   std::int64_t steps(std::size_t k);               what that costs of the search's budget
/// exactly when every range is a single count, and never "no" wrongly. More own SMs do no harm.
/// At first the test may let every task have all spare SMs. When the search becomes long:
///   void look_closer();                              from now on the tasks share the spare SMs,
///                                                    which costs more time and refutes more
///   bool raise(CountRange&);                         raises least counts that are too small for
///                                                    anybody; were there any?
///   std::optional<std::size_t> overloaded(std::int64_t steps);  a task that misses its deadline
///                                                    however the spare SMs are shared, where that
///                                                    is seen in so many steps
/// And for a person:
///   std::vector<Term> demand(std::size_t k, std::int64_t sms);  what it needs under the same
///                                                    assumptions
template <typename Test>
class LexicographicSearch {
 public:
  LexicographicSearch(const TaskSet& set, Test& test, const Options& options)
      : set_(set), test_(test), options_(options), budget_(options, steps_down()) {}

  std::optional<Counts> run() {
    for (std::size_t k = 0; k < set_.real_time; ++k) {
      range_.least.push_back(set_.tasks[k].min_sms);
    }
    if (!raise_minima()) return std::nullopt;
    Counts minima = range_.least;
    std::size_t depth = 0;
    bool closer = false;
    // Invariant: the tasks before `depth` are assigned; range_.least[depth] is to be tried next.
    while (depth < set_.real_time) {
      if (!set_.tasks[depth].has_kernels() && range_.least[depth] == minima[depth]) {
        ++depth;  // nothing to choose, so what was seen to be possible still is
        continue;
      }
      if (!closer && budget_.allocations() >= quick_allocations()) {
        closer = true;
        range_.least = minima;
        if (!look_closer()) return std::nullopt;
        minima = range_.least;
        depth = 0;
        continue;
      }
      if (closer && !looked_for_overload_ && budget_.steps() > kStepsBeforeOverload &&
          find_overload(minima)) {
        return std::nullopt;
      }
      if (!climbed_ && budget_.half_spent()) climb();
      spread_spare_sms(depth);
      if (range_.least[depth] > range_.most[depth]) {
        if (depth == 0) return std::nullopt;
        range_.least[depth] = minima[depth];
        to_next_count(--depth);
      } else if (all_may_meet(depth + 1)) {
        ++depth;
      } else {
        to_next_count(depth);
      }
    }
    return range_.least;
  }

  /// An allocation that makes every task meet its deadline, but may not be the first: found beside a
  /// search that became long.
  const std::optional<Counts>& feasible() const { return feasible_; }

  /// Why there is none: the task that misses whatever the others get, or that missed last.
  /// @pre `run` found none
  SearchResult failure() {
    if (overloaded_) {
      return {{},
              {},
              fmt::format("no allocation of the SMs makes every task meet its deadline: task {} "
                          "misses it however they are shared",
                          quote(set_.tasks[*overloaded_].name))};
    }
    if (!hopeless_) {
      return {
          {},
          {},
          fmt::format("no allocation of the SMs makes every task meet its deadline; the last one "
                      "that was tried fails for task {}",
                      quote(set_.tasks[suspect_].name))};
    }
    const ChainTask& task = set_.tasks[*hopeless_];
    const std::int64_t most = std::max(range_.least[*hopeless_], range_.most[*hopeless_]);
    const std::string with =
        task.has_kernels() ? fmt::format("with all {} SMs that it can get", most)
                           : std::string("with the other tasks on as many SMs as they can get");
    return {{},
            {},
            fmt::format("task {} misses its deadline even {}", quote(task.name), with),
            hopeless_,
            test_.demand(*hopeless_, most)};
  }

 private:
  /// The steps to look at every task once per task.
  std::int64_t steps_down() const {
    __int128 steps = 0;
    for (std::size_t k = 0; k < set_.real_time; ++k) steps += test_.steps(k);
    steps *= static_cast<__int128>(set_.real_time);
    return static_cast<std::int64_t>(std::min<__int128>(steps, INT64_MAX));
  }

  /// Beyond all SMs where no larger count makes a difference.
  void to_next_count(std::size_t k) {
    range_.least[k] = set_.tasks[k].next_count(range_.least[k]).value_or(set_.sms + 1);
  }

  /// The most that an unassigned task can get is its least and all that no other task needs. The
  /// tasks before `assigned` keep their counts.
  void spread_spare_sms(std::size_t assigned) {
    const std::int64_t spare =
        set_.sms - std::accumulate(range_.least.begin(), range_.least.end(), std::int64_t{0});
    range_.most = range_.least;
    range_.spare = std::max<std::int64_t>(0, spare);
    for (std::size_t k = assigned; k < set_.real_time; ++k) {
      range_.most[k] = set_.tasks[k].has_kernels() ? range_.least[k] + spare : 0;
    }
  }

  /// Do the least counts together exceed the SMs? Then some task would be left with none, for which
  /// its kernels have no time.
  bool too_few_sms() const {
    for (std::size_t k = 0; k < set_.real_time; ++k) {
      if (range_.least[k] > range_.most[k]) return true;
    }
    return false;
  }

  bool all_may_meet(std::size_t assigned) {
    budget_.spend_allocation();
    const CountRange before = range_;
    spread_spare_sms(assigned);
    test_.assume(range_);
    const auto may_meet = [&](std::size_t k) {
      check_stop(options_);
      budget_.spend(test_.steps(k));
      return test_.may_meet(k, range_.most[k]);
    };
    // Who missed last is likely to miss again.
    bool all = may_meet(suspect_);
    for (std::size_t k = 0; k < set_.real_time && all; ++k) {
      if (k == suspect_) continue;
      all = may_meet(k);
      if (!all) suspect_ = k;
    }
    range_ = before;
    return all;
  }

  void climb() {
    climbed_ = true;
    try {
      feasible_ =
          AllocationClimb<Test>(set_, test_, options_, budget_).run(SearchBudget::kMostStepsBeside);
    } catch (const Stopped&) {
      throw;
    } catch (const LimitReached&) {
      // A recurrence did not end, far beyond a deadline: that says nothing about the search.
    }
  }

  /// Back to the root, with the larger minima that a closer look finds.
  bool look_closer() {
    constexpr int kMostRounds = 10;  // each costs as much as many partial allocations
    test_.look_closer();
    for (int round = 0; round < kMostRounds; ++round) {
      if (!raise_minima()) return false;
      if (!test_.raise(range_)) return true;
    }
    return raise_minima();
  }

  /// Whether there is a task that misses its deadline however the SMs are shared. Leaves the range as
  /// it is.
  bool find_overload(const Counts& minima) {
    looked_for_overload_ = true;
    const CountRange before = std::exchange(range_, {minima, {}, 0});
    spread_spare_sms(0);
    test_.assume(range_);
    overloaded_ = test_.overloaded(SearchBudget::kMostStepsBeside);
    range_ = before;
    return overloaded_.has_value();
  }

  /// At the root: a task needs at least what it needs if all others are most favourable. A raised
  /// minimum makes the others less favourable, so repeat until nothing changes.
  bool raise_minima() {
    for (bool changed = true; changed;) {
      changed = false;
      spread_spare_sms(0);
      if (too_few_sms()) return false;
      test_.assume(range_);
      for (std::size_t k = 0; k < set_.real_time; ++k) {
        check_stop(options_);
        const std::int64_t needed = fewest(k);
        if (needed > range_.most[k]) {
          hopeless_ = k;
          return false;
        }
        if (needed == range_.least[k]) continue;
        range_.least[k] = needed;
        spread_spare_sms(0);
        test_.assume(range_);
        changed = true;
      }
    }
    return true;
  }

  /// The fewest SMs that may be enough for task k; one more than it can get if none are.
  std::int64_t fewest(std::size_t k) {
    std::int64_t low = range_.least[k], high = range_.most[k];
    if (test_.may_meet(k, low)) return low;
    if (!test_.may_meet(k, high)) return high + 1;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (test_.may_meet(k, middle) ? high : low) = middle;
    }
    return high;
  }

  /// A search that never goes back looks at one partial allocation per task. A closer look costs as
  /// much as several of them, so it waits until this search has gone back often.
  std::int64_t quick_allocations() const {
    return 2 * static_cast<std::int64_t>(set_.real_time) + 8;
  }

  /// Looking for an overload takes about as long as this, so most searches end before it.
  static constexpr std::int64_t kStepsBeforeOverload = SearchBudget::kMostSteps / 40;

  const TaskSet& set_;
  Test& test_;
  const Options& options_;
  CountRange range_;
  std::size_t suspect_ = 0;              ///< the task that missed last
  std::optional<std::size_t> hopeless_;  ///< the task that misses with whatever it can get
  bool looked_for_overload_ = false;
  std::optional<std::size_t> overloaded_;  ///< the task that misses however the SMs are shared
  SearchBudget budget_;
  bool climbed_ = false;
  std::optional<Counts> feasible_;
};

/// The search of a baseline: first allocation, then the reports of every task under it. Where the
/// first one is not found in time, another feasible one, if one is known, and a warning.
template <typename Test>
SearchResult search_lexicographically(const TaskSet& set, const Options& options) {
  if (std::string reason = not_enough_sms(set); !reason.empty()) return {{}, {}, reason};
  Test test(set, options.variant);
  LexicographicSearch<Test> search(set, test, options);
  SearchResult result;
  try {
    auto counts = search.run();
    if (!counts) return search.failure();
    result.counts = std::move(*counts);
  } catch (const Stopped&) {
    throw;
  } catch (const LimitReached& limit) {
    if (!search.feasible()) throw;
    result.counts = *search.feasible();
    result.warning = fmt::format(
        "every task meets its deadline with this allocation; it may not be the one that the method "
        "prefers (the first in lexicographic order): {}",
        limit.what());
  }
  result.reports = test.reports(result.counts, options);
  return result;
}

/// Every task under a given allocation.
template <typename Test>
std::vector<TaskReport> analyze_given(const TaskSet& set, const Counts& counts,
                                      const Options& options) {
  return Test(set, options.variant).reports(counts, options);
}

}  // namespace tactus::rtgpu
