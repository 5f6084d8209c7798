#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/base/result.hpp"

namespace tactus::runtime::gpu {

/// Neighbouring groups of SMs that make one partition.
struct GroupRun {
  std::int64_t first = 0, count = 0;  ///< of the groups
  std::int64_t sms = 0;               ///< that it has
};

/// Cuts `groups` equal groups of `step` SMs into one run for each width asked, in that order,
/// rounding every width UP. An `Error` when they do not fit.
Result<std::vector<GroupRun>> assign_groups(std::span<const std::int64_t> widths, std::int64_t step,
                                            std::int64_t groups);

}  // namespace tactus::runtime::gpu
