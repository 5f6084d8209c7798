#include "tactus/report/charts/figure_style.hpp"

#include <gtest/gtest.h>

#include "sample_results.hpp"
#include "tactus/report/charts/chart.hpp"
#include "tactus/report/charts/chart_script.hpp"

namespace tactus::report {
namespace {

constexpr std::string_view kStyle = R"json({
  "tactus_style": 1,
  "panel_width": 120, "panel_height": 80, "font": "Times", "font_size": 7,
  "legend": "below", "columns": 1, "x_label": "Load", "y_label": "Accepted",
  "lines": [ { "line": "mpcp.busy", "label": "MPCP", "colour": "#112233", "marker": "diamond",
               "open": true, "dash": "dotted" } ]
})json";

FigureStyle read(std::string_view text) {
  ReadStyle result = read_style(std::string(text));
  for (const Diagnostic& problem : result.diagnostics) {
    ADD_FAILURE() << to_string(problem, "style.json");
  }
  return result.style.value_or(FigureStyle{});
}

std::string complaint(std::string_view text) {
  const ReadStyle result = read_style(std::string(text));
  EXPECT_FALSE(result.style);
  return result.diagnostics.empty() ? "none" : to_string(result.diagnostics.front(), "f");
}

TEST(FigureStyle, ChangesWhatItNames) {
  const FigureStyle style = read(kStyle);
  const Chart chart = chart_of(sample_results(), style);
  EXPECT_EQ(chart.look.panel_width, 120);
  EXPECT_EQ(chart.x_label, "Load");
  EXPECT_EQ(chart.y_label, "Accepted");
  const ChartCurve& first = chart.panels[0].curves[0];  // the lines of the style come first
  EXPECT_EQ(first.label, "MPCP (safe)");
  EXPECT_EQ(first.style.colour, "#112233");
  EXPECT_EQ(first.style.marker, 12);
  EXPECT_EQ(first.style.dash, 3);
  EXPECT_EQ(chart.panels[0].curves[2].label, "gcaps.suspend.prio (safe)");
  const std::string script = chart_script(chart, ChartFormat::kSvg, "out");
  EXPECT_NE(script.find("font 'Times,"), std::string::npos);
  EXPECT_NE(script.find("vertical maxrows"), std::string::npos);
}

TEST(FigureStyle, HidesLinesAndLegends) {
  const FigureStyle style = read(
      R"({"tactus_style": 1, "legend": "none", "lines": [{"line": "mpcp.busy", "hidden": true}]})");
  const Chart chart = chart_of(sample_results(), style);
  EXPECT_EQ(chart.panels[0].curves.size(), 2u);
  EXPECT_EQ(chart_script(chart, ChartFormat::kPdf, "out").find("set key at"), std::string::npos);
  EXPECT_EQ(pgfplots_of(chart).find("legend"), std::string::npos);
}

TEST(FigureStyle, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint(R"({"tactus_style": 1, "fontsize": 9})"),
            "f:1:21: unknown key `fontsize`; did you mean `font_size`?");
  EXPECT_EQ(complaint(R"({"tactus_style": 1, "panel_width": 3})"),
            "f:1:36: `panel_width` must be a number of points in [40, 2000], got 3");
  EXPECT_EQ(complaint(R"({"tactus_style": 1, "lines": [{"line": "a", "colour": "blue"}]})"),
            "f:1:55: lines[0]: `colour` must be a colour such as \"#0072B2\", got the text `blue`");
  EXPECT_EQ(complaint(R"({"tactus_style": 1, "legend": "left"})"),
            "f:1:31: `legend` must be one of right below none, got the text `left`");
  EXPECT_EQ(complaint(R"({"tactus_style": 1, "lines": [{"line": "a"}, {"line": "a"}]})"),
            "f:1:46: line `a` is given twice");
  EXPECT_EQ(complaint("{}"), "f:1:1: `tactus_style` is missing");
}

}  // namespace
}  // namespace tactus::report
