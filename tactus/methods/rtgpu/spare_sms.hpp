#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/methods/rtgpu/family.hpp"

/// What tasks can gain at most when they share the SMs that are spare: bounds for searches that
/// would else believe that each task gets all of them.
namespace tactus::rtgpu {

/// Times of the tasks by their count of SMs, which fall (not strictly) with the count.
class TimesByCount {
 public:
  /// `time(k, sms)` of all real-time tasks. Nothing where there are too many counts to list.
  template <typename TimeOf>
  static std::optional<TimesByCount> make(const TaskSet& set, TimeOf time) {
    return make(set, set.real_time, time);
  }
  /// The same of the first so many tasks.
  template <typename TimeOf>
  static std::optional<TimesByCount> make(const TaskSet& set, std::size_t tasks, TimeOf time) {
    if (set.sms > kMostEntries / static_cast<std::int64_t>(set.real_time + 1)) return std::nullopt;
    TimesByCount all;
    for (std::size_t k = 0; k < tasks; ++k) {
      Row& row = all.rows_.emplace_back();
      row.first = set.tasks[k].min_sms;
      const std::int64_t last = set.tasks[k].has_kernels() ? set.sms : row.first;
      for (std::int64_t sms = row.first; sms <= last; ++sms) row.times.push_back(time(k, sms).ns());
      row.add_slopes();
    }
    return all;
  }

  Time of(std::size_t k, std::int64_t sms) const {
    const Row& row = rows_[k];
    return Time::from_ns(row.times[row.place(sms)]);
  }
  /// The fewest SMs with at most that time; nothing where all SMs take longer.
  std::optional<std::int64_t> fewest(std::size_t k, Time most) const;

  /// The least that the longest time of the tasks from `first` on can be, when they have the least
  /// counts and share `spare` SMs beyond them. Giving to whoever is the longest is best.
  Time least_longest(std::size_t first, const Counts& least, const Counts& most,
                     std::int64_t spare) const;

  /// At least the sum of weight[k] times the time of task k over the first tasks, when those whose
  /// count may grow share `spare` SMs beyond the least counts; the sum over the convex hulls of
  /// their times, which is what giving each SM to whom it helps the most finds.
  __int128 least_sum(std::span<const std::int64_t> weights, const Counts& least, const Counts& most,
                     std::int64_t spare) const;

 private:
  static constexpr std::int64_t kMostEntries = 4'000'000;

  struct Row {
    std::int64_t first = 0;           ///< count of the first entry
    std::vector<std::int64_t> times;  ///< ns
    /// The lower convex hull, rounded down, and how much it falls with one more SM, rounded up.
    std::vector<std::int64_t> hull, fall;

    std::size_t place(std::int64_t sms) const { return static_cast<std::size_t>(sms - first); }
    void add_slopes();
  };
  std::vector<Row> rows_;
};

}  // namespace tactus::rtgpu
