#include "tactus/report/charts/chart_kinds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tactus/experiment/describe/intervals.hpp"
#include "tactus/report/charts/chart_ranges.hpp"
#include "tactus/report/charts/shown_curves.hpp"

namespace tactus::report {

using namespace experiment;

namespace {

std::string label_of(const Case& one) { return one.label.empty() ? one.name : one.label; }

/// The label of the axis of the cases, and where each of them lies: by the one parameter that all of
/// them set, else by their names.
std::vector<std::string> names_of_cases(const Experiment& experiment, std::string& label) {
  std::set<std::string> parameters;
  for (const Case& one : experiment.cases) {
    for (const auto& [name, value] : one.set) parameters.insert(name);
  }
  const bool one_parameter =
      parameters.size() == 1 && std::all_of(experiment.cases.begin(), experiment.cases.end(),
                                            [](const Case& one) { return one.set.size() == 1; });
  label = one_parameter ? *parameters.begin() : experiment.cases_by;
  std::vector<std::string> names;
  for (const Case& one : experiment.cases) {
    names.push_back(one_parameter ? one.set.begin()->second : label_of(one));
  }
  return names;
}

/// The experiment has values per set; else why not.
std::optional<Error> refuse(const Experiment& experiment, Quantity quantity) {
  const bool counted =
      experiment.measure == Measure::kAccepted || experiment.measure == Measure::kMissed;
  if (quantity == Quantity::kTime || !counted) return std::nullopt;
  return Error{
      fmt::format("{} measures `{}`, which is yes or no for a set; --of time draws the "
                  "times of the analyses",
                  experiment.name, to_string(experiment.measure))};
}

std::string label_of(const Experiment& experiment, Quantity quantity) {
  return quantity == Quantity::kTime ? "Time of analysis (ms)" : y_label_of(experiment);
}

Chart blank(const FigureStyle& style, ChartKind kind) {
  Chart chart;
  chart.kind = kind;
  chart.look = style.look;
  return chart;
}

/// The style has the last word.
void finish(Chart& chart, const FigureStyle& style) {
  if (!style.x_label.empty()) chart.x_label = style.x_label;
  if (!style.y_label.empty()) chart.y_label = style.y_label;
  chart.columns = style.columns > 0 ? static_cast<std::size_t>(style.columns)
                                    : std::min<std::size_t>(chart.panels.size(), 3);
}

struct Extent {
  double least = std::numeric_limits<double>::infinity(), most = -least;

