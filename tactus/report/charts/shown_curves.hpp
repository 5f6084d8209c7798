#pragma once

#include <string>
#include <vector>

#include "tactus/experiment/results/results.hpp"
#include "tactus/report/charts/figure_style.hpp"

namespace tactus::report {

/// A curve that a chart shows.
struct ShownCurve {
  experiment::Curve curve;
  std::string label;
  CurveStyle style;
};

/// The curves that are to be drawn (`plot.variants` of the experiment, `hidden` of the style), in
/// the order of the style.
std::vector<experiment::Curve> wanted_curves(const experiment::Results& results,
                                             const FigureStyle& style);

/// What the legend says about a line.
std::string label_of(const experiment::Line& line, const FigureStyle& style);

/// "as published" for the variant `paper`.
std::string variant_title(const std::string& variant);

/// The looks of lines that have something in common: one colour per group.
class GroupLooks {
 public:
  CurveStyle next(const std::string& group);

 private:
  std::vector<std::string> groups_;   ///< each once
  std::vector<std::size_t> members_;  ///< so far, by group
};

/// The same curves, each with a label and a look of its own.
std::vector<ShownCurve> shown_curves(const experiment::Results& results, const FigureStyle& style);

}  // namespace tactus::report
