#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tactus/report/charts/chart_axes.hpp"
#include "tactus/report/charts/chart_script.hpp"
#include "tactus/report/text/terminal.hpp"
#include "tactus/report/text/tex.hpp"

namespace tactus::report {
namespace {

std::string coordinate(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value);
}

std::string marker_of(int marker) {
  const bool filled = marker % 2 == 1;
  std::string_view shape;
  switch (marker / 2) {
    case 2:
      shape = "square";
      break;
    case 4:
      shape = "triangle";
      break;
    case 5:
      shape = "triangle";
      break;
    case 6:
      shape = "diamond";
      break;
    default:
      return filled ? "mark=*" : "mark=o";
  }
  const bool turned = marker / 2 == 5;
  return fmt::format("mark={}{},mark options={{solid{}}}", shape, filled ? "*" : "",
                     turned ? ",rotate=180" : "");
}

std::string_view dashes_of(int dash) {
  constexpr std::string_view kPatterns[] = {
      "solid", "dash pattern=on 4pt off 2.4pt", "dash pattern=on 1.2pt off 2pt",
      "dash pattern=on 5.6pt off 2pt on 1.2pt off 2pt", "dash pattern=on 2.4pt off 1.6pt"};
  return kPatterns[static_cast<std::size_t>(dash - 1) % std::size(kPatterns)];
}

std::string look_of(const CurveStyle& style, bool line, bool marks) {
  std::string out = tex_colour(style.colour);
  out += line ? fmt::format(",line width=0.9pt,{}", dashes_of(style.dash)) : ",only marks";
  out += marks ? fmt::format(",mark size=1.5pt,{}", marker_of(style.marker)) : ",mark=none";
  if (marks && marker_of(style.marker).find("mark options") == std::string::npos) {
    out += ",mark options={solid}";
  }
  return out;
}

class Pgfplots {
 public:
  explicit Pgfplots(const Chart& chart) : chart_(chart), legend_(legend_of(chart)) {
    unit_ = chart.look.font_size;
    left_ = 4.2 * unit_;
    columns_ = std::max<std::size_t>(1, std::min(chart.columns, chart.panels.size()));
  }

  std::string draw() const {
    std::set<std::string_view> colours;
    for (const Panel& panel : chart_.panels) {
      for (const ChartCurve& curve : panel.curves) colours.insert(curve.style.colour);
    }
    std::string out = "% needs \\usepackage{pgfplots} and \\pgfplotsset{compat=1.16} (or later)\n" +
                      tex_colours(colours);
    out += fmt::format("\\begin{{tikzpicture}}[font=\\fontsize{{{0:g}}}{{{1:g}}}\\selectfont]\n",
                       unit_, 1.2 * unit_);
    for (std::size_t p = 0; p < chart_.panels.size(); ++p) out += axis(p);
    return out + legend() + "\\end{tikzpicture}\n";
  }

 private:
  double left(std::size_t column) const {
    return static_cast<double>(column) * (chart_.look.panel_width + left_);
  }
  double top(std::size_t row) const {
    return -static_cast<double>(row) * (chart_.look.panel_height + 5 * unit_);
  }

  std::string ticks() const {
    if (chart_.x_ticks.empty()) return "";
    std::string at, labels;
    for (const Tick& tick : chart_.x_ticks) {
      at += (at.empty() ? "" : ",") + coordinate(tick.at);
      labels += (labels.empty() ? "{" : ",{") + tex_escaped(tick.label) + "}";
    }
    return fmt::format("xtick={{{}}},xticklabels={{{}}},{}", at, labels,
                       chart_.categories ? "xticklabel style={rotate=20,anchor=north east}," : "");
  }

  std::string axis(std::size_t index) const {
    const Panel& panel = chart_.panels[index];
    const std::size_t column = index % columns_, row = index / columns_;
    std::string out = fmt::format(
        "\\begin{{axis}}[at={{({:.2f}pt,{:.2f}pt)}},anchor=north west,scale only axis,"
        "width={:g}pt,height={:g}pt,\n",
        left(column), top(row), chart_.look.panel_width, chart_.look.panel_height);
    out += fmt::format("  xmin={},xmax={},ymin={},ymax={},{}{}\n", coordinate(chart_.x_least),
                       coordinate(chart_.x_most), coordinate(chart_.y_least),
                       coordinate(chart_.y_most), chart_.log_x ? "xmode=log," : "",
                       chart_.log_y ? "ymode=log," : "");
    out += "  " + ticks() +
           "axis lines=left,axis line style={-},ymajorgrids,grid style={black!12},"
           "tick align=outside,unbounded coords=jump,\n";
    if (!panel.title.empty()) out += fmt::format("  title={{{}}},\n", tex_escaped(panel.title));
    if (index + columns_ >= chart_.panels.size()) {
      out += fmt::format("  xlabel={{{}}},xlabel style={{align=center,text width={:g}pt}},\n",
                         tex_escaped(chart_.x_label), chart_.look.panel_width);
    }
    if (column == 0) {
      out += fmt::format("  ylabel={{{}}},ylabel style={{align=center,text width={:g}pt}},\n",
                         tex_escaped(chart_.y_label), chart_.look.panel_height);
    }
    out += "  title style={yshift=-0.6ex}]\n";
    if (chart_.diagonal) {
      out += fmt::format(
          "\\addplot[black!50,dash pattern=on 2.4pt off 1.6pt,forget plot] coordinates "
          "{{({0},{0}) ({1},{1})}};\n",
          coordinate(chart_.x_least), coordinate(chart_.x_most));
    }
    for (const ChartCurve& curve : panel.curves) out += spread(curve, panel.curves.size());
    for (const ChartCurve& curve : panel.curves) out += plot(curve);
    return out + "\\end{axis}\n";
  }

