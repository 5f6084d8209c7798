#include "tactus/report/charts/figure_style.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tactus/experiment/describe/codecs.hpp"
#include "tactus/model/whole_document.hpp"

namespace tactus {

namespace codec {

template <>
std::span<const std::string_view> words_of<report::LegendPlace>() {
  static constexpr std::string_view kWords[] = {"right", "below", "none"};
  return kWords;
}
template <>
std::span<const std::string_view> words_of<report::MarkerShape>() {
  static constexpr std::string_view kWords[] = {"circle", "square", "triangle", "downward",
                                                "diamond"};
  return kWords;
}
template <>
std::span<const std::string_view> words_of<report::Dash>() {
  static constexpr std::string_view kWords[] = {"solid", "dashed", "dotted", "dash-dot", "short"};
  return kWords;
}

}  // namespace codec

namespace report {
namespace {

/// The file has no levels between the style and its look.
struct StyleFile {
  double panel_width = ChartLook{}.panel_width, panel_height = ChartLook{}.panel_height;
  std::string font = ChartLook{}.font;
  double font_size = ChartLook{}.font_size;
  LegendPlace legend = LegendPlace::kRight;
  std::int64_t columns = 0;
  std::string x_label, y_label;
  std::vector<LineLook> lines;
};

/// "#0072B2".
struct Colour {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::string& out) {
    const auto hexadecimal = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    constexpr std::size_t kLength = 7;
    const bool good = value.is(json::Kind::kString) && value.text().size() == kLength &&
                      value.text().front() == '#' &&
                      std::all_of(value.text().begin() + 1, value.text().end(), hexadecimal);
    if (!good) return codec::mismatch(value, key, context, "a colour such as \"#0072B2\"");
    out = value.text();
    return true;
  }
  static void write(json::Writer& out, const System&, const std::string& colour) {
    out.string(colour);
  }
  static void describe(json::Writer& out) {
    out.key("type").string("string").key("pattern").string("^#[0-9a-fA-F]{6}$");
  }
};

/// A length in points.
template <int kLeast, int kMost>
struct Length : experiment::Real {
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   double& out) {
    const bool good = value.is(json::Kind::kNumber) && Real::read(value, key, context, out) &&
                      out >= kLeast && out <= kMost;
    if (good) return true;
    return codec::mismatch(value, key, context,
                           fmt::format("a number of points in [{}, {}]", kLeast, kMost));
  }
  static void describe(json::Writer& out) {
    out.key("type").string("number");
    out.key("minimum").integer(kLeast).key("maximum").integer(kMost);
  }
};

constexpr std::int64_t kStyleVersion = 1;

}  // namespace
}  // namespace report

using namespace codec;  // the tables below read like the format they describe
using namespace report;

template <>
std::span<const Field<StyleFile>> fields<StyleFile>() {
  static constexpr auto kTable = std::to_array<Field<StyleFile>>({
      schema_link<StyleFile>(),
      version_field<StyleFile, kStyleVersion>("tactus_style"),
      field<&StyleFile::panel_width, Length<40, 2000>>("panel_width",
                                                       "Of each panel, between the axes"),
      field<&StyleFile::panel_height, Length<40, 2000>>("panel_height",
                                                        "Of each panel, between the axes"),
      field<&StyleFile::font, Name>("font", "Of SVG, PDF and PNG; TikZ has that of the document"),
      field<&StyleFile::font_size, Length<4, 40>>("font_size", "Of all letters"),
      field<&StyleFile::legend, Word<LegendPlace, false>>("legend", "Where the legend is"),
      field<&StyleFile::columns, Integer<1, 100>>("columns", "Panels side by side"),
      field<&StyleFile::x_label, Text>("x_label", "Instead of that of the experiment"),
      field<&StyleFile::y_label, Text>("y_label", "Instead of that of the experiment"),
      field<&StyleFile::lines, Objects<LineLook, "line">>(
          "lines", "How lines are drawn, in the order of the legend"),
  });
  return kTable;
}

template <>
std::span<const Field<LineLook>> fields<LineLook>() {
  static constexpr auto kTable = std::to_array<Field<LineLook>>({
      field<&LineLook::line, Name>("line", "Its name in the experiment", true),
      field<&LineLook::label, Text>("label", "In the legend"),
      field<&LineLook::colour, Colour>("colour", "Of line and markers"),
      field<&LineLook::marker, Word<MarkerShape, false>>("marker", "Shape of its points"),
      field<&LineLook::open, Flag>("open", "Markers are not filled"),
      field<&LineLook::dash, Word<Dash, false>>("dash", "Pattern of the line"),
      field<&LineLook::hidden, Flag>("hidden", "Not drawn"),
  });
  return kTable;
}

template <>
void check(const Origin& origin, ReadContext& context, StyleFile& file) {
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (file.lines[k].line != file.lines[i].line) continue;
      context.error(origin.json()->find("lines")->items()[i],
                    fmt::format("line {} is given twice", quote(file.lines[i].line)));
    }
  }
}

namespace report {

const LineLook* FigureStyle::find(std::string_view line) const {
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const LineLook& one) { return one.line == line; });
  return found == lines.end() ? nullptr : &*found;
}

CurveStyle styled(CurveStyle usual, const LineLook* look) {
  if (look == nullptr) return usual;
  if (!look->colour.empty()) usual.colour = look->colour;
  bool filled = usual.marker % 2 == 1;
  if (look->open) filled = !*look->open;
  if (look->marker) {
    constexpr int kOpen[] = {6, 4, 8, 10, 12};  // gnuplot's numbers; the filled one comes next
    usual.marker = kOpen[static_cast<std::size_t>(*look->marker)];
  }
  usual.marker = usual.marker / 2 * 2 + (filled ? 1 : 0);
  if (look->dash) usual.dash = static_cast<int>(*look->dash) + 1;
  return usual;
}

ReadStyle read_style(std::string text) {
  auto [file, diagnostics] = read_whole<StyleFile>(json::Document::parse(std::move(text)));
  ReadStyle result{std::nullopt, std::move(diagnostics)};
  if (file) {
    result.style = {
        {file->panel_width, file->panel_height, file->font, file->font_size, file->legend},
        file->columns,
        file->x_label,
        file->y_label,
        file->lines};
  }
  return result;
}

std::string style_schema() { return schema_of<StyleFile>("style", "Tactus style of figures"); }

}  // namespace report
}  // namespace tactus
