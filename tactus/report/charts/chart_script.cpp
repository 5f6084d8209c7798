#include "tactus/report/charts/chart_script.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tactus/report/charts/chart_axes.hpp"
#include "tactus/report/charts/chart_layout.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus::report {
namespace {

/// As gnuplot counts it, which is not the same in all formats.
double font_size(const ChartLayout& layout, ChartFormat format) {
  constexpr double kFontSize = 12;
  return kFontSize * layout.unit * (format == ChartFormat::kSvg ? 1 : 0.75);
}

/// The three formats have different units, chosen so that letters, lines and markers have the same
/// proportion to the panel (letters of 9 pt, lines of 1.2 pt, markers of 4.2 pt).
std::string terminal(ChartFormat format, const ChartLayout& layout, const ChartLook& look) {
  const std::string font =
      gnuplot_string(fmt::format("{},{}", look.font, font_size(layout, format)));
  switch (format) {
    case ChartFormat::kSvg:
      return fmt::format("set terminal svg noenhanced size {},{} font {} background rgb 'white'\n",
                         layout.width, layout.height, font);
    case ChartFormat::kPdf:
      return fmt::format(
          "set terminal pdfcairo noenhanced size {:.4f}in,{:.4f}in font {} fontscale 0.75 "
          "linewidth 1.5 pointscale 1.125\n",
          layout.width / 96, layout.height / 96, font);
    case ChartFormat::kPng:
      return fmt::format(
          "set terminal pngcairo noenhanced size {},{} font {} fontscale 2 linewidth 2 "
          "pointscale 3 background rgb 'white'\n",
          layout.width * 2, layout.height * 2, font);
    case ChartFormat::kTikz:
    case ChartFormat::kData:
      break;
  }
  return "";
}

/// Short enough that a sample in the legend shows them.
std::string_view dashes(int number) {
  constexpr std::string_view kPatterns[] = {"solid", "(10,6)", "(3,5)", "(14,5,3,5)", "(6,4)"};
  return kPatterns[static_cast<std::size_t>(number - 1) % std::size(kPatterns)];
}

std::string look(const CurveStyle& style, bool alone = false) {
  return fmt::format("lc rgb '{}' dt {} lw 1.6 pt {} ps {}", style.colour, dashes(style.dash),
                     style.marker, alone ? 0.85 : 0.62);
}

std::string shown(double value) { return std::isnan(value) ? "NaN" : fmt::format("{:.9g}", value); }

std::string data_of(const Chart& chart) {
  std::string out;
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    const auto& curves = chart.panels[p].curves;
    for (std::size_t c = 0; c < curves.size(); ++c) {
      out += fmt::format("$p{}c{} << EOD\n", p, c);
      for (const ChartPoint& point : curves[c].points) {
        out += fmt::format("{} {} {} {}", shown(point.x), shown(point.y), shown(point.low),
                           shown(point.high));
        if (chart.kind == ChartKind::kBoxes) {
          out += fmt::format(" {} {}", shown(point.least), shown(point.most));
        }
        out += '\n';
      }
      out += "EOD\n";
    }
  }
  return out;
}

std::string decades(double least, double most) {
  std::string ticks;
  const auto [first, last] = decades_between(least, most);
  for (int k = first; k <= last; ++k) {
    ticks +=
        fmt::format("{}{} 1e{}", ticks.empty() ? "" : ", ", gnuplot_string(decade_label(k)), k);
  }
  return ticks;
}

/// The text of a tick is a format to gnuplot: `%` stands for a number there.
std::string without_format(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == '%' ? 2 : 1, c);
  return out;
}

