#include "tactus/report/charts/chart_ranges.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace tactus::report {
namespace {

constexpr std::size_t kMostTicks = 10;

}  // namespace

std::vector<double> set_x_axis(Chart& chart, const std::vector<std::string>& texts) {
  std::vector<double> xs;
  for (const std::string& text : texts) {
    if (const auto value = experiment::to_double(text)) xs.push_back(*value);
  }
  chart.categories = xs.size() != texts.size();
  const std::size_t step = chart.categories ? 1 : (texts.size() + kMostTicks - 1) / kMostTicks;
  if (chart.categories) {
    xs.clear();
    for (std::size_t i = 0; i < texts.size(); ++i) xs.push_back(static_cast<double>(i));
  }
  for (std::size_t i = 0; i < texts.size(); i += std::max<std::size_t>(step, 1)) {
    chart.x_ticks.push_back({xs[i], texts[i]});
  }
  chart.x_least = -0.5;
  chart.x_most = static_cast<double>(texts.size()) - 0.5;
  if (chart.categories || xs.empty()) return xs;
  const auto [least, most] = std::minmax_element(xs.begin(), xs.end());
  if (chart.log_x) {
    const double margin = std::pow(*most / *least, 0.03);
    chart.x_least = *least / margin;
    chart.x_most = *most * margin;
  } else {
    const double margin = *most > *least ? 0.03 * (*most - *least) : 0.5;
    chart.x_least = *least - margin;
    chart.x_most = *most + margin;
  }
  return xs;
}

void set_round_x_ticks(Chart& chart) {
  constexpr double kMost = 5;
  const double least_step = (chart.x_most - chart.x_least) / kMost;
  const double decade = std::pow(10, std::floor(std::log10(least_step)));
  double step = 10 * decade;
  for (const double factor : {5, 2, 1}) {
    if (factor * decade >= least_step) step = factor * decade;
  }
  for (double n = std::ceil(chart.x_least / step); n * step <= chart.x_most; ++n) {
    const double at = n == 0 ? 0 : n * step;  // no -0
    chart.x_ticks.push_back({at, fmt::format("{:.6g}", at)});
  }
}

double dodge_of(std::size_t k, std::size_t curves) {
  return (static_cast<double>(k) - static_cast<double>(curves - 1) / 2) * 0.6 /
         static_cast<double>(curves);
}

void set_y_range(Chart& chart, bool percent) {
  if (percent && !chart.log_y) {
    chart.y_least = 0;
    chart.y_most = 100;
    return;
  }
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const Panel& panel : chart.panels) {
    for (const ChartCurve& curve : panel.curves) {
      for (const ChartPoint& point : curve.points) {
        for (double value : {point.y, point.low, point.high, point.least, point.most}) {
          if (!std::isfinite(value) || (chart.log_y && value <= 0)) continue;
          least = std::min(least, value);
          most = std::max(most, value);
        }
      }
    }
  }
  if (least > most) least = chart.log_y ? 1 : 0, most = 1;
  if (chart.log_y) {
    chart.y_least = std::pow(10, std::floor(std::log10(least)));
    chart.y_most = std::pow(10, std::ceil(std::log10(most)));
    if (chart.y_least == chart.y_most) chart.y_most *= 10;
    return;
  }
  // From zero where that wastes little of the height.
  const double margin = most > least ? 0.05 * (most - least) : std::max(0.05 * most, 0.5);
  chart.y_least = least >= 0 && least < 0.5 * most ? 0 : least - margin;
  chart.y_most = most + margin;
}

}  // namespace tactus::report
