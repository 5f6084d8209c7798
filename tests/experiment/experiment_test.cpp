#include "tactus/experiment/describe/experiment.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tactus/base/file.hpp"
#include "tests/support/paths.hpp"

namespace tactus::experiment {
namespace {

constexpr std::string_view kSmall = R"json({
  "tactus_experiment": 1, "name": "small", "title": "A small one",
  "recipe": "gcaps-table3", "settings": { "cpus": 2 },
  "sweep": { "label": "U", "set": ["util-min", "util-max"], "values": [0.1, 0.2] },
  "cases": [ { "name": "few", "set": { "tasks-max": 4 } }, { "name": "many", "set": { "cpus": 3 } } ],
  "sets": 3,
  "lines": [ { "name": "ours", "method": "gcaps.suspend", "variants": ["safe", "paper"] },
             { "method": "mpcp.busy" } ],
  "claims": [ { "text": "better", "paper": "> 0", "ours": "mean(ours - mpcp.busy)"
} ]
})json";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

Experiment read(std::string text) {
  ReadExperiment result = read_experiment(std::move(text));
  for (const Diagnostic& problem : result.diagnostics) {
    ADD_FAILURE() << to_string(problem, "file");
  }
  return result.experiment.value_or(Experiment{});
}

/// The first complaint about the small experiment after a change.
std::string complaint(std::string_view what, std::string_view by) {
  const ReadExperiment result = read_experiment(replaced(std::string(kSmall), what, by));
  EXPECT_FALSE(result.experiment);
  return result.diagnostics.empty() ? "none" : to_string(result.diagnostics.front(), "f");
}

TEST(ReadExperiment, TakesEveryBundledFile) {
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(support::source_path("experiments"))) {
    if (entry.path().extension() != ".json") continue;  // coverage.tsv
    SCOPED_TRACE(entry.path());
    const Experiment experiment = read(*read_text_file(entry.path()));
    EXPECT_EQ(experiment.name + ".json", entry.path().filename());
    EXPECT_TRUE(names.insert(experiment.name).second);
    EXPECT_FALSE(experiment.claims.empty());
  }
  EXPECT_FALSE(names.empty());
}

TEST(ReadExperiment, FillsInWhatIsLeftOut) {
  const Experiment experiment = read(std::string(kSmall));
  EXPECT_EQ(experiment.lines[1].name, "mpcp.busy");
  EXPECT_EQ(experiment.lines[1].label, "mpcp.busy");
  EXPECT_EQ(experiment.lines[1].variants, std::vector<std::string>{"safe"});
  EXPECT_EQ(experiment.cases[0].label, "few");
  EXPECT_EQ(experiment.seed, 1);
  EXPECT_EQ(experiment.measure, Measure::kAccepted);
}

TEST(ReadExperiment, SaysWhatIsWrongOnce) {
  const auto result = read_experiment(replaced(std::string(kSmall), "\"cpus\": 3", "\"cpus\": 0"));
  EXPECT_EQ(result.diagnostics.size(), 1u);
}

TEST(ReadExperiment, RefusesAVariantThatNoLineHas) {
  EXPECT_EQ(complaint("\"paper\": \"> 0\"", "\"variant\": \"papr\", \"paper\": \"> 0\""),
            "f:9:46: claims[0]: no line has a variant `papr`; did you mean `paper`?");
  EXPECT_EQ(complaint("\"sets\": 3", "\"sets\": 3, \"plot\": { \"variants\": [\"tight\"] }"),
            "f:6:37: plot: no line has a variant `tight`");
}

TEST(ReadExperiment, RefusesALogarithmicAxisForWhatIsNotPositive) {
  constexpr std::string_view kComplaint =
      "f:6:33: plot: there is no place for the point `0` on a logarithmic axis; its points are "
      "numbers above 0";
  std::string text = replaced(std::string(kSmall), "0.2]", "0]");
  text = replaced(text, "\"sets\": 3", "\"sets\": 3, \"plot\": { \"log_x\": true }");
  const ReadExperiment read = read_experiment(text);
  ASSERT_EQ(read.diagnostics.size(), 1u);
  EXPECT_EQ(to_string(read.diagnostics.front(), "f"), kComplaint);
}