std::string axes_of(const Chart& chart) {
  std::string ticks;
  for (const Tick& tick : chart.x_ticks) {
    ticks += fmt::format("{}{} {}", ticks.empty() ? "" : ", ",
                         gnuplot_string(without_format(tick.label)), shown(tick.at));
  }
  std::string out = fmt::format("set xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\n",
                                chart.x_least, chart.x_most, chart.y_least, chart.y_most);
  if (chart.log_x) out += "set logscale x\n";
  if (chart.log_y) {
    out += fmt::format("set logscale y\nset ytics ({})\n", decades(chart.y_least, chart.y_most));
  }
  if (ticks.empty() && chart.log_x) ticks = decades(chart.x_least, chart.x_most);
  out += ticks.empty()
             ? std::string("set xtics offset 0,0.3\n")
             : fmt::format("set xtics {}({})\n",
                           chart.categories ? "rotate by 20 right " : "offset 0,0.3 ", ticks);
  return out;
}

/// One after another, with commas between.
class Items {
 public:
  void add(const std::string& item) { text_ += (text_.empty() ? "" : ", \\\n  ") + item; }
  std::string take() { return text_.empty() ? "NaN notitle" : std::move(text_); }

 private:
  std::string text_;
};

void add_lines(Items& items, const Chart& chart, std::size_t panel) {
  const auto& curves = chart.panels[panel].curves;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const CurveStyle& style = curves[c].style;
    if (chart.categories) {
      items.add(fmt::format("$p{}c{} using 1:2:3:4 with yerrorbars {} notitle", panel, c,
                            look(style, true)));
      continue;
    }
    items.add(
        fmt::format("$p{}c{} using 1:3:4 with filledcurves fc rgb '{}' fs transparent solid 0.15 "
                    "noborder notitle",
                    panel, c, style.colour));
  }
  for (std::size_t c = 0; c < curves.size() && !chart.categories; ++c) {
    items.add(fmt::format("$p{}c{} using 1:2 with linespoints {} notitle", panel, c,
                          look(curves[c].style)));
  }
}

void add_boxes(Items& items, const Chart& chart, std::size_t panel) {
  const auto& curves = chart.panels[panel].curves;
  const double width = box_width(curves.size());
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const std::string data = fmt::format("$p{}c{}", panel, c);
    const CurveStyle& style = curves[c].style;
    items.add(
        fmt::format("{} using 1:3:5:6:4:({:.4f}) with candlesticks lc rgb '{}' lw 0.9 fs "
                    "transparent solid 0.2 border notitle whiskerbars 0.6",
                    data, width, style.colour));
    items.add(fmt::format(
        "{} using ($1-{:.4f}):2:({:.4f}):(0) with vectors nohead lc rgb '{}' lw 1.6 notitle", data,
        width / 2, width, style.colour));
    items.add(fmt::format("{} using 1:2 with points lc rgb '{}' pt {} ps 0.45 notitle", data,
                          style.colour, style.marker));
  }
}

std::string items_of(const Chart& chart, std::size_t panel) {
  Items items;
  const auto& curves = chart.panels[panel].curves;
  if (chart.diagonal) items.add("x with lines lc rgb '#808080' dt (6,4) lw 1 notitle");
  switch (chart.kind) {
    case ChartKind::kLines:
      add_lines(items, chart, panel);
      break;
    case ChartKind::kBoxes:
      add_boxes(items, chart, panel);
      break;
    case ChartKind::kSteps:
    case ChartKind::kPoints:
      for (std::size_t c = 0; c < curves.size(); ++c) {
        items.add(fmt::format("$p{}c{} using 1:2 with {} {} notitle", panel, c,
                              chart.kind == ChartKind::kSteps ? "steps" : "points",
                              look(curves[c].style)));
      }
      break;
  }
  return items.take();
}

/// The font of a label that has so much room; nothing if it fits.
std::string smaller(std::string_view label, double room, const ChartLayout& layout,
                    ChartFormat format) {
  const double needed = static_cast<double>(display_width(label)) * kLetterWidth * layout.unit;
  if (needed <= room) return "";
  return fmt::format(" font ',{:.2f}'", font_size(layout, format) * room / needed);
}

