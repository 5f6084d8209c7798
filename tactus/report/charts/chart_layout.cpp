#include "tactus/report/charts/chart_layout.hpp"

#include <algorithm>
#include <cmath>

#include "tactus/report/charts/chart_axes.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus::report {
namespace {

/// For letters of the usual size.
constexpr double kLeft = 76, kBetween = 48, kTitle = 18, kTicks = 46, kXLabel = 10;
constexpr double kLegendGap = 14, kLegendLine = 19, kLegendSample = 44;
constexpr double kUsualYLabel = 4;
constexpr double kPixels = 96.0 / 72;  // per point

/// Characters of the longest label of the y axis. gnuplot chooses the steps of a linear one: at
/// least five of a power of ten, else of its half or less.
double longest_y_label(const Chart& chart) {
  if (chart.log_y) {
    const auto [first, last] = decades_of(chart);
    constexpr double kRoom = 1;
    return std::max(display_width(decade_label(first)), display_width(decade_label(last))) + kRoom;
  }
  const double largest = std::max({std::abs(chart.y_least), std::abs(chart.y_most), 1.0});
  const double step = (chart.y_most - chart.y_least) / 5;
  const double decimals = step > 0 ? std::max(0.0, -std::floor(std::log10(step))) : 0;
  const double digits = std::floor(std::log10(largest)) + 1 + (chart.y_least < 0 ? 1 : 0);
  constexpr double kScientific = 7;  // 1.2e+07
  return std::min(digits + (decimals > 0 ? 1 + decimals : 0), kScientific);
}

}  // namespace

double ChartLayout::left(std::size_t column) const {
  return kLeft * unit + wider +
         static_cast<double>(column) * (panel_width + kBetween * unit + wider);
}

double ChartLayout::top(std::size_t row) const {
  return kChartMargin + title + static_cast<double>(row) * (panel_height + kTicks * unit + title);
}

bool has_legend(const Chart& chart, const std::vector<const ChartCurve*>& legend) {
  return chart.look.legend != LegendPlace::kNone && chart.kind != ChartKind::kPoints &&
         (legend.size() >= 2 || chart.panels.size() >= 2);
}

ChartLayout layout_of(const Chart& chart, const std::vector<const ChartCurve*>& legend) {
  ChartLayout layout;
  layout.legend_y = kChartMargin;
  constexpr double kUsualSize = 9;
  layout.unit = chart.look.font_size / kUsualSize;
  layout.panel_width = chart.look.panel_width * kPixels;
  layout.panel_height = chart.look.panel_height * kPixels;
  layout.wider = std::max(0.0, longest_y_label(chart) - kUsualYLabel) * kLetterWidth * layout.unit;
  layout.columns = std::max<std::size_t>(1, std::min(chart.columns, chart.panels.size()));
  layout.rows = (chart.panels.size() + layout.columns - 1) / layout.columns;
  const bool titled = std::any_of(chart.panels.begin(), chart.panels.end(),
                                  [](const Panel& panel) { return !panel.title.empty(); });
  layout.title = titled ? kTitle * layout.unit : 0;
  std::size_t longest = 0;
  for (const ChartCurve* curve : legend)
    longest = std::max(longest, static_cast<std::size_t>(display_width(curve->label)));
  const double entry =
      (kLegendSample + static_cast<double>(longest) * kLetterWidth + kChartMargin) * layout.unit;
  const double panels = layout.left(layout.columns - 1) + layout.panel_width;
  const double below =
      layout.top(layout.rows - 1) + layout.panel_height + (kTicks + kXLabel) * layout.unit;
  layout.width = panels + kLegendGap * layout.unit;
  layout.height = below;
  if (has_legend(chart, legend) && chart.look.legend == LegendPlace::kBelow) {
    const std::size_t columns =
        std::clamp<std::size_t>(static_cast<std::size_t>(layout.width / entry), 1, legend.size());
    layout.legend_rows = (legend.size() + columns - 1) / columns;
    layout.width = std::max(layout.width, entry);
    layout.legend_x = kChartMargin;
    layout.legend_y = below;
    layout.height +=
        (static_cast<double>(layout.legend_rows) * kLegendLine + kChartMargin) * layout.unit;
  } else if (has_legend(chart, legend)) {
    layout.legend_x = layout.width;
    layout.width += entry;
    const double entries =
        kChartMargin + static_cast<double>(legend.size() + 1) * kLegendLine * layout.unit;
    layout.height = std::max(layout.height, entries);
  }
  layout.height = std::ceil(layout.height);
  layout.width = std::ceil(layout.width);
  return layout;
}

}  // namespace tactus::report
