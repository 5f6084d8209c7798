#include "tactus/model/rhythm.hpp"

#include <algorithm>

namespace tactus {
namespace {

/// With arrivals exactly a period apart: how far the starts are from each other in it.
Time spread(std::span<const Time> starts, Time period) {
  Time first = starts.front(), last = starts.front();
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const Time shifted = starts[k] - static_cast<std::int64_t>(k) * period;
    first = std::min(first, shifted);
    last = std::max(last, shifted);
  }
  return last - first;
}

/// The period with which the starts are nearest to exact arrivals. As a function of the period the
/// spread is convex: it only falls up to there, and then only rises.
Time steadiest_period(std::span<const Time> starts) {
  const auto distances = static_cast<std::int64_t>(starts.size()) - 1;
  const std::int64_t mean = (starts.back() - starts.front()).ns() / distances;
  const std::int64_t off = spread(starts, Time::from_ns(mean)).ns() / distances + 1;
  std::int64_t low = std::max<std::int64_t>(0, mean - off), high = mean + off;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const bool falls =
        spread(starts, Time::from_ns(middle + 1)) < spread(starts, Time::from_ns(middle));
    (falls ? low : high) = falls ? middle + 1 : middle;
  }
  return Time::from_ns(low);
}

/// Does each job of one begin after the end of that of the other which is `shift` places further?
std::optional<Following> following(const std::vector<SeenJob>& own,
                                   const std::vector<SeenJob>& other, std::ptrdiff_t shift,
                                   Time within) {
  Following seen;
  seen.shortest = Time::max();
  for (std::ptrdiff_t k = 0; k < std::ssize(own); ++k) {
    // Where the recording began or ended, one of the two may be missing.
    const std::ptrdiff_t place = k + shift;
    if (place == -1 || place == std::ssize(other)) continue;
    if (place < 0 || place > std::ssize(other)) return std::nullopt;
    const Time lag =
        own[static_cast<std::size_t>(k)].start - other[static_cast<std::size_t>(place)].end;
    if (lag < Time() || lag > within) return std::nullopt;
    seen.shortest = std::min(seen.shortest, lag);
    seen.longest = std::max(seen.longest, lag);
    ++seen.jobs;
  }
  return seen.jobs < kFewestFollowing ? std::nullopt : std::optional(seen);
}

}  // namespace

std::optional<Rhythm> rhythm_of(std::span<const Time> starts, const std::optional<Time>& period) {
  constexpr std::size_t kFewestSteady = 10;
  std::vector<Time> sorted(starts.begin(), starts.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() >= kFewestSteady) {
    const Time kept = period ? *period : steadiest_period(sorted), late = spread(sorted, kept);
    if (late < kept - late) return Rhythm{kept, late, true};
  }
  if (period) return Rhythm{*period, Time(), false};
  Time shortest = Time::max();
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    shortest = std::min(shortest, sorted[k] - sorted[k - 1]);
  }
  if (sorted.size() < 2 || shortest == Time()) return std::nullopt;
  return Rhythm{shortest, Time(), false};
}

std::vector<std::optional<Following>> followings(std::span<const std::vector<SeenJob>> tasks,
                                                 Time within) {
  struct Pair {
    std::size_t task;
    Following seen;
  };
  std::vector<Pair> pairs;
  for (std::size_t own = 0; own < tasks.size(); ++own) {
    for (std::size_t other = 0; other < tasks.size(); ++other) {
      if (own == other || tasks[other].empty()) continue;
      for (const std::ptrdiff_t shift : {-1, 0, 1}) {
        auto seen = following(tasks[own], tasks[other], shift, within);
        if (!seen) continue;
        seen->before = other;
        pairs.push_back({own, *seen});
      }
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.seen.longest < b.seen.longest; });
  std::vector<std::optional<Following>> found(tasks.size());
  for (const Pair& pair : pairs) {
    std::size_t root = pair.seen.before;
    while (found[root] && root != pair.task) root = found[root]->before;
    if (!found[pair.task] && root != pair.task) found[pair.task] = pair.seen;
  }
  return found;
}

}  // namespace tactus
