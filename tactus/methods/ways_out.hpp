#pragma once

#include <string_view>

/// What to write instead of what a family does not take: the ends of refusals.
namespace tactus {

inline constexpr std::string_view kFileForEachGpu =
    "write a file for each GPU, and add up the bounds of chains that use both";
inline constexpr std::string_view kCutAtThePeriod =
    "cut it into tasks that each end within a period, and require the rest of a chain over them";

}  // namespace tactus
