#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "tactus/base/file.hpp"
#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/experiment/judge/judge.hpp"
#include "tactus/methods/method.hpp"
#include "tests/support/paths.hpp"

/// The files of experiments/: one for each published figure or table, those of our own methods
/// (boost-), one workload for all methods (common-), those that test an explanation (why-) or what only a printed bound accepts (-safety).
namespace tactus::experiment {
namespace {

const std::filesystem::path kFolder = support::source_path("experiments");

constexpr std::string_view kPublished[] = {
    "gcaps-fig8a",     "gcaps-fig8b",       "gcaps-fig8c",        "gcaps-fig8d",
    "gcaps-fig8e",     "gcaps-fig8f",       "gcaps-fig9a",        "gcaps-table5",
    "gcaps-fig9b",     "gcaps-fig9c",       "gcaps-fig9d",        "gcaps-fig9e",
    "gcaps-fig9f",     "gcaps-readings",    "why-gcaps-fig8b",    "common-protocols",
    "gang-fig8a",      "gang-fig8b",        "gang-fig9",          "gang-fig10",
    "pbs-fig4a",       "pbs-fig4b",         "pbs-fig4c",          "pbs-fig5a",
    "pbs-fig5b",       "pbs-fig5c",         "rtgpu-fig8",         "rtgpu-fig9",
    "rtgpu-fig10",     "rtgpu-fig11",       "dag-fig4",           "dag-fig5",
    "dag-fig6",        "dag-tables",        "dag-safety",         "gcaps-safety",
    "rtgpu-safety",    "why-gang-fig8a",    "boost-acceptance",   "boost-costs",
    "boost-gain",      "boost-best-effort", "common-utilisation", "common-sms",
    "common-share",    "common-neighbours", "common-tightness",   "why-dag-fig4",
    "pbs-fig5a-other",
};

class PublishedExperiment : public testing::TestWithParam<std::string_view> {
 protected:
  static Experiment read() {
    const std::string path = kFolder / (std::string(GetParam()) + ".json");
    const Result<std::string> text = read_text_file(path);
    EXPECT_TRUE(text) << path;
    ReadExperiment result = read_experiment(text ? *text : "{}");
    for (const Diagnostic& diagnostic : result.diagnostics) {
      ADD_FAILURE() << path << ":" << diagnostic.at.line << ": " << diagnostic.message;
    }
    return result.experiment.value_or(Experiment{});
  }
};

/// Reading checks methods, variants, options, recipes, settings and the expressions of the claims.
TEST_P(PublishedExperiment, ReadsWithoutComplaint) { EXPECT_EQ(read().name, GetParam()); }

TEST_P(PublishedExperiment, SaysWhereItWasPublishedAndWhatItClaims) {
  const Experiment experiment = read();
  EXPECT_NE(experiment.paper, "");
  EXPECT_NE(experiment.figure, "");
  EXPECT_FALSE(experiment.claims.empty());
  std::set<std::string> texts;
  for (const Claim& claim : experiment.claims) {
    EXPECT_NE(claim.where, "");
    EXPECT_TRUE(texts.insert(claim.text).second) << "claimed twice: " << claim.text;
    const bool number = claim.paper.relation == Expected::Relation::kNear;
    EXPECT_TRUE(!number || claim.tolerance > 0) << "no number comes out exactly: " << claim.text;
    EXPECT_EQ(claim.deviation.empty(), claim.test.empty())
        << "an explanation names the command that tests it: " << claim.text;
    // Of the baselines of RTGPU no formula is published.
    EXPECT_TRUE(claim.variant.empty() || claim.variant == "released" ||
                experiment.name == "dag-safety" || experiment.name == "gcaps-readings" ||
                experiment.name.starts_with("rtgpu-"))
        << "judged as published where it can be: " << claim.text;
  }
}

/// The command that tests an explanation is one that can be typed: an experiment that there is, a
/// hunt with methods that there are, or a test of this tree.
TEST_P(PublishedExperiment, TestsItsExplanationsByCommandsThatExist) {
  for (const Claim& claim : read().claims) {
    if (claim.test.empty()) continue;
    std::istringstream words(claim.test);
    std::string program, lab, verb, name;
    words >> program >> lab >> verb >> name;
    const bool in_lab = program == "tactus" && lab == "lab";
    if (in_lab && verb == "reproduce") {
      for (; words && !name.starts_with("-"); words >> name) {
        EXPECT_NE(std::find(std::begin(kPublished), std::end(kPublished), name),
                  std::end(kPublished))
            << claim.test;
      }
    } else if (in_lab && verb == "validate") {
      ASSERT_EQ(name, "--method") << claim.test;
      words >> name;
      std::istringstream methods(name);
      for (std::string id; std::getline(methods, id, ',');) {
        EXPECT_NE(find_method(id), nullptr) << claim.test;
      }
    } else {
      constexpr std::string_view kTests = "build/tests/test_methods_";
      ASSERT_TRUE(program.starts_with(kTests)) << claim.test;
      EXPECT_TRUE(std::filesystem::is_directory(
          support::source_path("tests/methods/" + program.substr(kTests.size()))))
          << claim.test;
    }
  }
}

/// A method that cannot take the sets, or a figure that it does not give, would show only as gaps.
TEST_P(PublishedExperiment, IsJudgedByEveryMethod) {
  const Experiment experiment = read();
  const Judge judge(experiment);
  const std::size_t last = judge.points().size() - 1;
  for (const std::size_t point : std::set<std::size_t>{0, last / 2, last}) {
    const auto judged = judge(point, 0, {});
    ASSERT_TRUE(judged);
    for (const Curve& curve : judge.curves()) {
      const CurveVerdict& verdict = judged->curves[curve.index];
      EXPECT_NE(verdict.status, Status::kNotApplicable) << experiment.lines[curve.line].name;
      EXPECT_NE(verdict.status, Status::kUndecided) << experiment.lines[curve.line].name;
      const bool needs_value = experiment.measure == Measure::kFigure ||
                               (experiment.measure == Measure::kBound && !experiment.system);
      EXPECT_TRUE(verdict.value || !needs_value) << experiment.lines[curve.line].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, PublishedExperiment, testing::ValuesIn(kPublished),
                         [](const auto& test) {
                           std::string name(test.param);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(PublishedExperiments, AreAllThatTheFolderHolds) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".json") files.insert(entry.path().stem());
  }
  EXPECT_EQ(files, std::set<std::string>(std::begin(kPublished), std::end(kPublished)));
}

}  // namespace
}  // namespace tactus::experiment
