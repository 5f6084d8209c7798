#include <fmt/core.h>

#include <set>

#include "tactus/base/printable.hpp"
#include "tactus/report/charts/drawing.hpp"
#include "tactus/report/text/tex.hpp"

namespace tactus::report {
namespace {

std::string tikz_paint(std::string_view fill, std::string_view edge) {
  std::string out;
  if (!fill.empty()) out += fmt::format("fill={}", tex_colour(fill));
  if (!edge.empty()) {
    out += fmt::format("{}draw={},line width=0.5pt", out.empty() ? "" : ",", tex_colour(edge));
  }
  return out;
}

struct ToTikz {
  std::string operator()(const Box& box) const {
    return fmt::format("\\path[{}] ({:.2f},{:.2f}) rectangle ({:.2f},{:.2f});\n",
                       tikz_paint(box.fill, box.edge), box.x, box.y, box.x + box.width,
                       box.y + box.height);
  }
  std::string operator()(const Line& line) const {
    return fmt::format("\\draw[{},line width={:.2f}pt{}] ({:.2f},{:.2f}) -- ({:.2f},{:.2f});\n",
                       tex_colour(line.colour), line.width,
                       line.dashed ? ",dash pattern=on 2pt off 1.5pt" : "", line.x1, line.y1,
                       line.x2, line.y2);
  }
  std::string operator()(const Polygon& polygon) const {
    std::string path;
    for (const auto& [x, y] : polygon.corners) path += fmt::format("({:.2f},{:.2f}) -- ", x, y);
    return fmt::format("\\path[{}] {}cycle;\n", tikz_paint(polygon.fill, polygon.edge), path);
  }
  std::string operator()(const Text& text) const {
    constexpr std::string_view kAnchors[] = {"base west", "base", "base east"};
    return fmt::format(
        "\\node[anchor={},inner sep=0pt,text={},font=\\sffamily\\fontsize{{{}}}{{{}}}\\selectfont] "
        "at ({:.2f},{:.2f}) {{{}}};\n",
        kAnchors[static_cast<std::size_t>(text.anchor)], tex_colour(text.colour), text.size,
        text.size + 1, text.x, text.y, tex_escaped(text.text));
  }
};

struct Colours {
  std::set<std::string_view> all;

  void use(std::string_view colour) {
    if (!colour.empty()) all.insert(colour);
  }
  void operator()(const Box& box) { use(box.fill), use(box.edge); }
  void operator()(const Line& line) { use(line.colour); }
  void operator()(const Polygon& polygon) { use(polygon.fill), use(polygon.edge); }
  void operator()(const Text& text) { use(text.colour); }
};

}  // namespace

std::string tikz_of(const Drawing& drawing) {
  std::string out = fmt::format("% {}\n", printable_line(drawing.title));
  Colours colours;
  for (const Shape& shape : drawing.shapes) std::visit(colours, shape);
  out += tex_colours(colours.all);
  out += fmt::format("\\begin{{tikzpicture}}[x=1pt,y=-1pt]\n\\path (0,0) ({:.0f},{:.0f});\n",
                     drawing.width, drawing.height);
  for (const Shape& shape : drawing.shapes) out += std::visit(ToTikz{}, shape);
  return out + "\\end{tikzpicture}\n";
}

}  // namespace tactus::report
