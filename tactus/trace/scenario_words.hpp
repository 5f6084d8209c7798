#pragma once

#include <string_view>
#include <vector>

namespace tactus::trace {

/// Every word that a scenario can be made of (`parse_scenario`).
std::vector<std::string_view> scenario_words();

}  // namespace tactus::trace
