#pragma once

#include <string>

#include "tactus/report/analysis.hpp"

namespace tactus::report {

/// The terms of one task's bound under every method, each with how it was computed, as JSON
/// (`tactus schema explanation`).
std::string explanation_json(const Analysis& analysis, TaskIndex task);

}  // namespace tactus::report
