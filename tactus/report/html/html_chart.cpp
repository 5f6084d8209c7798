#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tactus/report/charts/chart_axes.hpp"
#include "tactus/report/html/html.hpp"

namespace tactus::report {
namespace {

/// In the units of a panel's drawing.
constexpr double kWidth = 400, kHeight = 270;
constexpr double kLeft = 58, kRight = 12, kTop = 26, kBottom = 44;
constexpr double kMarker = 4;

std::string_view dashes(int number) {
  constexpr std::string_view kPatterns[] = {"none", "8 4", "2 3", "10 3 2 3", "5 3"};
  return kPatterns[static_cast<std::size_t>(number - 1) % std::size(kPatterns)];
}

/// A marker of gnuplot's numbering (`CurveStyle`): pairs of open and filled shapes.
std::string marker(const CurveStyle& style, double x, double y) {
  const double r = kMarker;
  const std::string_view fill = style.marker % 2 == 1 ? style.colour : std::string_view("#fff");
  const std::string look = fmt::format("fill=\"{}\" stroke=\"{}\"", fill, style.colour);
  const auto polygon = [&](std::initializer_list<std::pair<double, double>> corners) {
    std::string points;
    for (const auto& [dx, dy] : corners) points += fmt::format("{:.1f},{:.1f} ", x + dx, y + dy);
    points.pop_back();
    return fmt::format("<polygon points=\"{}\" {}/>", points, look);
  };
  switch (style.marker / 2) {
    case 2:
      return polygon({{-r, -r}, {r, -r}, {r, r}, {-r, r}});
    case 4:
      return polygon({{0, -r}, {r, r}, {-r, r}});
    case 5:
      return polygon({{0, r}, {r, -r}, {-r, -r}});
    case 6:
      return polygon({{0, -1.3 * r}, {1.3 * r, 0}, {0, 1.3 * r}, {-1.3 * r, 0}});
    default:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}/>", x, y, r, look);
  }
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view more = {}) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, html_escaped(text));
}

std::string line_from(double x1, double y1, double x2, double y2, std::string_view stroke) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
      y2, stroke);
}

/// Draws one panel.
class PanelDrawing {
 public:
  explicit PanelDrawing(const Chart& chart) : chart_(chart) {}