std::string panel_script(const Chart& chart, const ChartLayout& layout, ChartFormat format,
                         std::size_t index) {
  const Panel& panel = chart.panels[index];
  const std::size_t column = index % layout.columns, row = index / layout.columns;
  const double left = layout.left(column), top = layout.top(row);
  std::string out = fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n",
      left / layout.width, (left + layout.panel_width) / layout.width, 1 - top / layout.height,
      1 - (top + layout.panel_height) / layout.height);
  out += panel.title.empty()
             ? "unset title\n"
             : fmt::format("set title {} offset 0,-0.6\n", gnuplot_string(panel.title));
  // Beside our labels gnuplot leaves too little room, beside its own more than enough.
  const double aside = chart.log_y ? 0 : 0.8;
  out += column == 0
             ? fmt::format(
                   "set ylabel {} offset {},0{}\n", gnuplot_string(chart.y_label), aside,
                   smaller(chart.y_label, layout.panel_height + 2 * kChartMargin, layout, format))
             : std::string("unset ylabel\n");
  // The lowest panel of each column has the label of the axis. gnuplot sets it too low in SVG.
  const double raised = format == ChartFormat::kSvg ? 0.7 : 0.3;
  out += index + layout.columns >= chart.panels.size()
             ? fmt::format(
                   "set xlabel {} offset 0,{}{}\n", gnuplot_string(chart.x_label), raised,
                   smaller(chart.x_label, layout.panel_width + 2 * kChartMargin, layout, format))
             : std::string("unset xlabel\n");
  return out + "plot " + items_of(chart, index) + "\n";
}

/// Drawn last, by a plot without anything in it.
std::string legend_script(const Chart& chart, const ChartLayout& layout,
                          const std::vector<const ChartCurve*>& legend) {
  if (!has_legend(chart, legend)) return "";
  const bool below = chart.look.legend == LegendPlace::kBelow;
  std::string out = fmt::format(
      "unset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\nunset grid\n"
      "set key at screen {:.5f},{:.5f} left top Left reverse samplen 3 spacing 1.15{}\n",
      layout.legend_x / layout.width, 1 - layout.legend_y / layout.height,
      below ? fmt::format(" vertical maxrows {}", layout.legend_rows) : std::string());
  // gnuplot leaves out what does not fit into the height of the plot that has the legend.
  out += "set tmargin at screen 1\nset bmargin at screen 0\n";
  const bool points_only = chart.categories || chart.kind == ChartKind::kBoxes;
  const std::string_view with = chart.kind == ChartKind::kSteps ? "lines"
                                : points_only                   ? "points"
                                                                : "linespoints";
  Items items;
  for (const ChartCurve* curve : legend) {
    items.add(fmt::format("NaN with {} {} title {}", with, look(curve->style, points_only),
                          gnuplot_string(curve->label)));
  }
  return out + "plot " + items.take() + "\n";
}

}  // namespace

std::string gnuplot_string(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "’";  // no escape: gnuplot stumbles over a string that begins with one
    } else {
      out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
    }
  }
  return out + "'";
}

std::string chart_script(const Chart& chart, ChartFormat format, std::string_view output) {
  const std::vector<const ChartCurve*> legend = legend_of(chart);
  const ChartLayout layout = layout_of(chart, legend);
  std::string out = terminal(format, layout, chart.look);
  out += fmt::format("set output {}\n", gnuplot_string(output));
  out +=
      "set encoding utf8\n"
      "set datafile missing 'NaN'\n"
      "set border 3 lw 0.8 lc rgb '#404040'\n"
      "set tics nomirror out scale 0.6,0.3 textcolor rgb '#202020'\n"
      "set grid ytics lt 1 lw 0.5 lc rgb '#e4e4e4'\n"
      "unset key\n";
  out += data_of(chart) + axes_of(chart);
  out += "set multiplot\n";
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    out += panel_script(chart, layout, format, p);
  }
  out += legend_script(chart, layout, legend);
  return out + "unset multiplot\nunset output\n";
}

}  // namespace tactus::report
