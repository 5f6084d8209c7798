#include "tactus/report/charts/recorded.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>

#include "tactus/experiment/describe/codecs.hpp"
#include "tactus/model/whole_document.hpp"
#include "tactus/report/charts/recorded_run.hpp"

namespace tactus {

namespace report {
namespace {

constexpr std::int64_t kRecordedVersion = 1;

/// Numbers, at least one.
struct NumberList {
  static constexpr bool kAlwaysWritten = true;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::vector<double>& out) {
    const auto wrong = [&](const json::Value& at) {
      context.error(at, fmt::format("{} must be an array of numbers", quote(key)));
      return false;
    };
    if (!value.is(json::Kind::kArray) || value.items().empty()) return wrong(value);
    for (const json::Value& item : value.items()) {
      const auto number = item.is(json::Kind::kNumber)
                              ? experiment::to_double(std::string(item.text()))
                              : std::nullopt;
      if (!number || !std::isfinite(*number)) return wrong(item);
      out.push_back(*number);
    }
    return true;
  }
  static void write(json::Writer& out, const System&, const std::vector<double>& numbers) {
    out.begin_array();
    for (double number : numbers) out.number(fmt::format("{}", number));
    out.end_array();
  }
  static void describe(json::Writer& out) { out.key("type").string("array"); }
};

}  // namespace
}  // namespace report

using namespace codec;  // the tables below read like the format they describe
using report::Recorded;
using report::RecordedFigure;
using report::RecordedLine;

template <>
std::span<const Field<RecordedLine>> fields<RecordedLine>() {
  static constexpr auto kTable = std::to_array<Field<RecordedLine>>({
      field<&RecordedLine::label, Text>("label", "In the legend", true),
      field<&RecordedLine::values, report::NumberList>("values", "One per point", true),
  });
  return kTable;
}

template <>
std::span<const Field<RecordedFigure>> fields<RecordedFigure>() {
  static constexpr auto kTable = std::to_array<Field<RecordedFigure>>({
      field<&RecordedFigure::name, Name>("name", "Names the file that is drawn", true),
      field<&RecordedFigure::title, Text>("title", "One line for people", true),
      field<&RecordedFigure::paper, Text>("paper", "Where it was published"),
      field<&RecordedFigure::figure, Text>("figure", "Its figure or table there"),
      field<&RecordedFigure::source, Text>("source", "Where our numbers were recorded"),
      field<&RecordedFigure::note, Text>("note", "How the hardware differs"),
      field<&RecordedFigure::x, Text>("x", "Label of the x axis"),
      field<&RecordedFigure::y, Text>("y", "Label of the y axis", true),
      field<&RecordedFigure::log_y, Flag>("log_y", "Logarithmic y axis"),
      field<&RecordedFigure::points, experiment::WordList>("points", "Names along x", true),
      field<&RecordedFigure::lines, Objects<RecordedLine, "line">>("lines", "What is compared",
                                                                   true),
  });
  return kTable;
}

template <>
std::span<const Field<Recorded>> fields<Recorded>() {
  static constexpr auto kTable = std::to_array<Field<Recorded>>({
      version_field<Recorded, report::kRecordedVersion>("tactus_recorded"),
      field<&Recorded::figures, Objects<RecordedFigure, "figure">>("figures", "All of them", true),
  });
  return kTable;
}

template <>
void check(const Origin& origin, ReadContext& context, RecordedFigure& figure) {
  const json::Value* lines = origin.json()->find("lines");
  for (std::size_t i = 0; lines != nullptr && i < figure.lines.size(); ++i) {
    const RecordedLine& line = figure.lines[i];
    if (line.values.empty()) continue;  // already reported
    const bool all = line.values.size() == figure.points.size();
    if (!all) {
      context.error(lines->items()[i], fmt::format("there are {} values for {} points",
                                                   line.values.size(), figure.points.size()));
    }
    const auto positive = [](double value) { return value > 0; };
    if (figure.log_y && !std::all_of(line.values.begin(), line.values.end(), positive)) {
      context.error(lines->items()[i], "a logarithmic axis has values above 0 only");
    }
  }
  const bool plain = figure.name.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789.-_") == std::string::npos;
  if (!plain || figure.name.starts_with(".")) {
    context.error(*origin.json()->find("name"),
                  "`name` has letters, digits, `.`, `-` and `_` only");
  }
}

namespace report {

bool looks_recorded(const std::string& path) {
  std::ifstream file(path);
  char first = 0;
  return static_cast<bool>(file >> first) && first == '{';
}

ReadRecorded read_recorded(std::string text) {
  const auto read = [](const json::Value& root, ReadContext& context, Recorded& recorded) {
    if (is_run(root)) {
      recorded.figures.push_back(figure_of_run(root, context));
    } else {
      read_object(root, context, recorded);
    }
  };
  auto [recorded, diagnostics] = read_whole<Recorded>(json::Document::parse(std::move(text)), read);
  return {std::move(recorded), std::move(diagnostics)};
}

Chart chart_of(const RecordedFigure& figure) {
  Chart chart;
  chart.x_label = figure.x;
  chart.y_label = figure.y;
  chart.log_y = figure.log_y;
  chart.categories = true;
  const auto points = static_cast<double>(figure.points.size());
  chart.x_least = -0.5;
  chart.x_most = points - 0.5;
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    chart.x_ticks.push_back({static_cast<double>(i), figure.points[i]});
  }
  double least = std::numeric_limits<double>::infinity(), most = -least;
  Panel panel;
  const auto lines = static_cast<double>(figure.lines.size());
  for (std::size_t k = 0; k < figure.lines.size(); ++k) {
    ChartCurve curve;
    curve.label = figure.lines[k].label;
    curve.style = style_of_case(k);
    const double dodge = (static_cast<double>(k) - (lines - 1) / 2) * 0.5 / lines;
    for (std::size_t i = 0; i < figure.points.size(); ++i) {
      const double value = figure.lines[k].values[i];
      if (std::isnan(value)) continue;
      least = std::min(least, value);
      most = std::max(most, value);
      curve.points.push_back({static_cast<double>(i) + dodge, value, value, value});
    }
    panel.curves.push_back(std::move(curve));
  }
  chart.panels.push_back(std::move(panel));
  if (least > most) least = most = 0;  // no value at all
  if (chart.log_y && least > 0) {
    chart.y_least = std::pow(10, std::floor(std::log10(least)));
    chart.y_most = std::pow(10, std::ceil(std::log10(most)));
    if (chart.y_least == chart.y_most) chart.y_most *= 10;
    return chart;
  }
  chart.y_least = std::min(0.0, least);
  chart.y_most = most > 0 ? 1.1 * most : 1;
  return chart;
}

}  // namespace report
}  // namespace tactus
