#include <gtest/gtest.h>

#include "tactus/experiment/experiment.hpp"
#include "tactus/experiment/judge.hpp"

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

}  // namespace
}  // namespace tactus::experiment
