// docs/use/reproduction.md compares measured times: its numbers are those of the records.
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>

#include "tests/docs/pages.hpp"
#include "tests/support/paths.hpp"

namespace tactus {
namespace {

using namespace docs;

/// Means and standard deviations of the proposed method and of Greedy, in ms.
struct Times {
  double mean, deviation, greedy_mean, greedy_deviation;

  double gain() const { return 100 * (1 - mean / greedy_mean); }
  bool varies_less() const { return deviation < greedy_deviation; }
};

/// "gauss | 4 | 8": graph, mean load, SMs.
using Rows = std::map<std::string, Times>;

const Rows kTables1And2 = {
    {"gauss | 4 | 8", {51.23, 7.47, 65.07, 9.12}},
    {"gauss | 4 | 30", {7.32, 0.33, 7.38, 0.60}},
    {"gauss | 20 | 8", {165.24, 11.36, 167.90, 12.34}},
    {"gauss | 20 | 30", {23.96, 0.99, 28.20, 1.05}},
    {"laplace | 4 | 8", {83.30, 7.20, 104.39, 9.02}},
    {"laplace | 4 | 30", {11.05, 0.14, 11.08, 0.15}},
    {"laplace | 20 | 8", {280.31, 12.17, 306.65, 10.36}},
    {"laplace | 20 | 30", {40.74, 1.43, 44.82, 1.43}},
    {"stencil | 4 | 8", {86.07, 9.13, 106.12, 8.17}},
    {"stencil | 4 | 30", {11.37, 0.15, 11.09, 0.17}},
    {"stencil | 20 | 8", {297.03, 12.12, 324.89, 12.87}},
    {"stencil | 20 | 30", {43.39, 3.11, 48.45, 3.39}},
};

/// graph, load, M, runs, max, mean, std, bound, holds, 2 counts, greedy max, mean, std.
Rows recorded() {
  static const std::regex kRow(
      R"(\n\| ([a-z]+ \| \d+ \| \d+) \| 100 \| [\d.]+ \| ([\d.]+) \| ([\d.]+) \| [\d.]+ \| yes )"
      R"(\| \d+ \| \d+ \| [\d.]+ \| ([\d.]+) \| ([\d.]+) \|)");
  Rows rows;
  const std::string page = text_of(support::source_path("bench/results/h200/plans-2026-11-15.md"));
  for_each_match(page, kRow, [&](const std::smatch& row) {
    rows[row[1]] = {std::stod(row[2]), std::stod(row[3]), std::stod(row[4]), std::stod(row[5])};
  });
  return rows;
}

std::string row_of(const std::string& key, const Times& paper, const Times& here) {
  std::ostringstream row;
  row << std::fixed << std::setprecision(1) << "| " << key << " | " << paper.gain() << " % | "
      << here.gain() << " % | " << (paper.varies_less() ? "yes" : "no") << " | "
      << (here.varies_less() ? "yes" : "no") << " |\n";
  return row.str();
}

TEST(DagRecord, IsWhatTheTableOfThePageSays) {
  const std::string page = text_of(support::source_path("docs/use/reproduction.md"));
  const Rows here = recorded();
  for (const auto& [key, paper] : kTables1And2) {
    ASSERT_TRUE(here.contains(key)) << key;
    const std::string row = row_of(key, paper, here.at(key));
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(DagRecord, HasOneOfTheTwoGainsThatThePaperNamesAndBothTrends) {
  const Rows here = recorded();
  const auto gain = [&](const char* key) { return here.at(key).gain(); };
  constexpr double kTolerance = 5;  // points, ours
  EXPECT_GT(std::abs(gain("gauss | 4 | 8") - 21.3), kTolerance) << "say so on the page";
  EXPECT_NEAR(gain("gauss | 20 | 30"), 15.0, kTolerance);
  EXPECT_LT(gain("gauss | 4 | 30"), gain("gauss | 4 | 8"));
  EXPECT_LT(gain("gauss | 20 | 8"), gain("gauss | 20 | 30"));
}

TEST(DagRecord, IsLowerAndVariesLessInMostRows) {
  int lower = 0, steadier = 0;
  const Rows here = recorded();
  for (const auto& [key, paper] : kTables1And2) {
    lower += here.at(key).gain() > 0 ? 1 : 0;
    steadier += here.at(key).varies_less() ? 1 : 0;
  }
  EXPECT_EQ(lower, 8);
  EXPECT_EQ(steadier, 8);
}

/// Sets, proved sets, and sets without a miss over all utilisations.
TEST(RtgpuRecord, RanMoreSetsWithoutAMissThanTheAnalysisAccepts) {
  static const std::regex kRow(R"(\n\| \d\.\d \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|)");
  int sets = 0, proved = 0, without_miss = 0, broken = 0;
  for_each_match(text_of(support::source_path("bench/results/h200/plans-2026-11-15.md")), kRow,
                 [&](const std::smatch& row) {
                   sets += std::stoi(row[1]);
                   proved += std::stoi(row[2]);
                   without_miss += std::stoi(row[3]);
                   broken += std::stoi(row[4]);
                 });
  EXPECT_EQ(sets, 25);
  EXPECT_EQ(proved, 10);
  EXPECT_EQ(without_miss, 23);
  EXPECT_EQ(broken, 0);
}

}  // namespace
}  // namespace tactus
