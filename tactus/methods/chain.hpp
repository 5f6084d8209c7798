#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "tactus/methods/verdict.hpp"

namespace tactus {

/// The nodes of a task in order if they form one chain; otherwise why not. `who` completes the
/// complaint: "these methods need a chain".
std::variant<std::vector<NodeIndex>, Refusal> chain_of(const Task& task, std::string_view who);

}  // namespace tactus
