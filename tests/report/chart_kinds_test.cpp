#include "tactus/report/charts/chart_kinds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "sample_results.hpp"
#include "tactus/report/charts/chart_ranges.hpp"
#include "tactus/report/charts/chart_script.hpp"

namespace tactus::report {
namespace {

using experiment::Measure;
using experiment::Quantity;
using experiment::Results;
using experiment::SetValues;

/// 50 values at every point of every curve, those of the n-th curve n times as large.
SetValues sample_values(const Results& results) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(1, 2);
  SetValues values(results.points.size() * results.curves.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (int set = 0; set < 50; ++set) {
      values[i].push_back(static_cast<double>(1 + i % results.curves.size()) * uniform(random));
    }
  }
  values[0][7] = std::nan("");
  return values;
}

Results sample_bounds(std::size_t cases = 1) {
  Results results = sample_results({"gcaps.suspend.prio", "mpcp.busy"}, cases);
  results.experiment.measure = Measure::kBound;
  return results;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// TeX would stop at a brace too many or too few, and at commands that are none.
void expect_whole_tex(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && text[i - 1] == '\\') continue;
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    EXPECT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
  EXPECT_EQ(count(text, "\\begin{axis}"), count(text, "\\end{axis}"));
  EXPECT_EQ(count(text, "\\begin{tikzpicture}"), 1u);
}

TEST(WeightedChart, ShowsIntervalsAgainstTheParameterThatTheCasesSet) {
  Results results = sample_results({"gcaps.suspend.prio"}, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    results.experiment.cases[i].set = {{"cpus", std::to_string(8 >> i)}};
  }
  const auto chart = weighted_chart(results, {});
  ASSERT_TRUE(chart);
  EXPECT_EQ(chart->x_label, "cpus");
  EXPECT_FALSE(chart->categories);
  const auto& points = chart->panels[0].curves[0].points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].x, 2);  // in the order of the axis, not of the cases
  EXPECT_EQ(points[0].low, 40);
  EXPECT_EQ(points[0].high, 60);
  expect_whole_tex(pgfplots_of(*chart));
  results.experiment.cases[1].set["tasks"] = "3";
  EXPECT_TRUE(weighted_chart(results, {})->categories);
  results.experiment.measure = Measure::kTime;
  EXPECT_FALSE(weighted_chart(results, {}));
}

TEST(HistogramChart, CountsEverySetOnce) {
  const Results results = sample_bounds(2);
  const auto chart = histogram_chart(results, sample_values(results), Quantity::kMeasured, {});
  ASSERT_TRUE(chart);
  ASSERT_EQ(chart->panels.size(), 2u);
  std::set<int> dashes;
  for (const ChartCurve& curve : chart->panels[0].curves) {
    double sum = 0;
    for (const ChartPoint& point : curve.points) sum += point.y;
    EXPECT_NEAR(sum, 100, 1e-9);
    dashes.insert(curve.style.dash);
  }
  EXPECT_EQ(dashes.size(), 4u) << "without colours only the dashes tell them apart";
  expect_whole_tex(pgfplots_of(*chart));
  FigureStyle style;
  style.lines.push_back({"gcaps.suspend.prio", "", "", {}, {}, Dash::kDotted, false});
  const auto styled_chart =
      histogram_chart(results, sample_values(results), Quantity::kMeasured, style);
  EXPECT_EQ(styled_chart->panels[0].curves[0].style.dash, 3) << "the style has the last word";
}

TEST(BoxChart, ShowsTheQuartilesOfEveryPoint) {
  const Results results = sample_bounds();
  const SetValues values = sample_values(results);
  const auto chart = box_chart(results, values, Quantity::kTime, {});
  ASSERT_TRUE(chart);
  EXPECT_EQ(chart->y_label, "Time of analysis (ms)");
  std::set<std::pair<int, int>> looks;
  for (const ChartCurve& curve : chart->panels[0].curves) {
    for (const ChartPoint& point : curve.points) {
      EXPECT_LE(point.least, point.low);
      EXPECT_LE(point.low, point.y);
      EXPECT_LE(point.y, point.high);
      EXPECT_LE(point.high, point.most);
    }
    looks.insert({curve.style.marker, curve.style.dash});
  }
  EXPECT_EQ(looks.size(), 4u);
  expect_whole_tex(pgfplots_of(*chart));
  EXPECT_NE(chart_script(*chart, ChartFormat::kSvg, "o").find("candlesticks"), std::string::npos);
  EXPECT_NE(data_of_chart(*chart).find("x\tmedian\tquartile1"), std::string::npos);
}

TEST(ScatterChart, PairsTheValuesOfASetAndSaysWhatItLeavesOut) {
  const Results results = sample_bounds();
  const SetValues values = sample_values(results);
  const auto chart = scatter_chart(results, values, Quantity::kMeasured, "gcaps.suspend.prio",
                                   "mpcp.busy:paper", {});
  ASSERT_TRUE(chart);
  EXPECT_TRUE(chart->diagonal);
  ASSERT_EQ(chart->panels[0].curves[0].points.size(), 149u);
  EXPECT_EQ(chart->note, "1 of 150 sets lack one of the two values and are not drawn");
  EXPECT_EQ(chart->panels[0].curves[0].points[0].x, values[0][0]);
  EXPECT_EQ(chart->panels[0].curves[0].points[0].y, values[3][0]);
  expect_whole_tex(pgfplots_of(*chart));
  const auto none = scatter_chart(results, values, Quantity::kMeasured, "gcaps", "mpcp.bsy", {});
  ASSERT_FALSE(none);
}

TEST(RoundTicks, AreFewAndInside) {
  for (const auto& [least, most, labels] : std::vector<std::tuple<double, double, std::string>>{
           {-0.001, 0.0913, "0 0.02 0.04 0.06 0.08 "},
           {0, 10, "0 2 4 6 8 10 "},
           {-3, 3, "-2 0 2 "}}) {
    Chart chart;
    chart.x_least = least;
    chart.x_most = most;
    set_round_x_ticks(chart);
    std::string all;
    for (const Tick& tick : chart.x_ticks) all += tick.label + " ";
    EXPECT_EQ(all, labels);
  }
}

TEST(ChartKinds, NeedValues) {
  const Results results = sample_results();
  const auto chart = box_chart(results, sample_values(results), Quantity::kMeasured, {});
  ASSERT_FALSE(chart);
  EXPECT_EQ(chart.error().message,
            "sample measures `accepted`, which is yes or no for a set; --of time draws the times "
            "of the analyses");
}

TEST(Pgfplots, DrawsEveryCurveWithItsBandAndEscapesTexts) {
  Results results = sample_results();
  results.experiment.sweep.label = "100 % of a_b & {c}";
  const std::string text = pgfplots_of(chart_of(results));
  expect_whole_tex(text);
  EXPECT_NE(text.find("xlabel={100 \\% of a\\_b \\& \\{c\\}}"), std::string::npos) << text;
  EXPECT_EQ(count(text, "\\addlegendentry"), 4u);
  EXPECT_EQ(count(text, "fill opacity=0.15"), 4u);
  EXPECT_EQ(count(text, "\\addplot"), 8u);
}

TEST(ChartData, HasOneBlockPerCurve) {
  const std::string data = data_of_chart(chart_of(sample_results()));
  EXPECT_EQ(count(data, "# curve: "), 4u);
  EXPECT_EQ(count(data, "x\ty\tlow\thigh\n"), 4u);
  EXPECT_NE(data.find("\n0.5\t85\t80\t89\n"), std::string::npos) << data;
}

}  // namespace
}  // namespace tactus::report
