#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/model/system.hpp"

/// What the tier `hold`, which only opens gates and takes no segment off the GPU again, means for a
/// system.
namespace tactus::arbiter::tasks {

/// Best-effort segments, which the analysis takes off when it must, stay until they are done. That
/// is what taking them off then costs: `preempt_cost` becomes the longest of them, if it is less.
void charge_what_stays(System& system);

/// The same for a system that may not be changed: what its bounds do not cover, if that is so.
std::optional<std::string> what_blocks_longer(const System& system);

/// The first task with a segment that could be taken off. @param thresholds by task and segment
std::optional<TaskIndex> first_preemptable(
    const System& system, const std::vector<std::vector<std::int64_t>>& thresholds);

}  // namespace tactus::arbiter::tasks
