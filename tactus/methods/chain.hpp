#pragma once

#include <string_view>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/methods/verdict.hpp"

namespace tactus {

/// The nodes of a task in order if they form one chain; otherwise why not. `who` completes the
/// complaint: "these methods need a chain".
Result<std::vector<NodeIndex>, Refusal> chain_of(const Task& task, std::string_view who);

}  // namespace tactus
