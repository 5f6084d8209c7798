#include "tactus/report/charts/chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include "tactus/experiment/describe/format.hpp"
#include "tactus/report/charts/chart_ranges.hpp"
#include "tactus/report/charts/shown_curves.hpp"

namespace tactus::report {
namespace {

using experiment::Curve;
using experiment::Experiment;
using experiment::Line;
using experiment::Measure;
using experiment::Results;

constexpr std::size_t kMostCurvesAPanel = 6;
class Composition {
 public:
  Composition(const Results& results, const FigureStyle& style)
      : results_(results),
        experiment_(results.experiment),
        style_(style),
        shown_(wanted_curves(results, style)) {}

  Chart make() {
    Chart chart;
    chart.x_label = experiment_.sweep.label;
    chart.y_label = y_label_of(experiment_);
    chart.look = style_.look;
    chart.log_x = experiment_.plot.log_x;
    chart.log_y = experiment_.plot.log_y;
    std::vector<std::string> texts;  // of the first case; all cases have the same
    for (const experiment::Point& point : results_.points) {
      if (point.case_index == 0) texts.push_back(point.x);
    }
    xs_ = set_x_axis(chart, texts);
    categories_ = chart.categories;
    const std::size_t cases = experiment_.system ? 1 : experiment_.cases.size();
    if (experiment_.plot.one_panel) {
      Panel panel;
      // The line to which all others are relative is 1 in every case: it is not drawn.
      if (cases > 1) {
        std::erase_if(shown_, [&](const Curve& curve) {
          return experiment_.lines[curve.line].name == experiment_.relative_to;
        });
      }
      for (std::size_t i = 0; i < cases; ++i) add_curves(panel, i, shown_, cases > 1);
      chart.panels.push_back(std::move(panel));
    } else {
      const auto columns = split_by_variant();
      for (std::size_t i = 0; i < cases; ++i) {
        for (const auto& [title, curves] : columns) {
          Panel panel;
          panel.title = case_label(i);
          if (!title.empty()) panel.title += (panel.title.empty() ? "" : ", ") + title;
          add_curves(panel, i, curves, false);
          chart.panels.push_back(std::move(panel));
        }
      }
      chart.columns = columns.size() > 1 ? columns.size() : columns_for(cases);
    }
    set_y_range(chart, experiment_.measure == Measure::kAccepted ||
                           experiment_.measure == Measure::kMissed);
    if (style_.columns > 0) chart.columns = static_cast<std::size_t>(style_.columns);
    if (!style_.x_label.empty()) chart.x_label = style_.x_label;
    if (!style_.y_label.empty()) chart.y_label = style_.y_label;
    return chart;
  }

 private:
  using Column = std::pair<std::string, std::vector<Curve>>;

  static std::size_t columns_for(std::size_t panels) {
    if (panels == 4) return 2;
    return std::min<std::size_t>(panels, 3);
  }

  std::string case_label(std::size_t index) const {
    if (experiment_.system) return "";
    const auto& one = experiment_.cases[index];
    return one.label.empty() ? one.name : one.label;
  }

  /// One column, unless that would be too much for a panel.
  std::vector<Column> split_by_variant() const {
    // Curves of one line follow each other.
    const bool one_each =
        std::adjacent_find(shown_.begin(), shown_.end(), [](const Curve& a, const Curve& b) {
          return a.line == b.line;
        }) == shown_.end();
    if (one_each || shown_.size() <= kMostCurvesAPanel) return {{"", shown_}};
    std::vector<std::string> variants;
    for (const Curve& curve : shown_) {
      if (std::find(variants.begin(), variants.end(), curve.variant) == variants.end()) {
        variants.push_back(curve.variant);
      }
    }
    std::vector<Column> columns;
    for (const std::string& variant : variants) {
      Column column{variant_title(variant), {}};
      std::vector<std::size_t> seen;  // a line without the variant is shown in its first
      for (const Curve& curve : shown_) {
        if (std::find(seen.begin(), seen.end(), curve.line) != seen.end()) continue;
        seen.push_back(curve.line);
        column.second.push_back(experiment::curve_of(results_.curves, curve.line, variant));
      }
      columns.push_back(std::move(column));
    }
    return columns;
  }

