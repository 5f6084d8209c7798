#include "tactus/experiment/results/paired.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tactus/experiment/describe/intervals.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/paired.hpp"
#include "tests/experiment/support.hpp"

/// Which sets one method accepts and another does not.
namespace tactus::experiment {
namespace {

std::string file_of(int version, const std::string& lines) {
  return R"({"tactus_experiment": )" + std::to_string(version) + R"(, "name": "costs", "title": "t",
  "recipe": "gcaps-table3", "settings": { "cpus": 2 },
  "sweep": { "label": "U", "set": ["util-min", "util-max"], "values": [0.2, 0.4] },
  "cases": [ { "name": "cheap", "set": { "runlist-update": 0.1 } },
             { "name": "dear", "set": { "runlist-update": 2 } } ],
  "sets": 40, "lines": [ )" +
         lines + "]}";
}
const std::string kLines =
    R"({ "name": "gcaps", "method": "gcaps.suspend" }, { "name": "mpcp", "method": "mpcp.suspend" })";

Results results_of(const std::string& folder) {
  auto all = read_results(folder);
  EXPECT_TRUE(all);
  return all ? std::move(all->front()) : Results{};
}

TEST(CommonSets, DifferOnlyInWhatTheCasesSet) {
  const Experiment experiment = wanted(file_of(2, kLines)).experiment;
  const auto points = points_of(experiment);
  EXPECT_EQ(points[0].seed, points[2].seed);
  EXPECT_NE(points[0].seed, points[1].seed);
  const Recipe& recipe = *find_recipe(experiment.recipe);
  const auto set_at = [&](std::size_t point) {
    System set = *generate(recipe, Settings(recipe.parameters, points[point].settings),
                           points[point].seed, 3);
    for (Element& element : set.platform.elements) element.runlist_update = {};
    return write_system_line(set);
  };
  EXPECT_EQ(set_at(0), set_at(2));
  EXPECT_NE(set_at(0), set_at(1));
}

/// Stores and experiments of version 1 keep their sets.
TEST(CommonSets, AreNotThoseOfVersion1) {
  const auto points = points_of(wanted(file_of(1, kLines)).experiment);
  EXPECT_NE(points[0].seed, points[2].seed);
}

TEST(CommonSets, AlsoServeCasesThatSetAnOption) {
  const std::string text = R"({"tactus_experiment": 2, "name": "options", "title": "t",
    "recipe": "gang-fig9", "sweep": { "label": "p", "set": ["edge-probability"], "values": [0.1] },
    "cases": [ { "name": "few", "set": { "--requests": 1 } },
               { "name": "many", "set": { "--requests": 9 } } ],
    "sets": 3, "lines": [ { "method": "gang.rm-he" } ] })";
  const auto points = points_of(wanted(text).experiment);
  EXPECT_EQ(points[0].seed, points[1].seed);
  EXPECT_EQ(points[1].options, (Words{{"requests", "9"}}));
  std::string wrong = text;
  wrong.replace(wrong.find("--requests"), 10, "--request");
  const auto read = read_experiment(wrong);
  ASSERT_FALSE(read.experiment);
  EXPECT_EQ(read.diagnostics.front().message, "case `few`: no line has an option `--request`");
}

TEST(Compare, CountsWhatOneAcceptsAndTheOtherDoesNot) {
  const Folder folder;
  ASSERT_TRUE(run(request_for(folder.path(), file_of(2, kLines))));
  const Results results = results_of(folder.path());
  const auto comparison = compare(folder.path(), results, "gcaps", "mpcp");
  ASSERT_TRUE(comparison) << comparison.error().message;
  ASSERT_EQ(comparison->points.size(), 4u);
  for (std::size_t point = 0; point < 4; ++point) {
    const PairCounts& counts = comparison->points[point].counts;
    EXPECT_EQ(counts.sets(), 40);
    EXPECT_EQ(counts.only_a, results.lost[(point * 2 + 1) * 2 + 0]);
    EXPECT_EQ(counts.only_b, results.lost[(point * 2 + 0) * 2 + 1]);
    EXPECT_EQ(counts.both + counts.only_a, results.cell(point, 0).accepted);
  }
  EXPECT_GT(comparison->total.only_a + comparison->total.only_b, 0);
}

