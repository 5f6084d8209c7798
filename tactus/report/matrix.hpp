#pragma once

#include <string>

#include "tactus/report/analysis.hpp"

namespace tactus::report {

/// The bounds of all methods for all tasks in ONE table, the best method first. A row per method
/// where the tasks fit side by side; else a row per task, with as many methods beside each other as
/// fit, and then the next ones. Below it, what its marks mean.
///
/// Methods of one behaviour that say the same share a place ("gcaps.suspend[.prio]"). Bounds are
/// rounded up to about four digits.
std::string matrix_text(const Analysis& analysis, const Style& style);

}  // namespace tactus::report
