#include "tactus/report/charts/chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <set>

#include "sample_results.hpp"
#include "tactus/base/file.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/report/charts/chart_script.hpp"
#include "tests/support/paths.hpp"

namespace tactus::report {
namespace {

TEST(Chart, HasOneCurveALineAndVariant) {
  const Chart chart = chart_of(sample_results());
  ASSERT_EQ(chart.panels.size(), 1u);
  ASSERT_EQ(chart.panels[0].curves.size(), 4u);
  EXPECT_EQ(chart.panels[0].curves[0].label, "gcaps.suspend.prio (safe)");
  EXPECT_EQ(chart.panels[0].curves[1].label, "gcaps.suspend.prio (as published)");
  EXPECT_EQ(chart.y_label, "Schedulable sets (%)");
  EXPECT_EQ(chart.y_most, 100);
  ASSERT_EQ(chart.x_ticks.size(), 3u);
  EXPECT_EQ(chart.x_ticks[1].label, "1.0");
}

TEST(Chart, GivesAVariantItsOwnColumnWhenAPanelWouldBeTooFull) {
  const Chart chart = chart_of(sample_results(
      {"gcaps.suspend.prio", "gcaps.busy.prio", "mpcp.suspend", "mpcp.busy", "fmlp.busy"}, 2));
  ASSERT_EQ(chart.panels.size(), 4u);
  EXPECT_EQ(chart.columns, 2u);
  EXPECT_EQ(chart.panels[0].title, "case1, safe");
  EXPECT_EQ(chart.panels[3].title, "case2, as published");
  EXPECT_EQ(chart.panels[3].curves.size(), 5u);
  EXPECT_EQ(chart.panels[3].curves[0].label, "gcaps.suspend.prio");
}

TEST(Chart, PutsAllCasesIntoOnePanelWhenAsked) {
  auto results = sample_results({"gang.swc"}, 3);
  results.experiment.plot.one_panel = true;
  results.experiment.plot.variants = {"paper"};
  const Chart chart = chart_of(results);
  ASSERT_EQ(chart.panels.size(), 1u);
  std::set<std::string_view> colours;
  for (const ChartCurve& curve : chart.panels[0].curves) colours.insert(curve.style.colour);
  EXPECT_EQ(colours.size(), 3u);
  EXPECT_EQ(chart.panels[0].curves[2].label, "case3");
}

TEST(Chart, DrawsOnlyTheLinesThatAreNamed) {
  auto results = sample_results(
      {"gcaps.suspend.prio", "gcaps.busy.prio", "mpcp.suspend", "mpcp.busy", "fmlp.busy"}, 2);
  results.experiment.plot.lines = {"mpcp.suspend", "fmlp.busy"};
  const Chart chart = chart_of(results);
  ASSERT_EQ(chart.panels.size(), 2u);
  ASSERT_EQ(chart.panels[1].curves.size(), 4u);
  EXPECT_EQ(chart.panels[1].curves[0].label, "mpcp.suspend (safe)");
  EXPECT_EQ(chart.panels[1].curves[3].label, "fmlp.busy (as published)");
}

TEST(Chart, DrawsLinesOfOneGroupInOneColourAndNamesTheGroup) {
  auto results = sample_results({"rtgpu", "gang.wc", "mpcp.busy", "fmlp.busy", "pbs.graph"}, 1);
  auto& lines = results.experiment.lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].group = i < 2 ? "own SMs" : i < 4 ? "lock" : "table";
  }
  results.experiment.plot.variants = {"safe"};
  const Chart chart = chart_of(results);
  const auto& curves = chart.panels[0].curves;
  ASSERT_EQ(curves.size(), 5u);
  EXPECT_EQ(curves[0].label, "rtgpu [own SMs]");
  std::set<std::string_view> colours;
  for (const ChartCurve& curve : curves) colours.insert(curve.style.colour);
  EXPECT_EQ(colours.size(), 3u);
  EXPECT_EQ(curves[0].style.colour, curves[1].style.colour);
  EXPECT_NE(curves[0].style.marker, curves[1].style.marker);
  EXPECT_NE(curves[0].style.dash, curves[1].style.dash);
}

TEST(Chart, HasRoomForALegendOfSeveralColumnsBelowThePanels) {
  auto results = sample_results({"rtgpu", "gang.wc", "mpcp.busy", "fmlp.busy"}, 2);
  results.experiment.plot.variants = {"safe"};
  Chart chart = chart_of(results);
  chart.look.legend = LegendPlace::kBelow;
  // gnuplot drops columns of a horizontal legend that it believes to be too wide.
  const std::string script = chart_script(chart, ChartFormat::kSvg, "x.svg");
  EXPECT_NE(script.find(" vertical maxrows "), std::string::npos) << script;
}

TEST(Chart, DrawsGroupsSoThatTheyDifferWithoutColoursToo) {
  std::set<std::pair<int, int>> looks;
  for (std::size_t group = 0; group < 7; ++group) {
    for (std::size_t member = 0; member < 5; ++member) {
      const CurveStyle style = style_of_group(group, member);
      EXPECT_TRUE(looks.emplace(style.marker, style.dash).second) << group << " " << member;
    }
  }
}

TEST(Chart, KeepsOnePanelForManyLinesThatHaveOneCurveEach) {
  auto results = sample_results(
      {"rtgpu", "gang.wc", "mpcp.busy", "fmlp.busy", "pbs.graph", "dag.greedy", "stgm"}, 1);
  results.experiment.plot.variants = {"safe"};
  EXPECT_EQ(chart_of(results).panels.size(), 1u);
}

