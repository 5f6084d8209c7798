#pragma once

#include <optional>

#include "tactus/report/charts/drawing.hpp"
#include "tactus/trace/excerpt.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::report {

/// The schedule in a window, as wide as a column of a paper: per task its arrivals, deadlines,
/// completions and bounds and what its jobs do; below, what every core, copy engine and GPU does.
/// Colours are those of all figures; names or numbers of tasks in the boxes, and hatches, say the
/// same without colours. An error if it would show too much to be read.
/// @param job the one whose response is marked; if there is none, the longest of every task
Result<Drawing> schedule_drawing(const System& system, const trace::Observed& observed,
                                 const trace::Trace& trace, trace::Window window,
                                 const std::optional<trace::JobSpan>& job = std::nullopt);

/// The window that shows a job with its deadline and, if that is not far away, its bound.
trace::Window window_around(const trace::JobSpan& job, const trace::Observed& observed);

}  // namespace tactus::report
