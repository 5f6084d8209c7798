#include <fmt/core.h>

#include "tactus/report/charts/drawing.hpp"
#include "tactus/report/text/html_escaped.hpp"

namespace tactus::report {
namespace {

std::string svg_paint(std::string_view fill, std::string_view edge) {
  std::string out = fmt::format("fill=\"{}\"", fill.empty() ? "none" : fill);
  if (!edge.empty()) out += fmt::format(" stroke=\"{}\" stroke-width=\"0.5\"", edge);
  return out;
}

struct ToSvg {
  std::string operator()(const Box& box) const {
    return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" {}/>\n",
                       box.x, box.y, box.width, box.height, svg_paint(box.fill, box.edge));
  }
  std::string operator()(const Line& line) const {
    return fmt::format(
        "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\" "
        "stroke-width=\"{:.2f}\"{}/>\n",
        line.x1, line.y1, line.x2, line.y2, line.colour, line.width,
        line.dashed ? " stroke-dasharray=\"2 1.5\"" : "");
  }
  std::string operator()(const Polygon& polygon) const {
    std::string points;
    for (const auto& [x, y] : polygon.corners) {
      points += fmt::format("{}{:.2f},{:.2f}", points.empty() ? "" : " ", x, y);
    }
    return fmt::format("<polygon points=\"{}\" {}/>\n", points,
                       svg_paint(polygon.fill, polygon.edge));
  }
  std::string operator()(const Text& text) const {
    constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
    return fmt::format(
        "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\">{}</text>"
        "\n",
        text.x, text.y, text.size, kAnchors[static_cast<std::size_t>(text.anchor)], text.colour,
        html_escaped(text.text));
  }
};

}  // namespace

std::string svg_of(const Drawing& drawing) {
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}pt\" height=\"{1:.0f}pt\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      drawing.width, drawing.height, html_escaped(drawing.title));
  for (const Shape& shape : drawing.shapes) out += std::visit(ToSvg{}, shape);
  return out + "</svg>\n";
}

}  // namespace tactus::report