  void include(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  bool known() const { return least <= most; }
  /// Values that differ this much would be one heap on a linear axis.
  bool wide() const { return known() && least > 0 && most / least > 100; }
};

Extent extent_of(const SetValues& values) {
  Extent extent;
  for (const auto& of_curve : values) {
    for (double value : of_curve) extent.include(value);
  }
  return extent;
}

/// All values of a curve in a case.
std::vector<double> values_in(const Results& results, const SetValues& values, std::size_t in,
                              std::size_t curve) {
  std::vector<double> found;
  for (const Point& point : results.points) {
    if (point.case_index != in) continue;
    for (double value : values[point.index * results.curves.size() + curve]) {
      if (std::isfinite(value)) found.push_back(value);
    }
  }
  return found;
}

std::size_t cases_of(const Results& results) {
  return std::max<std::size_t>(1, results.experiment.cases.size());
}

Panel& add_panel(Chart& chart, const Results& results, std::size_t in) {
  Panel& panel = chart.panels.emplace_back();
  if (!results.experiment.cases.empty()) panel.title = label_of(results.experiment.cases[in]);
  return panel;
}

ChartCurve& add_curve(Panel& panel, const ShownCurve& shown) {
  ChartCurve& made = panel.curves.emplace_back();
  made.label = shown.label;
  made.style = shown.style;
  return made;
}

}  // namespace

Result<Chart> weighted_chart(const Results& results, const FigureStyle& style) {
  const Experiment& experiment = results.experiment;
  if (experiment.measure != Measure::kAccepted) {
    return Error{fmt::format("{} measures `{}`; weighted schedulability needs `accepted`",
                             experiment.name, to_string(experiment.measure))};
  }
  Chart chart = blank(style, ChartKind::kLines);
  chart.y_label = "Weighted schedulability (%)";
  const std::vector<std::string> names = names_of_cases(experiment, chart.x_label);
  const std::vector<double> xs = set_x_axis(chart, names);
  Panel& panel = chart.panels.emplace_back();
  const std::vector<ShownCurve> curves = shown_curves(results, style);
  for (std::size_t k = 0; k < curves.size(); ++k) {
    ChartCurve& made = add_curve(panel, curves[k]);
    for (std::size_t in = 0; in < xs.size(); ++in) {
      const Weighted& weighted = results.weighted_of(in, curves[k].curve.index);
      const double aside = chart.categories ? dodge_of(k, curves.size()) : 0;
      made.points.push_back({xs[in] + aside, weighted.percent, weighted.low, weighted.high});
    }
    std::sort(made.points.begin(), made.points.end(),
              [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  }
  set_y_range(chart, true);
  finish(chart, style);
  return chart;
}

Result<Chart> histogram_chart(const Results& results, const SetValues& values, Quantity quantity,
                              const FigureStyle& style) {
  if (auto problem = refuse(results.experiment, quantity)) return std::move(*problem);
  Chart chart = blank(style, ChartKind::kSteps);
  chart.x_label = label_of(results.experiment, quantity);
  chart.y_label = "Sets (%)";
  const Extent extent = extent_of(values);
  if (!extent.known()) return Error{results.experiment.name + " has no values to draw"};
  chart.log_x = extent.wide();
  constexpr int kBins = 20;
  const auto to_axis = [&](double value) { return chart.log_x ? std::log(value) : value; };
  double low = to_axis(extent.least), high = to_axis(extent.most);
  if (high <= low) low -= 0.5, high += 0.5;
  const auto edge = [&](int bin) {
    const double at = low + (high - low) * bin / kBins;
    return chart.log_x ? std::exp(at) : at;
  };
  const std::vector<ShownCurve> curves = shown_curves(results, style);
  for (std::size_t in = 0; in < cases_of(results); ++in) {
    Panel& panel = add_panel(chart, results, in);
    for (std::size_t k = 0; k < curves.size(); ++k) {
      const auto found = values_in(results, values, in, curves[k].curve.index);
      if (found.empty()) continue;
      std::vector<double> counts(kBins);
      for (double value : found) {
        const double share = (to_axis(value) - low) / (high - low);
        counts[static_cast<std::size_t>(
            std::clamp(static_cast<int>(share * kBins), 0, kBins - 1))]++;
      }
      ChartCurve& made = add_curve(panel, curves[k]);
      // There are no markers to tell them apart.
      const LineLook* look = style.find(results.experiment.lines[curves[k].curve.line].name);
      if (look == nullptr || !look->dash) made.style.dash = static_cast<int>(k % 5) + 1;
      for (int bin = 0; bin <= kBins; ++bin) {
        const double share = bin < kBins ? 100 * counts[static_cast<std::size_t>(bin)] /
                                               static_cast<double>(found.size())
                                         : 0;
        made.points.push_back({edge(bin), share, share, share});
      }
    }
  }
  const double margin = 0.03 * (high - low);
  chart.x_least = chart.log_x ? std::exp(low - margin) : low - margin;
  chart.x_most = chart.log_x ? std::exp(high + margin) : high + margin;
  if (!chart.log_x) set_round_x_ticks(chart);
  set_y_range(chart, false);
  chart.y_least = 0;
  finish(chart, style);
  return chart;
}

Result<Chart> box_chart(const Results& results, const SetValues& values, Quantity quantity,
                        const FigureStyle& style) {
  if (auto problem = refuse(results.experiment, quantity)) return std::move(*problem);
  Chart chart = blank(style, ChartKind::kBoxes);
  chart.x_label = results.experiment.sweep.label;
  chart.y_label = label_of(results.experiment, quantity);
  const Extent extent = extent_of(values);
  if (!extent.known()) return Error{results.experiment.name + " has no values to draw"};
  chart.log_y = extent.wide();
  std::vector<std::string> texts;
  for (const Point& point : results.points) {
    if (point.case_index == 0) texts.push_back(point.x);
  }
  const std::size_t step = (texts.size() + 9) / 10;
  for (std::size_t i = 0; i < texts.size(); i += std::max<std::size_t>(step, 1)) {
    chart.x_ticks.push_back({static_cast<double>(i), texts[i]});
  }
  chart.x_least = -0.5;
  chart.x_most = static_cast<double>(texts.size()) - 0.5;
  const std::vector<ShownCurve> curves = shown_curves(results, style);
  for (std::size_t in = 0; in < cases_of(results); ++in) {
    Panel& panel = add_panel(chart, results, in);
    for (std::size_t k = 0; k < curves.size(); ++k) {
      ChartCurve& made = add_curve(panel, curves[k]);
      std::size_t place = 0;
      for (const Point& point : results.points) {
        if (point.case_index != in) continue;
        const double x = static_cast<double>(place++) + dodge_of(k, curves.size());
        auto found = values[point.index * results.curves.size() + curves[k].curve.index];
        std::erase_if(found, [](double value) { return std::isnan(value); });
        const Spread spread = spread_of(found);
        made.points.push_back(
            {x, spread.median, spread.quartile1, spread.quartile3, spread.least, spread.most});
      }
    }
  }
  set_y_range(chart, false);
  finish(chart, style);
  return chart;
}

Result<Chart> scatter_chart(const Results& results, const SetValues& values, Quantity quantity,
                            const std::string& a, const std::string& b, const FigureStyle& style) {
  if (auto problem = refuse(results.experiment, quantity)) return std::move(*problem);
  const auto find = [&](const std::string& text) -> const Curve* {
    const std::string line = text.substr(0, text.find(':'));
    const std::string variant = line.size() < text.size() ? text.substr(line.size() + 1) : "";
    for (const Curve& curve : results.curves) {
      const bool same = results.experiment.lines[curve.line].name == line;
      if (same && (variant.empty() || curve.variant == variant)) return &curve;
    }
    return nullptr;
  };
  const Curve *first = find(a), *second = find(b);
  for (const auto& [text, found] : {std::pair(a, first), std::pair(b, second)}) {
    if (found != nullptr) continue;
    std::vector<std::string_view> known;
    for (const Line& line : results.experiment.lines) known.push_back(line.name);
    return Error{fmt::format("{} has no line {}{}", results.experiment.name, quote(text),
                             suggestion(text, known))};
  }
  Chart chart = blank(style, ChartKind::kPoints);
  const std::string what = label_of(results.experiment, quantity);
  const auto& lines = results.experiment.lines;
  chart.x_label = fmt::format("{}: {}", report::label_of(lines[first->line], style), what);
  chart.y_label = fmt::format("{}: {}", report::label_of(lines[second->line], style), what);
  chart.diagonal = true;
  Extent extent;
  std::int64_t left_out = 0, drawn = 0;
  for (std::size_t in = 0; in < cases_of(results); ++in) {
    Panel& panel = add_panel(chart, results, in);
    ChartCurve& made = panel.curves.emplace_back();
    made.label = "one set";
    made.style = {style_of_method(lines[first->line].method, first->line).colour, 6, 1};
    for (const Point& point : results.points) {
      if (point.case_index != in) continue;
      const auto& xs = values[point.index * results.curves.size() + first->index];
      const auto& ys = values[point.index * results.curves.size() + second->index];
      for (std::size_t set = 0; set < xs.size(); ++set) {
        if (!std::isfinite(xs[set]) || !std::isfinite(ys[set])) {
          ++left_out;
          continue;
        }
        ++drawn;
        extent.include(xs[set]);
        extent.include(ys[set]);
        made.points.push_back({xs[set], ys[set], ys[set], ys[set]});
      }
    }
  }
  if (drawn == 0) return Error{results.experiment.name + " has no set with both values"};
  if (left_out > 0) {
    chart.note = fmt::format("{} of {} sets lack one of the two values and are not drawn", left_out,
                             left_out + drawn);
  }
  chart.log_x = chart.log_y = extent.wide();
  const double margin = chart.log_x ? std::pow(extent.most / extent.least, 0.03)
                                    : std::max(0.03 * (extent.most - extent.least), 1e-9);
  chart.x_least = chart.y_least = chart.log_x ? extent.least / margin : extent.least - margin;
  chart.x_most = chart.y_most = chart.log_x ? extent.most * margin : extent.most + margin;
  if (!chart.log_x) set_round_x_ticks(chart);
  finish(chart, style);
  return chart;
}

}  // namespace tactus::report
