#pragma once

#include <string>
#include <string_view>

#include "tactus/report/chart.hpp"

namespace tactus::report {

enum class ChartFormat { kSvg, kPdf, kPng };
inline constexpr std::string_view kChartFormatNames[] = {"svg", "pdf", "png"};

/// A text as a string of a gnuplot script. Nothing in it is a command, a macro or markup there.
std::string gnuplot_string(std::string_view text);

/// The gnuplot script that draws the chart into a file. It reads nothing, and the same chart has
/// the same script: no dates, no sizes of the screen.
std::string chart_script(const Chart& chart, ChartFormat format, std::string_view output);

}  // namespace tactus::report
