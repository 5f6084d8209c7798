#pragma once

#include <utility>
#include <vector>

#include "tactus/report/charts/chart.hpp"

/// What every drawing of a chart needs, in any format.
namespace tactus::report {

/// How wide a box is where every point has one per curve; the points are 1 apart.
double box_width(std::size_t curves);

/// One entry per label, in the order in which they come.
std::vector<const ChartCurve*> legend_of(const Chart& chart);

/// The first and the last power of ten between two values.
std::pair<int, int> decades_between(double least, double most);

/// The decades that a logarithmic y axis spans, first and last.
std::pair<int, int> decades_of(const Chart& chart);

/// A power of ten for people; superscripts are characters, so that no markup is needed.
std::string decade_label(int exponent);

/// Marks of the y axis: the decades of a logarithmic one, else four to nine round numbers.
std::vector<Tick> y_ticks(const Chart& chart);

}  // namespace tactus::report
