#pragma once

#include <algorithm>
#include <vector>

namespace tactus {

/// Replaces the core of each task by 0 .. n-1 in the same order, and says n: tables by core are
/// then as long as there are cores in use, and a cpu of a million units costs nothing.
template <typename Tasks>
std::size_t number_cores(Tasks&& tasks) {
  std::vector<std::size_t> used;
  used.reserve(tasks.size());
  for (const auto& task : tasks) used.push_back(task.core);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (auto& task : tasks) {
    const auto place = std::lower_bound(used.begin(), used.end(), task.core);
    task.core = static_cast<std::size_t>(place - used.begin());
  }
  return used.size();
}

}  // namespace tactus
