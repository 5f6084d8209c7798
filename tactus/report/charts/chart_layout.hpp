#pragma once

#include <cstddef>
#include <vector>

#include "tactus/report/charts/chart.hpp"

/// Where the parts of a chart are, in pixels of 1/96 inch, as a browser has them. gnuplot is told, so
/// that a chart looks the same in every format and with every version.
namespace tactus::report {

/// Around the whole chart; and a letter of the usual size is about that wide.
inline constexpr double kChartMargin = 10, kLetterWidth = 6.6;

/// Where everything is.
struct ChartLayout {
  double unit = 1;  ///< size of the letters, relative to the usual one
  double panel_width = 0, panel_height = 0;
  double width = 0, height = 0, legend_x = 0, legend_y = 0;
  std::size_t columns = 1, rows = 1;
  std::size_t legend_rows = 1;
  double title = 0;  ///< height of the title of a panel
  double wider = 0;  ///< what the labels of the y axis need beyond the usual

  double left(std::size_t column) const;  ///< of the panels of a column
  double top(std::size_t row) const;
};

/// A legend with one entry says nothing, unless the panels are several.
bool has_legend(const Chart& chart, const std::vector<const ChartCurve*>& legend);

ChartLayout layout_of(const Chart& chart, const std::vector<const ChartCurve*>& legend);

}  // namespace tactus::report