  std::string draw(const Panel& panel) const {
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\" "
        "fill=\"#202020\">\n<title>{}</title>\n",
        kWidth, kHeight, html_escaped(panel.title.empty() ? chart_.y_label : panel.title));
    out += axes();
    if (!panel.title.empty())
      out += text_at((kLeft + kWidth - kRight) / 2, 15, "middle", panel.title);
    for (const ChartCurve& curve : panel.curves) out += spread(curve);
    for (const ChartCurve& curve : panel.curves) out += line(curve);
    return out + "</svg>\n";
  }

 private:
  /// The share of an axis that lies before a value; NaN if the value has no place on it.
  static double share(double value, double least, double most, bool logarithmic) {
    if (logarithmic) return std::log(value / least) / std::log(most / least);
    return (value - least) / (most - least);
  }
  double x_of(double x) const {
    return kLeft +
           share(x, chart_.x_least, chart_.x_most, chart_.log_x) * (kWidth - kLeft - kRight);
  }
  /// What lies outside is drawn at the edge.
  double y_of(double y) const {
    const double at = share(y, chart_.y_least, chart_.y_most, chart_.log_y);
    if (std::isnan(at)) return at;
    return kHeight - kBottom - std::clamp(at, 0.0, 1.0) * (kHeight - kTop - kBottom);
  }

  std::string axes() const {
    std::string out;
    const double right = kWidth - kRight, low = kHeight - kBottom;
    for (const Tick& tick : y_ticks(chart_)) {
      const double y = y_of(tick.at);
      out += line_from(kLeft, y, right, y, "#e4e4e4");
      out += text_at(kLeft - 6, y + 4, "end", tick.label);
    }
    for (const Tick& tick : chart_.x_ticks) {
      const double x = x_of(tick.at);
      if (!std::isfinite(x)) continue;
      out += line_from(x, low, x, low + 4, "#404040");
      out += text_at(x, low + 17, "middle", tick.label);
    }
    out += line_from(kLeft, kTop, kLeft, low, "#404040");
    out += line_from(kLeft, low, right, low, "#404040");
    out += text_at((kLeft + right) / 2, kHeight - 8, "middle", chart_.x_label);
    const double middle = (kTop + low) / 2;
    out += text_at(14, middle, "middle", chart_.y_label,
                   fmt::format(" transform=\"rotate(-90 14 {:.1f})\"", middle));
    return out;
  }

  /// The interval around each point: a band, or a bar where nothing joins the points.
  std::string spread(const ChartCurve& curve) const {
    std::string out, upper, lower;
    const auto finish = [&] {
      if (!upper.empty()) {
        out += fmt::format("<path d=\"M{}L{}Z\" fill=\"{}\" fill-opacity=\"0.15\"/>\n", upper,
                           lower, curve.style.colour);
      }
      upper.clear();
      lower.clear();
    };
    for (const ChartPoint& point : curve.points) {
      const double x = x_of(point.x), low = y_of(point.low), high = y_of(point.high);
      if (!std::isfinite(x + low + high)) {
        finish();
      } else if (chart_.categories) {
        out += line_from(x, low, x, high, curve.style.colour);
      } else {
        upper += fmt::format("{:.1f},{:.1f} ", x, high);
        lower.insert(0, fmt::format("{:.1f},{:.1f} ", x, low));
      }
    }
    finish();
    return out;
  }

  /// Points and, unless they are names, the line that joins those beside each other.
  std::string line(const ChartCurve& curve) const {
    std::string path, markers;
    bool joined = false;
    for (const ChartPoint& point : curve.points) {
      const double x = x_of(point.x), y = y_of(point.y);
      if (!std::isfinite(x + y)) {
        joined = false;
        continue;
      }
      path += fmt::format("{}{:.1f},{:.1f}", joined ? 'L' : 'M', x, y);
      joined = true;
      markers += marker(curve.style, x, y);
    }
    if (markers.empty()) return {};
    std::string out;
    if (!chart_.categories) {
      out = fmt::format(
          "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" "
          "stroke-dasharray=\"{}\"/>\n",
          path, curve.style.colour, dashes(curve.style.dash));
    }
    return out + markers + '\n';
  }

  const Chart& chart_;
};

std::string legend(const Chart& chart) {
  const std::vector<const ChartCurve*> entries = legend_of(chart);
  if (entries.size() < 2 && chart.panels.size() < 2) return {};
  std::string out = "<ul class=\"tactus-legend\">\n";
  for (const ChartCurve* curve : entries) {
    std::string sample;
    if (!chart.categories) {
      sample = fmt::format(
          "<path d=\"M2,7L38,7\" stroke=\"{}\" stroke-width=\"1.6\" stroke-dasharray=\"{}\"/>",
          curve->style.colour, dashes(curve->style.dash));
    }
    out +=
        fmt::format("<li><svg width=\"40\" height=\"14\" aria-hidden=\"true\">{}{}</svg> {}</li>\n",
                    sample, marker(curve->style, 20, 7), html_escaped(curve->label));
  }
  return out + "</ul>\n";
}

}  // namespace

std::string html_chart(const Chart& chart) {
  const std::size_t columns = std::clamp<std::size_t>(chart.columns, 1, 6);
  std::string out = fmt::format(
      "<figure class=\"tactus-chart\">\n<div class=\"tactus-panels\" "
      "style=\"grid-template-columns: repeat({}, minmax(0, 34rem))\">\n",
      columns);
  const PanelDrawing drawing(chart);
  for (const Panel& panel : chart.panels) out += drawing.draw(panel);
  return out + "</div>\n" + legend(chart) + "</figure>\n";
}

}  // namespace tactus::report
