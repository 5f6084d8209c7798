#include "tactus/report/chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus::report {
namespace {

using experiment::Curve;
using experiment::Experiment;
using experiment::Line;
using experiment::Measure;
using experiment::Results;

constexpr std::size_t kMostCurvesAPanel = 6;
constexpr std::size_t kMostTicks = 10;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::string variant_title(const std::string& variant) {
  return variant == "paper" ? "as published" : variant;
}

const std::string& label_of(const Line& line) {
  return line.label.empty() ? line.name : line.label;
}

class Composition {
 public:
  explicit Composition(const Results& results)
      : results_(results), experiment_(results.experiment) {
    for (const Curve& curve : results.curves) {
      if (!is_drawn(curve.line)) continue;
      const auto& wanted = experiment_.plot.variants;
      // A line that has none of the wanted variants is shown in the variants it has.
      const auto& own = experiment_.lines[curve.line].variants;
      const bool none = std::none_of(own.begin(), own.end(), [&](const std::string& variant) {
        return std::find(wanted.begin(), wanted.end(), variant) != wanted.end();
      });
      if (wanted.empty() || none ||
          std::find(wanted.begin(), wanted.end(), curve.variant) != wanted.end()) {
        shown_.push_back(curve);
      }
    }
  }

  Chart make() {
    Chart chart;
    chart.x_label = experiment_.sweep.label;
    chart.y_label = y_label();
    chart.log_x = experiment_.plot.log_x;
    chart.log_y = experiment_.plot.log_y;
    set_ticks(chart);
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
    set_y_range(chart);
    return chart;
  }

 private:
  bool is_drawn(std::size_t line) const {
    const auto& lines = experiment_.plot.lines;
    return lines.empty() ||
           std::find(lines.begin(), lines.end(), experiment_.lines[line].name) != lines.end();
  }

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
      for (std::size_t line = 0; line < experiment_.lines.size(); ++line) {
        if (!is_drawn(line)) continue;
        column.second.push_back(experiment::curve_of(results_.curves, line, variant));
      }
      columns.push_back(std::move(column));
    }
    return columns;
  }

  void add_curves(Panel& panel, std::size_t case_index, const std::vector<Curve>& curves,
                  bool by_case) {
    std::vector<std::string> seen;     // methods of the curves so far
    std::vector<std::string> groups;   // of their lines, each once
    std::vector<std::size_t> members;  // so far, by group
    for (std::size_t k = 0; k < curves.size(); ++k) {
      const Line& line = experiment_.lines[curves[k].line];
      ChartCurve made;
      made.label = label_of(line);
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
        const auto group = static_cast<std::size_t>(
            std::find(groups.begin(), groups.end(), line.group) - groups.begin());
        if (group == groups.size()) {
          groups.push_back(line.group);
          members.push_back(0);
        }
        made.style = style_of_group(group, members[group]++);
        made.label = fmt::format("{} [{}]", made.label, line.group);
      } else {
        made.style = nth_like(style_of_method(line.method, curves[k].line), like);
      }
      const double dodge = (static_cast<double>(k) - static_cast<double>(curves.size() - 1) / 2) *
                           0.6 / static_cast<double>(curves.size());
      std::size_t place = 0;
      for (const experiment::Point& point : results_.points) {
        if (point.case_index != case_index) continue;
        const double x = xs_.empty() ? static_cast<double>(place) + dodge : xs_[place];
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
    if (cell.sets == 0) return {x, kNothing, kNothing, kNothing};
    // One set that the machine delayed would change a mean, and means of times very much.
    if (experiment_.measure == Measure::kTime) {
      return {x, cell.median, cell.quartile1, cell.quartile3};
    }
    return {x, cell.y, cell.low, cell.high};
  }

  std::string y_label() const {
    if (!experiment_.plot.y.empty()) return experiment_.plot.y;
    switch (experiment_.measure) {
      case Measure::kAccepted:
        return "Schedulable sets (%)";
      case Measure::kBound:
        if (!experiment_.relative_to.empty()) {
          return fmt::format("Bound relative to {}", experiment_.relative_to);
        }
        return "Bound (ms)";
      case Measure::kFigure:
        return experiment_.figure_name;
      case Measure::kTime:
        return "Time of analysis (ms)";
      case Measure::kMissed:
        return "Accepted sets with a missed deadline (%)";
      case Measure::kTightness:
        return "Bound / longest simulated response";
    }
    return "";
  }

  /// The points of the first case; all cases have the same.
  void set_ticks(Chart& chart) {
    std::vector<std::string> texts;
    for (const experiment::Point& point : results_.points) {
      if (point.case_index == 0) texts.push_back(point.x);
    }
    for (const std::string& text : texts) {
      if (const auto value = experiment::to_double(text)) xs_.push_back(*value);
    }
    if (xs_.size() != texts.size()) xs_.clear();
    chart.categories = xs_.empty();
    const std::size_t step = chart.categories ? 1 : (texts.size() + kMostTicks - 1) / kMostTicks;
    for (std::size_t i = 0; i < texts.size(); i += std::max<std::size_t>(step, 1)) {
      chart.x_ticks.push_back({xs_.empty() ? static_cast<double>(i) : xs_[i], texts[i]});
    }
    chart.x_least = -0.5;
    chart.x_most = static_cast<double>(texts.size()) - 0.5;
    if (xs_.empty()) return;
    const auto [least, most] = std::minmax_element(xs_.begin(), xs_.end());
    if (chart.log_x) {
      const double margin = std::pow(*most / *least, 0.03);
      chart.x_least = *least / margin;
      chart.x_most = *most * margin;
    } else {
      const double margin = *most > *least ? 0.03 * (*most - *least) : 0.5;
      chart.x_least = *least - margin;
      chart.x_most = *most + margin;
    }
  }

  /// The same for all panels, so that they can be compared.
  void set_y_range(Chart& chart) const {
    const bool percent =
        experiment_.measure == Measure::kAccepted || experiment_.measure == Measure::kMissed;
    if (percent && !chart.log_y) {
      chart.y_most = 100;
      return;
    }
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const Panel& panel : chart.panels) {
      for (const ChartCurve& curve : panel.curves) {
        for (const ChartPoint& point : curve.points) {
          for (double value : {point.y, point.low, point.high}) {
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

  const Results& results_;
  const Experiment& experiment_;
  std::vector<Curve> shown_;
  std::vector<double> xs_;  ///< empty: the points are names
};

}  // namespace

Chart chart_of(const Results& results) { return Composition(results).make(); }

}  // namespace tactus::report