TEST(ReadExperiment, RefusesMorePointsThanAnybodyWaitsFor) {
  std::string values;
  for (int i = 0; i < 5001; ++i) values += "0." + std::to_string(100'000 + i) + ", ";
  EXPECT_EQ(complaint("0.1, 0.2]", values + "0.9]"),
            "f:4:71: that makes 10004 points; an experiment has at most 10000");
}

TEST(ReadExperiment, RefusesToWeighOrCompareWhatDoesNotGoTogether) {
  EXPECT_EQ(complaint("mean(ours - mpcp.busy)", "weighted(ours)"),
            "f:9:59: claims[0]: `ours`, character 1: weighted needs one case; name it in braces");
  EXPECT_EQ(complaint("mean(ours - mpcp.busy)", "weighted(ours{few}[0.1])"),
            "f:9:59: claims[0]: `ours`, character 1: weighted needs a whole curve, without [x]");
  EXPECT_EQ(complaint("mean(ours - mpcp.busy)", "max(spread(ours))"),
            "f:9:59: claims[0]: `ours`, character 5: spread needs a measure that gives every set a "
            "number");
  EXPECT_EQ(complaint("mean(ours - mpcp.busy)", "lost(ours{few}, mpcp.busy{many})"),
            "f:9:59: claims[0]: `ours`, character 1: lost compares two curves at the same points");
}

TEST(ReadExperiment, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint("\"sets\": 3", "\"sets\": 0"),
            "f:6:11: `sets` must be an integer >= 1, got 0");
  EXPECT_EQ(complaint("\"sets\"", "\"stes\""),
            "f:1:1: `sets` is missing, which goes with `recipe`");
  EXPECT_EQ(complaint("gcaps-table3", "gcaps-table4"),
            "f:3:13: there is no recipe `gcaps-table4`; did you mean `gcaps-table3`?");
  EXPECT_EQ(complaint("\"cpus\": 2", "\"cpu\": 2"),
            "f:3:43: recipe gcaps-table3 has no parameter `cpu`; did you mean `cpus`?");
  EXPECT_EQ(complaint("\"util-min\"", "\"util-mn\""),
            "f:4:36: recipe gcaps-table3 has no parameter `util-mn`; did you mean `util-min`?");
  EXPECT_EQ(complaint("0.2]", "2]"),
            "f:4:77: at `2`, case `few`: parameter `util-min` must be a number in [0, 1], got `2`");
  EXPECT_EQ(complaint("\"cpus\": 2", "\"cpus\": 0"),
            "f:3:51: parameter `cpus` must be a whole number in [1, 1024], got `0`");
  EXPECT_EQ(complaint("\"cpus\": 3", "\"cpus\": \"few\""),
            "f:5:95: parameter `cpus` must be a whole number in [1, 1024], got `few`");
  EXPECT_EQ(complaint("0.2]", "0.1]"), "f:4:77: sweep: `0.1` is listed twice in `values`");
  EXPECT_EQ(complaint("\"many\"", "\"few\""), "f:5:60: there are two cases named `few`");
  EXPECT_EQ(complaint("mpcp.busy", "mpcp.bsy"),
            "f:8:26: lines[1]: there is no method `mpcp.bsy`; did you mean `mpcp.busy`?");
  EXPECT_EQ(
      complaint("\"paper\"]", "\"papers\"]"),
      "f:7:14: line `ours`: gcaps.suspend has no variant `papers`; it has safe, safe-arbiter, "
      "safe-inherit, paper");
  EXPECT_EQ(complaint("\"mpcp.busy\" }", "\"mpcp.busy\", \"options\": { \"k\": 1 } }"),
            "f:8:52: lines[1]: mpcp.busy has no option `k`");
  EXPECT_EQ(complaint("mean(ours", "mean(our"),
            "f:9:59: claims[0]: `ours`, character 6: there is no line `our`; did you mean `ours`?");
  EXPECT_EQ(
      complaint("\"> 0\"", "\"! 0\""),
      "f:9:44: claims[0]: `paper` must be a number, an inequality such as \"> 0\", or null, got "
      "the text `! 0`");
  EXPECT_EQ(complaint("\"> 0\"", "\"> 0\", \"basis\": \"fitted\""),
            "f:9:60: claims[0]: `basis` `fitted` needs a `basis_note`: fitted, chosen among or "
            "sampled what?");
  EXPECT_EQ(complaint("\"> 0\"", "\"> 0\", \"basis_note\": \"3.7\""),
            "f:9:65: claims[0]: `basis_note` goes with `basis`, which it explains");
  EXPECT_EQ(
      complaint("\"name\": \"small\"", "\"name\": \"../small\""),
      "f:2:35: `name` must be a letter, then letters, digits, `.`, `-` and `_`, got `../small`");
  EXPECT_EQ(complaint("\"recipe\": \"gcaps-table3\",", ""),
            "f:1:1: an experiment has exactly one of `recipe`, `files` and `system`");
  EXPECT_EQ(complaint("\"sets\": 3", "\"sets\": 3, \"relative_to\": \"ours\""),
            "f:6:29: `relative_to` goes with the measure `bound` only");
  EXPECT_EQ(complaint("\"sets\": 3", "\"sets\": 3, \"measure\": \"figure\""),
            "f:1:1: the measure `figure` needs `of`, at least for line `ours`");
  EXPECT_EQ(complaint("\"title\"", "\"titel\""), "f:1:1: `title` is missing");
}

