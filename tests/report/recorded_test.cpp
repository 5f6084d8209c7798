#include "tactus/report/charts/recorded.hpp"

#include <gtest/gtest.h>

#include "tactus/base/file.hpp"
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

/// A run of two tasks, one of them without bound and deadline, as `tactus run --json` prints it.
std::string run_of(std::string_view tasks) {
  return std::string(
             R"({"tactus": 1, "kind": "observed", "system": "my robot", "producer": "executor", "method": "gang.wc",
"tasks": [)") +
         std::string(tasks) + "]}";
}
constexpr std::string_view kCamera =
    R"({"task": "camera", "jobs": 3, "response": {"mean": 4.5}, "longest": 5, "bound": 6, "deadline": 30})";
constexpr std::string_view kLogger =
    R"({"task": "logger", "jobs": 2, "response": {"mean": 8}, "longest": 9, "bound": null, "deadline": null})";

TEST(RecordedRun, IsAFigureOfWhatWasObservedAndWhatWasProved) {
  const ReadRecorded read =
      read_recorded(run_of(std::string(kCamera) + "," + std::string(kLogger)));
  ASSERT_TRUE(read.recorded);
  const RecordedFigure& figure = read.recorded->figures.at(0);
  EXPECT_EQ(figure.name, "my_robot-gang.wc");
  EXPECT_EQ(figure.points, (std::vector<std::string>{"camera", "logger"}));
  EXPECT_FALSE(figure.log_y);
  const Chart chart = chart_of(figure);
  ASSERT_EQ(chart.panels[0].curves.size(), 4u);
  EXPECT_EQ(chart.panels[0].curves[1].label, "longest");
  EXPECT_EQ(chart.panels[0].curves[1].points[1].y, 9);
  EXPECT_EQ(chart.panels[0].curves[2].label, "bound");
  EXPECT_EQ(chart.panels[0].curves[2].points.size(), 1u) << "the logger has none";
  EXPECT_GT(chart.y_most, 30);
}

TEST(RecordedRun, LeavesOutTasksWithoutJobsAndLinesWithoutValues) {
  const ReadRecorded read = read_recorded(run_of(
      std::string(kLogger) +
      R"(, {"task": "idle", "jobs": 0, "response": {}, "longest": 0, "bound": 1, "deadline": 1})"));
  ASSERT_TRUE(read.recorded);
  EXPECT_EQ(read.recorded->figures[0].points, (std::vector<std::string>{"logger"}));
  EXPECT_EQ(read.recorded->figures[0].lines.size(), 2u);
}

TEST(RecordedRun, HasALogarithmicAxisWhereTasksDifferMuch) {
  const ReadRecorded read = read_recorded(
      run_of(std::string(kCamera) +
             R"(, {"task": "slow", "jobs": 1, "response": {"mean": 900}, "longest": 900})"));
  ASSERT_TRUE(read.recorded);
  EXPECT_TRUE(read.recorded->figures[0].log_y);
}

TEST(RecordedRun, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint(run_of("")), "f:1:1: no task of this run has a job");
  EXPECT_EQ(complaint(run_of("3")), "f:2:11: a task of a run has `task` and `response`");
  EXPECT_EQ(
      complaint(run_of(R"({"task": "a", "jobs": 1, "response": {"mean": "x"}, "longest": -2})")),
      "f:2:57: `mean` must be a number >= 0");
}

TEST(RecordedFigures, AreNotLookedForInAStore) {
  EXPECT_FALSE(looks_recorded(support::source_path("README.md")));
  EXPECT_FALSE(looks_recorded("there-is-no-such-file"));
}

}  // namespace
}  // namespace tactus::report