TEST(Chart, HasRoomForALegendThatIsHigherThanThePanels) {
  auto results = sample_results(
      {"rtgpu", "gang.wc", "mpcp.busy", "fmlp.busy", "pbs.graph", "dag.greedy", "stgm",
       "mpcp.suspend", "fmlp.suspend", "gang.swc", "dag.graham", "dag.balanced", "pbs.edf-serial"},
      1);
  results.experiment.plot.variants = {"safe"};
  const std::string script = chart_script(chart_of(results), ChartFormat::kSvg, "x.svg");
  const std::size_t legend = script.find("set key at screen");
  ASSERT_NE(legend, std::string::npos);
  EXPECT_NE(script.find("set bmargin at screen 0\n", legend), std::string::npos);
}

TEST(Chart, LeavesGapsWhereNothingWasRun) {
  auto results = sample_results();
  results.cells[4].sets = 0;
  EXPECT_TRUE(std::isnan(chart_of(results).panels[0].curves[0].points[1].y));
}

TEST(Chart, CoversTheWholeRangeOfALogarithmicAxis) {
  auto results = sample_results();
  results.experiment.measure = experiment::Measure::kTime;
  results.experiment.plot.log_y = true;
  for (auto& cell : results.cells) {
    cell.median = 1;
    cell.quartile1 = 0.02;
    cell.quartile3 = 300;
  }
  const Chart chart = chart_of(results);
  EXPECT_DOUBLE_EQ(chart.y_least, 0.01);
  EXPECT_DOUBLE_EQ(chart.y_most, 1000);
}

/// Else the label of the axis is pushed out of the picture.
TEST(ChartScript, MakesRoomForLongNumbersAtTheYAxis) {
  const auto left_margin = [](double least, double most, bool log) {
    auto results = sample_results();
    results.experiment.measure = experiment::Measure::kBound;
    results.experiment.plot.log_y = log;
    for (auto& cell : results.cells) cell.y = cell.high = cell.low = most;
    results.cells[0].y = least;
    const std::string script = chart_script(chart_of(results), ChartFormat::kSvg, "sample.svg");
    double width = 0, part = 0;
    std::sscanf(script.c_str() + script.find("size "), "size %lf", &width);
    std::sscanf(script.c_str() + script.find("lmargin"), "lmargin at screen %lf", &part);
    return std::lround(part * width);
  };
  EXPECT_EQ(left_margin(0, 100, false), 76);
  EXPECT_EQ(left_margin(1, 1.07, false), 76);    // 1.02
  EXPECT_EQ(left_margin(1, 1.035, false), 83);   // 1.005
  EXPECT_EQ(left_margin(1, 1.0002, false), 96);  // 1.00005
  EXPECT_EQ(left_margin(0.001, 1, true), 89);    // 0.001, and room
}

/// Readers learn a colour once: no two methods of a family look the same.
TEST(ChartStyle, TellsTheMethodsOfAFamilyApart) {
  std::map<std::string, std::set<std::tuple<std::string_view, int, int>>> looks;
  std::map<std::string, std::size_t> counts;
  for (const Method* method : registry()) {
    std::string family(method->paper);
    const CurveStyle style = style_of_method(method->id, 0);
    looks[family].insert({style.colour, style.marker, style.dash});
    ++counts[family];
    EXPECT_EQ(style_of_method(method->id, 3).colour, style.colour) << method->id;
  }
  for (const auto& [family, seen] : looks) EXPECT_EQ(seen.size(), counts[family]) << family;
}

TEST(ChartStyle, TellsVariantsOfAMethodApart) {
  const CurveStyle first = style_of_method("rtgpu", 0), second = nth_like(first, 1);
  EXPECT_EQ(first.colour, second.colour);
  EXPECT_NE(first.marker, second.marker);
  EXPECT_NE(first.dash, second.dash);
}

TEST(GnuplotString, MakesAnyTextHarmless) {
  EXPECT_EQ(gnuplot_string("plain"), "'plain'");
  EXPECT_EQ(gnuplot_string("it's `date` @x \"q\" \\n"), "'it’s `date` @x \"q\" \\n'");
  EXPECT_EQ(gnuplot_string("a\nset output 'x'\r\t"), "'a set output ’x’  '");
}

std::string golden(const char* name) {
  const auto text = read_text_file(support::source_path("tests/data/charts/") + name);
  return text ? *text : "";
}

TEST(ChartScript, IsTheOneOnRecord) {
  EXPECT_EQ(chart_script(chart_of(sample_results()), ChartFormat::kSvg, "sample.svg"),
            golden("one-panel.gp"));
  auto results = sample_results({"rtgpu", "stgm"}, 3);
  results.cells[0].sets = 0;
  EXPECT_EQ(chart_script(chart_of(results), ChartFormat::kPdf, "it's.pdf"),
            golden("three-cases.gp"));
}

TEST(Chart, WritesAPercentSignOfATickAsText) {
  Chart chart = chart_of(sample_results());
  chart.x_ticks[1].label = "50%";
  const std::string script = chart_script(chart, ChartFormat::kSvg, "out");
  EXPECT_NE(script.find("50%%"), std::string::npos) << script;
}

}  // namespace
}  // namespace tactus::report