  void add_curves(Panel& panel, std::size_t case_index, const std::vector<Curve>& curves,
                  bool by_case) {
    std::vector<std::string> seen;  // methods of the curves so far
    GroupLooks groups;
    for (std::size_t k = 0; k < curves.size(); ++k) {
      const Line& line = experiment_.lines[curves[k].line];
      ChartCurve made;
      made.label = label_of(line, style_);
      // A variant that is alone in its panel need not be named.
      const auto same_line = [&](const Curve& other) { return other.line == curves[k].line; };
      if (std::count_if(curves.begin(), curves.end(), same_line) > 1) {
        made.label += fmt::format(" ({})", variant_title(curves[k].variant));
      }
      const auto like = static_cast<std::size_t>(std::count(seen.begin(), seen.end(), line.method));
      seen.push_back(line.method);
      if (by_case) {
        const std::string& name = case_label(case_index);
        made.label = curves.size() == 1 ? name : fmt::format("{}, {}", made.label, name);
        made.style = nth_like(style_of_case(case_index), k);
      } else if (!line.group.empty()) {
        made.style = styled(groups.next(line.group), style_.find(line.name));
        made.label = fmt::format("{} [{}]", made.label, line.group);
      } else {
        made.style = nth_like(
            styled(style_of_method(line.method, curves[k].line), style_.find(line.name)), like);
      }
      const double aside = categories_ ? dodge_of(k, curves.size()) : 0;
      std::size_t place = 0;
      for (const experiment::Point& point : results_.points) {
        if (point.case_index != case_index) continue;
        const double x = xs_[place] + aside;
        made.points.push_back(chart_point(x, results_.cell(point.index, curves[k].index)));
        ++place;
      }
      const bool found = std::any_of(made.points.begin(), made.points.end(),
                                     [](const ChartPoint& point) { return !std::isnan(point.y); });
      if (!found && experiment_.measure == Measure::kBound) made.label += " (no bound)";
      panel.curves.push_back(std::move(made));
    }
  }

  ChartPoint chart_point(double x, const experiment::Cell& cell) const {
    if (cell.sets == 0) return {x, kNoValue, kNoValue, kNoValue};
    // One set that the machine delayed would change a mean, and means of times very much.
    if (experiment_.measure == Measure::kTime) {
      return {x, cell.median, cell.quartile1, cell.quartile3};
    }
    return {x, cell.y, cell.low, cell.high};
  }

  const Results& results_;
  const Experiment& experiment_;
  const FigureStyle& style_;
  std::vector<Curve> shown_;
  std::vector<double> xs_;
  bool categories_ = false;
};

}  // namespace

std::string y_label_of(const Experiment& experiment) {
  if (!experiment.plot.y.empty()) return experiment.plot.y;
  switch (experiment.measure) {
    case Measure::kAccepted:
      return "Schedulable sets (%)";
    case Measure::kBound:
      if (!experiment.relative_to.empty()) {
        return fmt::format("Bound relative to {}", experiment.relative_to);
      }
      return "Bound (ms)";
    case Measure::kFigure:
      return experiment.figure_name;
    case Measure::kTime:
      return "Time of analysis (ms)";
    case Measure::kMissed:
      return "Accepted sets with a missed deadline (%)";
    case Measure::kTightness:
      return experiment.figure_name == experiment::kOfChains
                 ? "Bound of the chain / longest simulated reaction or age"
                 : "Bound / longest simulated response";
  }
  return "";
}

Chart chart_of(const Results& results, const FigureStyle& style) {
  return Composition(results, style).make();
}

}  // namespace tactus::report
