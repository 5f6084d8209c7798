#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/methods/rtgpu/family.hpp"
#include "tactus/methods/rtgpu/search_budget.hpp"

namespace tactus::rtgpu {

/// Looks for an allocation with which every task meets its deadline, whichever comes: from an equal
/// share for each task, it moves SMs as long as the tasks that are late become less so. It proves
/// nothing when it finds none.
///
/// `Test` is that of `LexicographicSearch`, and has
///   std::optional<Time> response(std::size_t k, std::int64_t sms, Time limit);
///                              the bound of task k under the counts assumed, up to the limit, which
///                              may lie beyond its deadline
template <typename Test>
class AllocationClimb {
 public:
  AllocationClimb(const TaskSet& set, Test& test, const Options& options,
                  const SearchBudget& budget)
      : set_(set), test_(test), options_(options), budget_(budget) {}

  /// Gives up after so many steps (but looks at the equal shares in any case), or when the time of
  /// the budget is up. @pre the minima of the tasks fit.
  std::optional<Counts> run(std::int64_t most_steps) {
    most_steps_ = most_steps;
    Counts counts = equal_shares();
    Lateness now = lateness(counts);
    // Large moves first: with many SMs for few tasks, single ones would take very long.
    const auto tasks = static_cast<std::int64_t>(set_.real_time);
    for (std::int64_t size = std::max<std::int64_t>(1, set_.sms / (4 * tasks));;) {
      if (!now.any_late) return counts;
      if (given_up_) return std::nullopt;
      if (const auto better = best_neighbour(counts, now, size)) {
        counts = better->second;
        now = better->first;
      } else if (size == 1) {
        return std::nullopt;
      } else {
        size /= 2;
      }
    }
  }

 private:
  /// How late the tasks are together: for each the square of what its bound has beyond nearly all of
  /// its deadline, so that the latest task counts most, and a task that is just in time a little.
  struct Lateness {
    std::int64_t sum = 0;
    bool any_late = false;
    friend bool operator<(const Lateness& a, const Lateness& b) {
      return std::pair(a.any_late, a.sum) < std::pair(b.any_late, b.sum);
    }
  };
  using Neighbour = std::pair<Lateness, Counts>;

  static constexpr std::int64_t kDeadline = 1'000'000;  ///< bounds are in millionths of it
  static constexpr std::int64_t kInTime = 970'000;
  static constexpr std::int64_t kFurthest = 8;  ///< deadlines, up to which bounds are told apart
  static constexpr std::size_t kPromising = 6;  ///< givers and takers that are tried in pairs

  Counts equal_shares() const {
    Counts counts;
    for (std::size_t k = 0; k < set_.real_time; ++k) counts.push_back(set_.tasks[k].min_sms);
    std::int64_t spare = set_.sms - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    // Up to where the shares are equal: task after task, the smallest count first.
    std::vector<std::size_t> users;
    for (std::size_t k = 0; k < set_.real_time; ++k) {
      if (set_.tasks[k].has_kernels()) users.push_back(k);
    }
    std::stable_sort(users.begin(), users.end(),
                     [&](std::size_t a, std::size_t b) { return counts[a] < counts[b]; });
    for (std::size_t u = 0; u < users.size() && spare > 0; ++u) {
      // The first u + 1 have the same count; raise them to that of the next one.
      const auto level = static_cast<std::int64_t>(u + 1);
      const std::int64_t to_next =
          u + 1 < users.size() ? counts[users[u + 1]] - counts[users[u]] : INT64_MAX / (2 * level);
      const std::int64_t each = std::min(to_next, spare / level);
      const std::int64_t rest = each < to_next ? spare % level : 0;
      for (std::size_t v = 0; v <= u; ++v) {
        const std::int64_t more = each + (static_cast<std::int64_t>(v) < rest ? 1 : 0);
        counts[users[v]] += more;
        spare -= more;
      }
    }
    return counts;
  }

  Lateness lateness(const Counts& counts) {
    Lateness sum;
    test_.assume({counts, counts, 0});
    for (std::size_t k = 0; k < set_.real_time; ++k) {
      check_stop(options_);
      steps_ += test_.steps(k);
      const Time deadline = set_.tasks[k].deadline;
      // No farther where that would not be a time any more.
      const bool far = deadline.ns() > INT64_MAX / (8 * kFurthest);
      const auto bound = test_.response(k, counts[k], far ? deadline : kFurthest * deadline);
      std::int64_t part = (kFurthest + 1) * kDeadline;
      if (bound) {
        part = static_cast<std::int64_t>(static_cast<__int128>(bound->ns()) * kDeadline /
                                         deadline.ns());
      }
      sum.any_late = sum.any_late || !bound || *bound > deadline;
      const std::int64_t beyond = std::max<std::int64_t>(0, part - kInTime);
      if (__builtin_add_overflow(sum.sum, beyond * beyond, &sum.sum)) sum.sum = INT64_MAX;
    }
    given_up_ = given_up_ || steps_ > most_steps_ || budget_.time_is_up();
    return sum;
  }

  /// Gives up, takes, or moves `size` SMs in the way that leaves the tasks least late; nothing where
  /// none is better than now.
  std::optional<Neighbour> best_neighbour(const Counts& counts, const Lateness& now,
                                          std::int64_t size) {
    std::optional<Neighbour> best;
    const std::int64_t spare =
        set_.sms - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const auto consider = [&](const Lateness& late, const Counts& other) {
      if (late < now && (!best || late < best->first)) best = Neighbour{late, other};
    };
    using Ranked = std::pair<Lateness, std::size_t>;
    std::vector<Ranked> givers, takers;
    for (std::size_t k = 0; k < set_.real_time && !given_up_; ++k) {
      if (!set_.tasks[k].has_kernels()) continue;
      Counts other = counts;
      if (counts[k] - size >= set_.tasks[k].min_sms) {
        other[k] = counts[k] - size;
        givers.emplace_back(lateness(other), k);
        consider(givers.back().first, other);
      }
      other[k] = counts[k] + size;
      takers.emplace_back(lateness(other), k);  // who would gain most, if there were SMs for it
      if (size <= spare) consider(takers.back().first, other);
    }
    const auto keep_best = [](std::vector<Ranked>& all) {
      std::stable_sort(all.begin(), all.end(),
                       [](const Ranked& a, const Ranked& b) { return a.first < b.first; });
      if (all.size() > kPromising) all.resize(kPromising, {Lateness{}, 0});
    };
    keep_best(givers);
    keep_best(takers);
    for (const auto& [give, from] : givers) {
      for (const auto& [take, to] : takers) {
        if (from == to || given_up_) continue;
        Counts other = counts;
        other[from] -= size;
        other[to] += size;
        consider(lateness(other), other);
      }
    }
    return best;
  }

  const TaskSet& set_;
  Test& test_;
  const Options& options_;
  const SearchBudget& budget_;
  std::int64_t steps_ = 0, most_steps_ = 0;
  bool given_up_ = false;
};

}  // namespace tactus::rtgpu
