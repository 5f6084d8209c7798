#pragma once

#include <span>
#include <string>

#include "tactus/methods/plan.hpp"
#include "tactus/report/terminal.hpp"

namespace tactus::report {

/// Bars as text: units down, time across, scaled to the width of the terminal. Labels are cut to
/// the bars; equal rows in sequence are drawn once with their range ("3-6").
std::string render_gantt(std::span<const PlanBar> bars, TimeUnit unit, const Style& style);

}  // namespace tactus::report
