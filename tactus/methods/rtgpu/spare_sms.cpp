#include "tactus/methods/rtgpu/spare_sms.hpp"

#include <algorithm>
#include <queue>

namespace tactus::rtgpu {

void TimesByCount::Row::add_slopes() {
  std::vector<std::size_t> corners;
  const auto above = [&](std::size_t a, std::size_t b, std::size_t c) {  // b on or above a-c
    const __int128 to_b = times[b] - times[a], to_c = times[c] - times[a];
    return to_b * static_cast<__int128>(c - a) >= to_c * static_cast<__int128>(b - a);
  };
  for (std::size_t i = 0; i < times.size(); ++i) {
    while (corners.size() > 1 && above(corners[corners.size() - 2], corners.back(), i)) {
      corners.pop_back();
    }
    corners.push_back(i);
  }
  hull.resize(times.size());
  fall.assign(times.size(), 0);
  for (std::size_t c = 0; c + 1 < corners.size(); ++c) {
    const std::size_t from = corners[c], to = corners[c + 1];
    const auto width = static_cast<std::int64_t>(to - from);
    const std::int64_t drop = times[from] - times[to];
    for (std::size_t i = from; i < to; ++i) {
      fall[i] = (drop + width - 1) / width;
      const __int128 fallen = static_cast<__int128>(drop) * static_cast<__int128>(i - from);
      hull[i] = times[from] - static_cast<std::int64_t>((fallen + width - 1) / width);
    }
  }
  hull.back() = times.back();
}

std::optional<std::int64_t> TimesByCount::fewest(std::size_t k, Time most) const {
  const Row& row = rows_[k];
  const auto found = std::partition_point(row.times.begin(), row.times.end(),
                                          [&](std::int64_t time) { return time > most.ns(); });
  if (found == row.times.end()) return std::nullopt;
  return row.first + (found - row.times.begin());
}

namespace {

/// Who gains the most from the next SM, or is the longest, and on which place it is.
struct Next {
  __int128 key;
  std::size_t task, place;
  friend bool operator<(const Next& a, const Next& b) { return a.key < b.key; }
};

}  // namespace

Time TimesByCount::least_longest(std::size_t first, const Counts& least, const Counts& most,
                                 std::int64_t spare) const {
  std::vector<Next> longest;
  for (std::size_t k = first; k < rows_.size(); ++k) {
    const std::size_t place = rows_[k].place(least[k]);
    longest.push_back({rows_[k].times[place], k, place});
  }
  if (longest.empty()) return {};
  std::make_heap(longest.begin(), longest.end());
  for (;;) {
    Next& top = longest.front();
    const Row& row = rows_[top.task];
    const std::int64_t time = row.times[top.place];
    // Up to the first count that makes it shorter.
    std::size_t next = top.place;
    while (next < row.times.size() && row.times[next] == time) ++next;
    const auto needed = static_cast<std::int64_t>(next - top.place);
    if (next == row.times.size() || needed > spare || least[top.task] == most[top.task]) {
      return Time::from_ns(time);
    }
    spare -= needed;
    std::pop_heap(longest.begin(), longest.end());
    longest.back().place = next;
    longest.back().key = row.times[next];
    std::push_heap(longest.begin(), longest.end());
  }
}

__int128 TimesByCount::least_sum(std::span<const std::int64_t> weights, const Counts& least,
                                 const Counts& most, std::int64_t spare) const {
  __int128 sum = 0;
  std::vector<Next> gains;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const Row& row = rows_[k];
    const std::size_t place = row.place(least[k]);
    const bool free = most[k] > least[k];
    sum += static_cast<__int128>(weights[k]) * (free ? row.hull[place] : row.times[place]);
    const __int128 gain = static_cast<__int128>(weights[k]) * row.fall[place];
    if (free && gain > 0) gains.push_back({gain, k, place});
  }
  std::make_heap(gains.begin(), gains.end());
  for (; spare > 0 && !gains.empty(); --spare) {
    std::pop_heap(gains.begin(), gains.end());
    Next& best = gains.back();
    sum -= best.key;
    best.key = static_cast<__int128>(weights[best.task]) * rows_[best.task].fall[++best.place];
    if (best.key > 0) {
      std::push_heap(gains.begin(), gains.end());
    } else {
      gains.pop_back();
    }
  }
  return sum;
}

}  // namespace tactus::rtgpu
