#include "tactus/report/charts/gnuplot.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "sample_results.hpp"
#include "tactus/base/file.hpp"

namespace tactus::report {
namespace {

constexpr std::string_view kSvgStart = R"(<?xml version="1.0" encoding="utf-8"  standalone="no"?>)";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

class Gnuplot : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string draw(const experiment::Results& results, ChartFormat format) {
    const std::string path = folder_ / "chart";
    if (const auto failed = draw_chart(chart_of(results), format, path)) return failed->message;
    return *read_text_file(path);
  }

  std::filesystem::path folder_;
};

TEST_F(Gnuplot, DrawsEveryFormatTheSameWayTwice) {
  if (const auto why = why_no_charts()) GTEST_SKIP() << *why;
  const auto results = sample_results({"rtgpu", "stgm"}, 2);
  EXPECT_EQ(first_line(draw(results, ChartFormat::kSvg)), kSvgStart);
  EXPECT_EQ(draw(results, ChartFormat::kPdf).substr(0, 5), "%PDF-");
  EXPECT_EQ(draw(results, ChartFormat::kPng).substr(1, 3), "PNG");
  for (ChartFormat format : {ChartFormat::kSvg, ChartFormat::kPdf, ChartFormat::kPng}) {
    EXPECT_EQ(draw(results, format), draw(results, format));
  }
  // No date, so that it is the same tomorrow.
  EXPECT_NE(draw(results, ChartFormat::kPdf).find("(D:20000101000000"), std::string::npos);
}

TEST_F(Gnuplot, DrawsLabelsThatLookLikeCommands) {
  if (const auto why = why_no_charts()) GTEST_SKIP() << *why;
  auto results = sample_results();
  const std::filesystem::path trap = folder_ / "trap";
  results.experiment.sweep.label = "'; system('touch " + trap.string() + "') # `touch " +
                                   trap.string() + "` {/Bold x}_y^z @a \n plot";
  results.experiment.lines[0].label = "$x \\ \" %d <b>&amp; é";
  EXPECT_EQ(first_line(draw(results, ChartFormat::kSvg)), kSvgStart);
  EXPECT_FALSE(std::filesystem::exists(trap));
}

TEST_F(Gnuplot, DrawsWhatHasNoNumbers) {
  if (const auto why = why_no_charts()) GTEST_SKIP() << *why;
  auto results = sample_results();
  for (auto& cell : results.cells) cell.sets = 0;
  EXPECT_EQ(first_line(draw(results, ChartFormat::kSvg)), kSvgStart);
  results.experiment.measure = experiment::Measure::kBound;
  results.experiment.plot.log_y = true;
  EXPECT_EQ(first_line(draw(results, ChartFormat::kSvg)), kSvgStart);
}

TEST_F(Gnuplot, IsMissedInOneLine) {
  const std::string before = getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  const auto why = why_no_charts();
  setenv("PATH", before.c_str(), 1);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("gnuplot"), std::string::npos);
  EXPECT_EQ(why->find('\n'), std::string::npos);
}

}  // namespace
}  // namespace tactus::report
