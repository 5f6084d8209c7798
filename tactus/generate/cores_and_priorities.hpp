#pragma once

#include <cstdint>
#include <vector>

#include "tactus/model/system.hpp"

/// Priorities and cores for tasks that were drawn without them. Where two tasks are equal, the
/// earlier one comes first.
namespace tactus {

/// The shortest period is the most urgent; the least priority is 1. @pre every task has a period
void give_rate_monotonic_priorities(std::vector<Task>& tasks);

/// The same for the shortest deadline.
void give_deadline_monotonic_priorities(std::vector<Task>& tasks);

/// Worst-fit decreasing on the cores 1 to `cores`: the largest task first, always on the least
/// loaded core.
void place_on_cores(std::vector<Task>& tasks, const std::vector<double>& utilisations,
                    std::int64_t cores);

/// The same without the sorting: in the order of the tasks.
void place_on_cores_in_order(std::vector<Task>& tasks, const std::vector<double>& utilisations,
                             std::int64_t cores);

}  // namespace tactus
