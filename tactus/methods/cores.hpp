#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace tactus {

/// Replaces the core of each task by 0 .. n-1 in the same order, and says n: tables by core are
/// then as long as there are cores in use, and a cpu of a million units costs nothing.
template <typename Tasks>
std::size_t number_cores(Tasks&& tasks) {
  std::uint64_t low = 0;  // which of the first 64 are used; most machines have no more
  bool all_low = true;
  for (const auto& task : tasks) {
    all_low = all_low && task.core < 64;
    low |= std::uint64_t{1} << (task.core % 64);
  }
  if (all_low) {
    std::uint8_t number[64] = {};
    std::uint8_t count = 0;
    for (std::uint64_t left = low; left != 0; left &= left - 1) {
      number[std::countr_zero(left)] = count++;
    }
    for (auto& task : tasks) task.core = number[task.core];
    return count;
  }
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
