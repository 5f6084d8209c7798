#pragma once

#include <string>
#include <string_view>

#include "tactus/report/charts/chart.hpp"

namespace tactus::report {

enum class ChartFormat { kSvg, kPdf, kPng, kTikz, kData };
inline constexpr std::string_view kChartFormatNames[] = {"svg", "pdf", "png", "tikz", "dat"};

/// Is it drawn by gnuplot? The others are texts that we write.
constexpr bool needs_gnuplot(ChartFormat format) {
  return format != ChartFormat::kTikz && format != ChartFormat::kData;
}

/// A text as a string of a gnuplot script. Nothing in it is a command, a macro or markup there.
std::string gnuplot_string(std::string_view text);

/// The gnuplot script that draws the chart into a file. It reads nothing, and the same chart has
/// the same script: no dates, no sizes of the screen.
/// @pre the format needs gnuplot
std::string chart_script(const Chart& chart, ChartFormat format, std::string_view output);

/// The chart as a tikzpicture for a document that loads the package pgfplots. It reads nothing.
std::string pgfplots_of(const Chart& chart);

/// What the chart shows, in columns for any program: one block per curve, comments before it.
std::string data_of_chart(const Chart& chart);

}  // namespace tactus::report
