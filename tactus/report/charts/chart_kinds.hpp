#pragma once

#include <string>

#include "tactus/experiment/results/values.hpp"
#include "tactus/report/charts/chart.hpp"

/// Charts beside that of an experiment itself. The style must outlive the chart.
namespace tactus::report {

/// Weighted schedulability of every line, with its interval, against the cases: a second parameter.
/// An error: the experiment measures something else.
Result<Chart> weighted_chart(const experiment::Results& results, const FigureStyle& style);

/// How often which value occurs among all sets of a case, curve by curve.
Result<Chart> histogram_chart(const experiment::Results& results,
                              const experiment::SetValues& values, experiment::Quantity quantity,
                              const FigureStyle& style);

/// At every point the middle half of the values as a box, the median marked, and a line from the
/// least to the most.
Result<Chart> box_chart(const experiment::Results& results, const experiment::SetValues& values,
                        experiment::Quantity quantity, const FigureStyle& style);

/// Every set as a point: the value of line `a` to the right, that of line `b` upwards.
Result<Chart> scatter_chart(const experiment::Results& results, const experiment::SetValues& values,
                            experiment::Quantity quantity, const std::string& a,
                            const std::string& b, const FigureStyle& style);

}  // namespace tactus::report
