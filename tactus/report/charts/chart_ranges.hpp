#pragma once

#include <string>
#include <vector>

#include "tactus/report/charts/chart.hpp"

/// What the axes of a chart span.
namespace tactus::report {

/// The axis of the points named `texts`: numbers if all are, else names. Where each of them lies.
std::vector<double> set_x_axis(Chart& chart, const std::vector<std::string>& texts);

/// A few ticks at round numbers, so that their labels do not overlap. For a linear axis of numbers.
/// @pre x_least < x_most
void set_round_x_ticks(Chart& chart);

/// How far aside the k-th of several curves is drawn where points are names.
double dodge_of(std::size_t k, std::size_t curves);

/// The same for all panels, so that they can be compared. Percentages span all of 0 to 100.
void set_y_range(Chart& chart, bool percent);

}  // namespace tactus::report
