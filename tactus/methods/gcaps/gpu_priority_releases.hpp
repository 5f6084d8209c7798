#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tactus/methods/gcaps/family.hpp"

namespace tactus::gcaps {

/// GPU levels, by task, under which all pass, and the bounds then, where tasks start tasks; nothing
/// if none are found. Slower than the search without them, whose short cuts rely on jitters that stay.
/// @pre inquiry.releases
std::optional<std::pair<std::vector<std::int64_t>, std::vector<TaskBound>>> assign_with_releases(
    const Inquiry& inquiry);

}  // namespace tactus::gcaps