TEST(PointsOf, GoThroughTheCasesWithTheMostSpecialSetting) {
  const std::vector<Point> points = points_of(read(std::string(kSmall)));
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].x, "0.2");
  EXPECT_EQ(points[1].settings,
            (Words{{"cpus", "2"}, {"tasks-max", "4"}, {"util-max", "0.2"}, {"util-min", "0.2"}}));
  EXPECT_EQ(points[2].case_index, 1U);
  EXPECT_EQ(points[2].settings.at("cpus"), "3");
}

TEST(PointsOf, KeepTheirSeedsWhenOtherPointsGo) {
  const std::vector<Point> all = points_of(read(std::string(kSmall)));
  const std::vector<Point> rest =
      points_of(read(replaced(std::string(kSmall), "[0.1, 0.2]", "[0.2]")));
  EXPECT_EQ(rest[0].seed, all[1].seed);
  EXPECT_EQ(rest[1].seed, all[3].seed);
  EXPECT_NE(all[0].seed, all[1].seed);
  EXPECT_NE(all[0].seed, all[2].seed);
}

TEST(KeyOf, ChangesWithWhatDecidesTheResultsOnly) {
  const std::string text(kSmall);
  const std::string key = key_of(read(text));
  EXPECT_EQ(key, key_of(read(replaced(text, "A small one", "Another title"))));
  EXPECT_EQ(key, key_of(read(replaced(text, "> 0", "< 0"))));
  EXPECT_EQ(key, key_of(read(replaced(text, "\"sets\": 3", "\"sets\": 4"))));
  EXPECT_NE(key, key_of(read(replaced(text, "\"sets\": 3", "\"sets\": 3, \"seed\": 2"))));
  EXPECT_NE(key, key_of(read(replaced(text, "\"cpus\": 2", "\"cpus\": 4"))));
  EXPECT_NE(
      key,
      key_of(read(replaced(text, "mpcp.busy\" }", "mpcp.suspend\", \"name\": \"mpcp.busy\" }"))));
}

}  // namespace
}  // namespace tactus::experiment