  static std::string coordinates(const std::vector<ChartPoint>& points) {
    std::string out;
    for (const ChartPoint& point : points) {
      out += fmt::format(" ({},{})", coordinate(point.x), coordinate(point.y));
    }
    return out;
  }

  std::string plot(const ChartCurve& curve) const {
    const bool line = chart_.kind == ChartKind::kSteps ||
                      (chart_.kind == ChartKind::kLines && !chart_.categories);
    std::string options = look_of(curve.style, line, chart_.kind != ChartKind::kSteps);
    if (chart_.kind == ChartKind::kSteps) options += ",const plot";
    if (chart_.kind == ChartKind::kPoints) options += ",mark size=1pt";
    return fmt::format("\\addplot[{},forget plot] coordinates {{{} }};\n", options,
                       coordinates(curve.points));
  }

  /// The interval around each point: a band, a bar where nothing joins the points, or a box.
  std::string spread(const ChartCurve& curve, std::size_t curves) const {
    if (chart_.kind == ChartKind::kBoxes) return boxes(curve, curves);
    if (chart_.kind != ChartKind::kLines) return "";
    const std::string colour = tex_colour(curve.style.colour);
    std::string out, upper, lower;
    const auto end = [&] {
      if (!upper.empty()) {
        out += fmt::format(
            "\\addplot[draw=none,fill={},fill opacity=0.15,forget plot] coordinates {{{}{} }} "
            "-- cycle;\n",
            colour, upper, lower);
      }
      upper.clear();
      lower.clear();
    };
    for (const ChartPoint& point : curve.points) {
      if (!std::isfinite(point.x + point.low + point.high)) {
        end();
      } else if (chart_.categories) {
        out += fmt::format("\\addplot[{},forget plot] coordinates {{({},{}) ({},{})}};\n", colour,
                           coordinate(point.x), coordinate(point.low), coordinate(point.x),
                           coordinate(point.high));
      } else {
        upper += fmt::format(" ({},{})", coordinate(point.x), coordinate(point.high));
        lower.insert(0, fmt::format(" ({},{})", coordinate(point.x), coordinate(point.low)));
      }
    }
    end();
    return out;
  }

  std::string boxes(const ChartCurve& curve, std::size_t curves) const {
    const std::string colour = tex_colour(curve.style.colour);
    const double half = box_width(curves) / 2;
    std::string out;
    const auto line = [&](double x1, double y1, double x2, double y2, std::string_view width) {
      out += fmt::format("\\draw[{},line width={}] (axis cs:{},{}) -- (axis cs:{},{});\n", colour,
                         width, coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2));
    };
    for (const ChartPoint& point : curve.points) {
      if (!std::isfinite(point.y)) continue;
      line(point.x, point.least, point.x, point.low, "0.5pt");
      line(point.x, point.high, point.x, point.most, "0.5pt");
      for (const double at : {point.least, point.most}) {
        line(point.x - 0.6 * half, at, point.x + 0.6 * half, at, "0.5pt");
      }
      out += fmt::format(
          "\\path[draw={0},fill={0},fill opacity=0.2,line width=0.5pt] (axis cs:{1},{2}) rectangle "
          "(axis cs:{3},{4});\n",
          colour, coordinate(point.x - half), coordinate(point.low), coordinate(point.x + half),
          coordinate(point.high));
      line(point.x - half, point.y, point.x + half, point.y, "0.9pt");
    }
    return out;
  }

  std::string legend() const {
    const bool none = chart_.look.legend == LegendPlace::kNone ||
                      chart_.kind == ChartKind::kPoints ||
                      (legend_.size() < 2 && chart_.panels.size() < 2);
    if (none) return "";
    const std::size_t rows = (chart_.panels.size() + columns_ - 1) / columns_;
    const double width = left(columns_ - 1) + chart_.look.panel_width;
    const bool below = chart_.look.legend == LegendPlace::kBelow;
    std::size_t longest = 0, entries = 1;
    for (const ChartCurve* curve : legend_) {
      longest = std::max(longest, static_cast<std::size_t>(display_width(curve->label)));
    }
    if (below) {
      const double entry = (static_cast<double>(longest) * 0.55 + 4) * unit_;
      entries = std::clamp<std::size_t>(static_cast<std::size_t>(width / entry), 1, legend_.size());
    }
    const double x = below ? 0 : width + unit_;
    const double y = below ? top(rows - 1) - chart_.look.panel_height - 4.5 * unit_ : 0;
    std::string out = fmt::format(
        "\\begin{{axis}}[at={{({:.2f}pt,{:.2f}pt)}},anchor=north west,scale only axis,width=1pt,"
        "height=1pt,hide axis,xmin=0,xmax=1,ymin=0,ymax=1,\n"
        "  legend style={{at={{(0,1)}},anchor=north west,draw=none,fill=none,/tikz/every even "
        "column/.append style={{column sep=6pt}}}},legend "
        "cell align=left,legend columns={}]\n",
        x, y, entries);
    const bool line = chart_.kind == ChartKind::kSteps ||
                      (chart_.kind == ChartKind::kLines && !chart_.categories);
    for (const ChartCurve* curve : legend_) {
      out += fmt::format("\\addlegendimage{{{}}}\\addlegendentry{{{}}}\n",
                         look_of(curve->style, line, chart_.kind != ChartKind::kSteps),
                         tex_escaped(curve->label));
    }
    return out + "\\end{axis}\n";
  }

  const Chart& chart_;
  std::vector<const ChartCurve*> legend_;
  double unit_ = 9, left_ = 0;  ///< size of the letters; between two panels
  std::size_t columns_ = 1;
};

}  // namespace

std::string pgfplots_of(const Chart& chart) { return Pgfplots(chart).draw(); }

}  // namespace tactus::report
