#include "tactus/report/charts/drawing.hpp"

#include "tactus/base/file.hpp"
#include "tactus/report/charts/gnuplot.hpp"

namespace tactus::report {

std::optional<DrawingFormat> format_of_file(std::string_view path) {
  constexpr std::pair<std::string_view, DrawingFormat> kEndings[] = {
      {".svg", DrawingFormat::kSvg},
      {".pdf", DrawingFormat::kPdf},
      {".png", DrawingFormat::kPng},
      {".tikz", DrawingFormat::kTikz},
      {".tex", DrawingFormat::kTikz}};
  for (const auto& [ending, format] : kEndings) {
    if (path.size() > ending.size() && path.ends_with(ending)) return format;
  }
  return std::nullopt;
}

std::optional<Error> write_drawing(const Drawing& drawing, DrawingFormat format,
                                   const std::string& path) {
  if (format == DrawingFormat::kSvg) return write_text_file(path, svg_of(drawing));
  if (format == DrawingFormat::kTikz) return write_text_file(path, tikz_of(drawing));
  if (auto why = why_no_charts()) return Error{*why};
  return draw_with_gnuplot(
      [&](std::string_view output) { return gnuplot_script_of(drawing, format, output); },
      format == DrawingFormat::kPdf ? ChartFormat::kPdf : ChartFormat::kPng, path);
}

}  // namespace tactus::report
