#pragma once

#include <vector>

#include "tactus/model/system.hpp"

/// Paths of tasks that start tasks: `after` leads from each back to the first, the root, whose
/// arrivals are those of all.
namespace tactus {

inline constexpr TaskIndex kNoRoot = static_cast<TaskIndex>(-1);

/// By task: the first of its path, which for most is the task itself; `kNoRoot` where `after` leads
/// to no first one, which the reader refuses.
std::vector<TaskIndex> roots_of(const System& system);

/// Does a real-time task wait for its release, by `jitter` or by `after`?
bool has_late_releases(const System& system);

/// b: the least time from the release of a job to its end, by the `bcet` of the longest path of its
/// nodes; 0 for a node without `wcet`.
Time least_time(const Task& task);

/// From the arrival of a job of the root to that of this task's: the least times of all tasks before
/// it.
Time nominal_delay(const System& system, TaskIndex task);
/// The first nominal arrival: the root's `offset`, and that delay.
Time nominal_offset(const System& system, TaskIndex task);

/// Gives the tasks of every path the period of its root; a deadline that was the period stays so.
void follow_periods(System& system);

}  // namespace tactus
