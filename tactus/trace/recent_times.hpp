#pragma once

#include <algorithm>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::trace {

/// How many times of each kind a run without an end keeps.
inline constexpr std::size_t kMostKept = std::size_t{1} << 15;

/// Forgets the older half of `times` when there are too many of them, but never the longest. Returns
/// how many were forgotten.
inline std::size_t forget_old(std::vector<Time>& times) {
  if (times.size() < kMostKept) return 0;
  const auto half = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  const Time longest = *std::max_element(times.begin(), times.end());
  const std::size_t before = times.size();
  times.erase(times.begin(), half);
  if (std::find(times.begin(), times.end(), longest) == times.end()) times.front() = longest;
  return before - times.size();
}

}  // namespace tactus::trace