/// Higher costs never help: paired sets show it without any noise.
TEST(Compare, TakesCasesWithCommonSets) {
  const Folder folder;
  ASSERT_TRUE(run(request_for(folder.path(), file_of(2, kLines))));
  const Results results = results_of(folder.path());
  const auto comparison = compare(folder.path(), results, "gcaps{cheap}", "gcaps{dear}");
  ASSERT_TRUE(comparison) << comparison.error().message;
  EXPECT_EQ(comparison->points.size(), 2u);
  EXPECT_GT(comparison->total.only_a, 0);
  EXPECT_EQ(comparison->total.only_b, 0);
  EXPECT_EQ(comparison->total.sets(), 80);
}

TEST(Compare, RefusesWhatIsNotPaired) {
  const Folder folder;
  ASSERT_TRUE(run(request_for(folder.path(), file_of(1, kLines))));
  const Results results = results_of(folder.path());
  const auto message = [&](const char* a, const char* b) {
    const auto comparison = compare(folder.path(), results, a, b);
    return comparison ? "none" : comparison.error().message;
  };
  EXPECT_EQ(message("gcaps{cheap}", "gcaps{dear}"),
            "`gcaps{cheap}` and `gcaps{dear}` are not judged on the same sets; cases have common "
            "sets in experiments with \"common_sets\": true");
  EXPECT_EQ(message("gcaps{cheap}", "mpcp"), "name a case for both curves, or for none");
  EXPECT_EQ(message("gcap", "mpcp"), "there is no line `gcap`; did you mean `gcaps`?");
  EXPECT_EQ(message("gcaps+mpcp", "mpcp"),
            "`gcaps+mpcp` is not written as line, line:variant or line{case}");
  EXPECT_EQ(message("gcaps{cheap}", "mpcp{cheap}"), "none");
}

/// A method that does not cover the sets has no percentage at all.
TEST(NotApplicable, IsCountedApartWithItsFirstReason) {
  const Folder folder;
  ASSERT_TRUE(run(request_for(
      folder.path(), file_of(2, kLines + R"(, { "name": "dag", "method": "dag.balanced" })"), 3)));
  const Results results = results_of(folder.path());
  const Cell& cell = results.cell(0, 2);
  EXPECT_EQ(cell.not_applicable, 40);
  EXPECT_EQ(cell.values, 0);
  EXPECT_TRUE(std::isnan(cell.y));
  EXPECT_TRUE(std::isnan(results.weighted_of(0, 2).percent));
  EXPECT_TRUE(results.reasons[0].empty());
  EXPECT_FALSE(results.reasons[2].empty());
  EXPECT_EQ(results.lost[(0 * 3 + 2) * 3 + 0], 0) << "what does not apply is not worse";
  const std::string text = report::points_text(results, {});
  EXPECT_NE(text.find("n/a"), std::string::npos) << text;
  EXPECT_NE(text.find("  dag (safe): not applicable to 160 of 160 sets, which do not count: " +
                      results.reasons[2]),
            std::string::npos)
      << text;
  const auto comparison = compare(folder.path(), results, "gcaps", "dag");
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->total.not_applicable, 160);
  EXPECT_EQ(comparison->total.sets(), 0);
}

TEST(Weighted, HasAnIntervalAroundIt) {
  const Folder folder;
  ASSERT_TRUE(run(request_for(folder.path(), file_of(2, kLines))));
  const Results results = results_of(folder.path());
  for (std::size_t in = 0; in < 2; ++in) {
    for (std::size_t curve = 0; curve < 2; ++curve) {
      const Weighted& weighted = results.weighted_of(in, curve);
      EXPECT_EQ(weighted.sets, 80);
      EXPECT_LT(weighted.low, weighted.high);
      EXPECT_LE(weighted.low, weighted.percent + 1e-9);
      EXPECT_GE(weighted.high, weighted.percent - 1e-9);
    }
  }
}

}  // namespace
}  // namespace tactus::experiment
