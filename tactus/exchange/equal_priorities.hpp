#pragma once

#include <algorithm>
#include <set>

#include "tactus/model/system.hpp"

namespace tactus {

/// A file has each priority once. False: all differ, or there are none; else all are left out.
inline bool leave_out_equal_priorities(System& system) {
  std::set<std::int64_t> seen;
  const bool all_differ = std::all_of(
      system.tasks.begin(), system.tasks.end(),
      [&](const Task& task) { return !task.priority || seen.insert(*task.priority).second; });
  if (all_differ) return false;
  for (Task& task : system.tasks) task.priority.reset();
  return true;
}

}  // namespace tactus
