#include <fmt/core.h>

#include <cmath>

#include "tactus/base/printable.hpp"
#include "tactus/report/charts/chart_script.hpp"

namespace tactus::report {
namespace {

std::string number(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }

std::string_view columns_of(ChartKind kind) {
  switch (kind) {
    case ChartKind::kLines:
      return "x\ty\tlow\thigh";
    case ChartKind::kSteps:
      return "from\tpercent";
    case ChartKind::kPoints:
      return "x\ty";
    case ChartKind::kBoxes:
      return "x\tmedian\tquartile1\tquartile3\tleast\tmost";
  }
  return "";
}

std::string row_of(ChartKind kind, const ChartPoint& point) {
  std::string row = fmt::format("{}\t{}", number(point.x), number(point.y));
  if (kind == ChartKind::kLines || kind == ChartKind::kBoxes) {
    row += fmt::format("\t{}\t{}", number(point.low), number(point.high));
  }
  if (kind == ChartKind::kBoxes) {
    row += fmt::format("\t{}\t{}", number(point.least), number(point.most));
  }
  return row + '\n';
}

}  // namespace

std::string data_of_chart(const Chart& chart) {
  std::string out = fmt::format("# x: {}\n# y: {}\n", printable_line(chart.x_label),
                                printable_line(chart.y_label));
  for (const Tick& tick : chart.x_ticks) {
    if (chart.categories || chart.kind == ChartKind::kBoxes) {
      out += fmt::format("# {} is {}\n", tick.at, printable_line(tick.label));
    }
  }
  for (const Panel& panel : chart.panels) {
    for (const ChartCurve& curve : panel.curves) {
      out += "\n\n";  // gnuplot's `index` counts such blocks
      if (!panel.title.empty()) out += fmt::format("# panel: {}\n", printable_line(panel.title));
      out += fmt::format("# curve: {}\n{}\n", printable_line(curve.label), columns_of(chart.kind));
      for (const ChartPoint& point : curve.points) out += row_of(chart.kind, point);
    }
  }
  return out;
}

}  // namespace tactus::report
