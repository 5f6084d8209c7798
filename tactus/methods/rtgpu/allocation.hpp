#pragma once

#include <string_view>

#include "tactus/base/result.hpp"
#include "tactus/methods/rtgpu/family.hpp"

namespace tactus::rtgpu {

/// Reads the option `allocation`: "a=3,b=2", physical SMs by task name. Tasks without kernels may
/// be left out. Refuses unknown names, counts below what a task needs, and more SMs than there are.
Result<Counts> parse_allocation(const TaskSet& set, std::string_view text);

}  // namespace tactus::rtgpu
