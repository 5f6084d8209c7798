#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/base/time.hpp"

/// What was seen of the jobs of tasks, as `period`, `jitter` and `after` (docs/use/pipelines.md): the one
/// rule of everything that watches or imports.
namespace tactus {

struct Rhythm {
  Time period;
  Time late;            ///< of a job, after its arrival, at most
  bool steady = false;  ///< the jobs keep to it
};

/// Ten jobs or more that are within half of a period from exact arrivals: how far they are. Without a
/// `period` it is the one to which they keep best. Else nothing is known of how late they are, and the
/// period is their shortest distance; nothing where two start at once.
/// @param starts of all jobs, in any order
std::optional<Rhythm> rhythm_of(std::span<const Time> starts, const std::optional<Time>& period);

struct SeenJob {
  Time start, end;
};

/// Each job of a task begins soon after the end of a job of another one.
struct Following {
  std::size_t before = 0;  ///< that task
  std::int64_t jobs = 0;
  Time shortest, longest;  ///< from the end to the start
};

/// How many jobs it takes to say so.
inline constexpr std::int64_t kFewestFollowing = 100;

/// By task: whom it follows, in the same order of jobs, `within` at most, in every job; of several the
/// one with the smallest `longest`. Never in a circle.
/// @param tasks their jobs, by start
std::vector<std::optional<Following>> followings(std::span<const std::vector<SeenJob>> tasks,
                                                 Time within);

}  // namespace tactus
