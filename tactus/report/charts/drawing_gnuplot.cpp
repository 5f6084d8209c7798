#include <fmt/core.h>

#include "tactus/report/charts/chart_script.hpp"
#include "tactus/report/charts/drawing.hpp"

namespace tactus::report {
namespace {

constexpr double kPngScale = 4;  ///< pixels per point: 288 to the inch

/// gnuplot draws objects first, in their order, then lines, then texts.
struct ToGnuplot {
  double width, height;
  double line_unit;   ///< points, or pixels, of gnuplot's line of width 1
  double font_scale;  ///< what gnuplot makes of a font size

  std::string at(double x, double y) const {
    return fmt::format("screen {:.6f},{:.6f}", x / width, 1 - y / height);
  }
  std::string paint(std::string_view fill, std::string_view edge) const {
    return fmt::format(
        "fc rgb '{}' fs {} {} lw {:.3f}", fill.empty() ? "#ffffff" : fill,
        fill.empty() ? "empty" : "solid 1",
        edge.empty() ? std::string("noborder") : fmt::format("border rgb '{}'", edge),
        0.5 / line_unit);
  }
  std::string operator()(const Box& box) const {
    return fmt::format("set object rectangle from {} to {} behind {}\n", at(box.x, box.y),
                       at(box.x + box.width, box.y + box.height), paint(box.fill, box.edge));
  }
  std::string operator()(const Line& line) const {
    return fmt::format("set arrow from {} to {} nohead front lw {:.3f} lc rgb '{}' dt {}\n",
                       at(line.x1, line.y1), at(line.x2, line.y2), line.width / line_unit,
                       line.colour, line.dashed ? "(6,4)" : "solid");
  }
  std::string operator()(const Polygon& polygon) const {
    std::string corners;
    for (const auto& [x, y] : polygon.corners) {
      corners += fmt::format("{} {}", corners.empty() ? "from" : " to", at(x, y));
    }
    const auto& [x, y] = polygon.corners.front();
    return fmt::format("set object polygon {} to {} behind {}\n", corners, at(x, y),
                       paint(polygon.fill, polygon.edge));
  }
  std::string operator()(const Text& text) const {
    constexpr std::string_view kAnchors[] = {"left", "center", "right"};
    constexpr double kToMiddle = 0.36;  // gnuplot places the middle of a line, not its baseline
    return fmt::format("set label {} at {} {} front font ',{}' textcolor rgb '{}'\n",
                       gnuplot_string(text.text), at(text.x, text.y - kToMiddle * text.size),
                       kAnchors[static_cast<std::size_t>(text.anchor)], text.size * font_scale,
                       text.colour);
  }
};

}  // namespace

std::string gnuplot_script_of(const Drawing& drawing, DrawingFormat format,
                              std::string_view output) {
  const bool pdf = format == DrawingFormat::kPdf;
  std::string out =
      pdf ? fmt::format(
                "set terminal pdfcairo noenhanced size {:.4f}in,{:.4f}in font 'Helvetica,7' "
                "fontscale 0.75 linewidth 1\n",
                drawing.width / 72, drawing.height / 72)
          : fmt::format(
                "set terminal pngcairo noenhanced size {:.0f},{:.0f} font 'Helvetica,7' "
                "fontscale {} linewidth 1 background rgb 'white'\n",
                drawing.width * kPngScale, drawing.height * kPngScale, kPngScale * 0.75);
  out += fmt::format(
      "set output {}\nset encoding utf8\nunset key\nunset border\nunset tics\n"
      "set margins 0,0,0,0\nset xrange [0:1]\nset yrange [0:1]\n",
      gnuplot_string(output));
  const ToGnuplot to_gnuplot{drawing.width, drawing.height, pdf ? 0.5 : 1 / kPngScale, 1};
  for (const Shape& shape : drawing.shapes) out += std::visit(to_gnuplot, shape);
  return out + "plot NaN notitle\nunset output\n";
}

}  // namespace tactus::report
