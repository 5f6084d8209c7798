#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tactus/base/result.hpp"
#include "tactus/report/charts/chart_script.hpp"

namespace tactus::report {

/// Is there a gnuplot to draw with? If not, one line that says so and what to do.
std::optional<std::string> why_no_charts();

/// Draws with a script, which is told where to draw, and puts the picture in its place as a whole.
std::optional<Error> draw_with_gnuplot(
    const std::function<std::string(std::string_view output)>& script_for, ChartFormat format,
    const std::string& path);

/// Draws a chart and puts it in its place as a whole. The same chart gives the same bytes: the date
/// that a PDF carries is replaced by a fixed one.
std::optional<Error> draw_chart(const Chart& chart, ChartFormat format, const std::string& path);

/// The chart of every experiment in every format, as <folder>/<name>.<format>.
std::optional<Error> draw_charts(const std::vector<experiment::Results>& all,
                                 const std::vector<ChartFormat>& formats, const std::string& folder,
                                 const FigureStyle& style = {});

}  // namespace tactus::report
