#pragma once

#include <string>
#include <vector>

#include "tactus/experiment/results.hpp"
#include "tactus/report/chart_style.hpp"

/// What a chart of an experiment shows, before anything is drawn.
namespace tactus::report {

struct ChartPoint {
  double x = 0, y = 0, low = 0, high = 0;  ///< NaN where there is no value
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

struct Chart {
  std::string x_label, y_label;
  bool log_x = false, log_y = false;
  bool categories = false;  ///< the points of x are names, in no order: nothing joins them
  double x_least = 0, x_most = 1, y_least = 0, y_most = 1;
  std::vector<Tick> x_ticks;
  std::vector<Panel> panels;
  std::size_t columns = 1;
};

/// One panel per case; if there are more curves than fit into a panel, one column per variant
/// instead. The band around a curve is the 95 % interval of its points; of times it is the middle
/// half of the sets, around the median.
Chart chart_of(const experiment::Results& results);

}  // namespace tactus::report
