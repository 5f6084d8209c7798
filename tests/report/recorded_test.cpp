#include "tactus/report/recorded.hpp"

#include <gtest/gtest.h>

#include "tactus/model/file.hpp"
#include "tests/support/paths.hpp"

namespace tactus::report {
namespace {

std::string file(std::string_view lines, std::string_view more = "") {
  return std::string(R"({"tactus_recorded": 1, "figures": [
{"name": "a", "title": "t", "y": "ms", "points": ["p", "q"], )") +
         std::string(more) + "\n\"lines\": [" + std::string(lines) + "]}]}";
}

std::string complaint(std::string text) {
  const ReadRecorded read = read_recorded(std::move(text));
  EXPECT_FALSE(read.recorded);
  return read.diagnostics.empty() ? "" : to_string(read.diagnostics.front(), "f");
}

TEST(RecordedFigures, BecomeChartsWithOneMarkPerPointAndLine) {
  const ReadRecorded read = read_recorded(
      file(R"({"label": "paper", "values": [4, 2]}, {"label": "here", "values": [5, 8]})"));
  ASSERT_TRUE(read.recorded);
  const Chart chart = chart_of(read.recorded->figures[0]);
  EXPECT_TRUE(chart.categories);
  ASSERT_EQ(chart.panels.size(), 1u);
  ASSERT_EQ(chart.panels[0].curves.size(), 2u);
  EXPECT_EQ(chart.panels[0].curves[1].label, "here");
  EXPECT_EQ(chart.panels[0].curves[1].points[1].y, 8);
  EXPECT_EQ(chart.x_ticks[1].label, "q");
  EXPECT_EQ(chart.y_least, 0);
  EXPECT_GT(chart.y_most, 8);
}

TEST(RecordedFigures, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint(file(R"({"label": "paper", "values": [4]})")),
            "f:3:11: figure `a`: there are 1 values for 2 points");
  EXPECT_EQ(complaint(file(R"({"label": "paper", "values": [4, "x"]})")),
            "f:3:44: figure `a`: lines[0]: `values` must be an array of numbers");
  EXPECT_EQ(complaint(file(R"({"label": "paper", "values": [4, 0]})", R"("log_y": true, )")),
            "f:3:11: figure `a`: a logarithmic axis has values above 0 only");
  EXPECT_NE(complaint(R"({"tactus_recorded": 2, "figures": []})"), "");
  EXPECT_NE(complaint("{"), "");
}

TEST(RecordedFigures, OfTheH200CanBeDrawnAndSayWhereTheyComeFrom) {
  const std::string path = support::source_path("bench/results/h200/figures.json");
  EXPECT_TRUE(looks_recorded(path));
  const ReadRecorded read = read_recorded(*read_text_file(path));
  ASSERT_TRUE(read.recorded);
  for (const RecordedFigure& figure : read.recorded->figures) {
    EXPECT_NE(figure.paper, "");
    EXPECT_NE(figure.figure, "");
    EXPECT_NE(figure.note, "");
    EXPECT_TRUE(read_text_file(support::source_path(figure.source))) << figure.source;
    EXPECT_EQ(chart_of(figure).panels[0].curves.size(), figure.lines.size());
  }
}

TEST(RecordedFigures, AreNotLookedForInAStore) {
  EXPECT_FALSE(looks_recorded(support::source_path("README.md")));
  EXPECT_FALSE(looks_recorded("there-is-no-such-file"));
}

}  // namespace
}  // namespace tactus::report
