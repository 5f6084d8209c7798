#include "tactus/report/charts/chart_axes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace tactus::report {
namespace {

/// 1, 2 or 5 times a power of ten: the first such step that cuts the range into at most nine.
double round_step(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 9)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (range / (factor * power) <= 9) return factor * power;
  }
  return 10 * power;
}

}  // namespace

double box_width(std::size_t curves) { return 0.45 / static_cast<double>(curves); }

std::vector<const ChartCurve*> legend_of(const Chart& chart) {
  std::vector<const ChartCurve*> entries;
  for (const Panel& panel : chart.panels) {
    for (const ChartCurve& curve : panel.curves) {
      const bool known = std::any_of(entries.begin(), entries.end(), [&](const ChartCurve* other) {
        return other->label == curve.label;
      });
      if (!known) entries.push_back(&curve);
    }
  }
  return entries;
}

std::pair<int, int> decades_between(double least, double most) {
  constexpr double kRounding = 1e-9;  // of a logarithm
  return {static_cast<int>(std::ceil(std::log10(least) - kRounding)),
          static_cast<int>(std::floor(std::log10(most) + kRounding))};
}

std::pair<int, int> decades_of(const Chart& chart) {
  return decades_between(chart.y_least, chart.y_most);
}

std::string decade_label(int exponent) {
  if (exponent >= -3 && exponent <= 3) return fmt::format("{:g}", std::pow(10, exponent));
  constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string raised;
  for (const char digit : std::to_string(std::abs(exponent))) raised += kDigits[digit - '0'];
  return fmt::format("10{}{}", exponent < 0 ? "⁻" : "", raised);
}

std::vector<Tick> y_ticks(const Chart& chart) {
  std::vector<Tick> ticks;
  if (chart.log_y) {
    const auto [first, last] = decades_of(chart);
    for (int k = first; k <= last; ++k) ticks.push_back({std::pow(10, k), decade_label(k)});
    return ticks;
  }
  const double range = chart.y_most - chart.y_least;
  if (!(range > 0) || !std::isfinite(range)) return ticks;
  const double step = round_step(range);
  // Counted in whole steps, so that 0.1 + 0.1 + 0.1 is 0.3 here.
  const auto first = static_cast<std::int64_t>(std::ceil(chart.y_least / step - 1e-9));
  const auto last = static_cast<std::int64_t>(std::floor(chart.y_most / step + 1e-9));
  for (std::int64_t k = first; k <= last; ++k) {
    const double at = static_cast<double>(k) * step;
    ticks.push_back({at, fmt::format("{:.6g}", at)});
  }
  return ticks;
}

}  // namespace tactus::report
