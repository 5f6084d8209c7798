#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/experiment/judge/judge.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"

namespace tactus::experiment {
namespace {

std::string text(std::string_view swept, std::string_view options = R"("all": true)") {
  return R"json({
  "tactus_experiment": 1, "name": "options", "title": "Options swept",
  "recipe": "pbs-slowdown", "settings": { "n": 3, "model": "table" },
  "sweep": { "label": "x", "set": [")json" +
         std::string(swept) + R"json("], "values": [1, 2, 50] },
  "sets": 2, "measure": "figure", "of": "vertices",
  "lines": [ { "name": "graph", "method": "pbs.graph", "options": { )json" +
         std::string(options) + R"json( } } ]
})json";
}

TEST(OptionSweep, GivesTheOptionToTheMethodAndKeepsTheSets) {
  const ReadExperiment read = read_experiment(text("--up-to-job"));
  ASSERT_TRUE(read.experiment);
  const std::vector<Point> points = points_of(*read.experiment);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].options, (Words{{"up-to-job", "1"}}));
  EXPECT_EQ(points[0].settings.count("--up-to-job"), 0u);
  EXPECT_EQ(points[0].seed, points[2].seed);
  EXPECT_NE(
      key_of(*read.experiment),
      key_of(*read_experiment(text("--up-to-job", R"("all": true, "no-merge": true)")).experiment));

  const Judge judge(*read.experiment);
  const auto first = judge(0, 0, {}), last = judge(2, 0, {});
  ASSERT_TRUE(first && last);
  EXPECT_LT(*first->curves[0].value, *last->curves[0].value);
}

TEST(OptionSweep, IsRefusedWhereNoLineHasTheOption) {
  const ReadExperiment read = read_experiment(text("--requests"));
  EXPECT_FALSE(read.experiment);
  ASSERT_EQ(read.diagnostics.size(), 1u);
  EXPECT_EQ(read.diagnostics[0].message, "no line has an option `--requests` with a value");
}

/// Observation 2 of the gang paper comes out with nothing fitted: what experiments/gang-fig9.json
/// says, with few sets.
TEST(OptionLock, SmlpGivesTheRatiosOfTheGangPaper) {
  struct Published {
    std::string_view share;
    double rm_he, wc_he;
  };
  static constexpr Published kObservation2[] = {
      {"small", 1.24, 1.25}, {"moderate", 2.07, 2.09}, {"heavy", 3.30, 3.32}};
  const Recipe& recipe = *find_recipe("gang-fig9");
  for (const Published& published : kObservation2) {
    double rm_he = 0, wc_he = 0;
    constexpr int kSets = 60, kPoints = 5;
    for (int k = 0; k < kSets * kPoints; ++k) {
      const Words settings = {{"gpu-share", std::string(published.share)},
                              {"block-length", "max/rho"},
                              {"edge-probability", fmt::format("0.{}", 1 + 2 * (k % kPoints))}};
      const System set = *generate(recipe, Settings(recipe.parameters, settings), 9,
                                   static_cast<std::uint64_t>(k));
      const auto bound = [&](std::string_view method, const Words& options) {
        Options given;
        given.variant = "paper";
        given.settings = options;
        given.plan = false;
        return static_cast<double>(
            analyze(*find_method(method), set, given).tasks[0].bound.value().ns());
      };
      const double ours = bound("gang.swc", {});
      rm_he += bound("gang.rm-he", {{"lock", "smlp"}}) / ours / (kSets * kPoints);
      wc_he += bound("gang.wc-he", {{"lock", "smlp"}}) / ours / (kSets * kPoints);
    }
    EXPECT_NEAR(rm_he, published.rm_he, 0.05 * published.rm_he) << published.share;
    EXPECT_NEAR(wc_he, published.wc_he, 0.05 * published.wc_he) << published.share;
  }
}

}  // namespace
}  // namespace tactus::experiment
