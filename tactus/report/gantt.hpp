#pragma once

#include <span>
#include <string>
#include <vector>

#include "tactus/methods/plan.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus::report {

struct GanttBar {
  Time start, end;
  std::string label;
};

struct GanttRow {
  std::string name;
  std::vector<GanttBar> bars;
};

/// Bars as text: rows down, time across from an instant on, scaled to the width of the terminal. Labels are cut
/// to their bars.
std::string render_gantt(std::span<const GanttRow> rows, TimeUnit unit, const Style& style,
                         Time from = Time());

/// The bars of a plan, one row per unit; equal rows in sequence are drawn once ("3-6").
std::string render_gantt(std::span<const PlanBar> bars, TimeUnit unit, const Style& style);

}  // namespace tactus::report
