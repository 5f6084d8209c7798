#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

/// A verdict as lines of CSV, one per task.
namespace tactus::report {

/// The line above them. @param first the name of a further column in front, if there is one
std::string verdict_csv_head(std::optional<std::string_view> first = std::nullopt);

/// @param first what the further column says
std::string verdict_csv(const System& system, const Verdict& verdict,
                        std::optional<std::string_view> first = std::nullopt);

}  // namespace tactus::report
