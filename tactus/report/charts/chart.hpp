#pragma once

#include <limits>
#include <string>
#include <vector>

#include "tactus/experiment/results/results.hpp"
#include "tactus/report/charts/chart_style.hpp"
#include "tactus/report/charts/figure_style.hpp"

/// What a chart of an experiment shows, before anything is drawn.
namespace tactus::report {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

struct ChartPoint {
  double x = 0, y = 0, low = 0, high = 0;    ///< NaN where there is no value
  double least = kNoValue, most = kNoValue;  ///< of boxes, whose ends are `low` and `high`
};

struct ChartCurve {
  std::string label;
  CurveStyle style;
  std::vector<ChartPoint> points;
};

struct Panel {
  std::string title;
  std::vector<ChartCurve> curves;
};

struct Tick {
  double at = 0;
  std::string label;
};

/// How the points of a curve are drawn.
enum class ChartKind {
  kLines,   ///< joined, with a band around them
  kSteps,   ///< each is the height of a step that begins there
  kPoints,  ///< by themselves
  kBoxes,   ///< the middle half of the sets as a box, all of them as a line, the median marked
};

struct Chart {
  ChartKind kind = ChartKind::kLines;
  ChartLook look;
  std::string x_label, y_label;
  bool log_x = false, log_y = false;
  bool categories = false;  ///< the points of x are names, in no order: nothing joins them
  bool diagonal = false;    ///< where both axes have the same value
  double x_least = 0, x_most = 1, y_least = 0, y_most = 1;
  std::vector<Tick> x_ticks;  ///< none: as they come
  std::vector<Panel> panels;
  std::size_t columns = 1;
  std::string note;  ///< what a reader should know and the chart does not show
};

/// One panel per case; if there are more curves than fit into a panel, one column per variant
/// instead. The band around a curve is the 95 % interval of its points; of times it is the middle
/// half of the sets, around the median. The style must outlive the chart.
Chart chart_of(const experiment::Results& results, const FigureStyle& style = {});

/// What y is, for the measure of an experiment.
std::string y_label_of(const experiment::Experiment& experiment);

}  // namespace tactus::report
