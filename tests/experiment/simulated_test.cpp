#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tactus/base/file.hpp"
#include "tactus/experiment/results/results.hpp"
#include "tests/experiment/support.hpp"
#include "tests/support/paths.hpp"

/// Measures that simulate what a method accepts.
namespace tactus::experiment {
namespace {

std::string file_of(std::string_view measure, std::string_view recipe, std::string_view sweep,
                    std::string_view lines) {
  return fmt::format(R"({{"tactus_experiment":1,"name":"seen","title":"t","recipe":"{}",
"sweep":{},"sets":20,"measure":"{}","simulation":{{"runs":8,"jobs":3}},"lines":[{}]}})",
                     recipe, sweep, measure, lines);
}

constexpr std::string_view kSms = R"({"label":"SMs","set":["sms"],"values":[8]})";
constexpr std::string_view kLoad =
    R"({"label":"U","set":["util-min","util-max"],"values":[0.2,0.3]})";

Results results_of(const std::string& file, int threads = 1) {
  const Folder folder;
  EXPECT_TRUE(run(request_for(folder.path(), file, threads)));
  const auto all = read_results(folder.path());
  EXPECT_TRUE(all);
  return all ? all->front() : Results{};
}

TEST(Missed, SeesThatThePrintedPlanOfAGraphExceedsItsBoundAndTheSafeOneDoesNot) {
  const Results results = results_of(file_of(
      "missed", "dag-layered", kSms, R"({"method":"dag.balanced","variants":["safe","paper"]})"));
  EXPECT_EQ(results.cell(0, 0).values, 20);
  EXPECT_EQ(results.cell(0, 0).y, 0);
  EXPECT_EQ(results.cell(0, 1).values, 20);
  EXPECT_GT(results.cell(0, 1).y, 20);
  EXPECT_LE(results.cell(0, 1).high, 100);
}

TEST(Missed, CountsForThePrintedVariantWhatOnlyThatAccepts) {
  const Results results =
      results_of(file_of("missed", "gcaps-table3", kLoad,
                         R"({"method":"gcaps.suspend","variants":["safe","paper"]})"));
  for (const Point& point : results.points) {
    const Cell &safe = results.cell(point.index, 0), &paper = results.cell(point.index, 1);
    EXPECT_EQ(safe.values, safe.accepted);
    EXPECT_EQ(paper.values, results.lost[(point.index * 2 + 0) * 2 + 1]);
    EXPECT_TRUE(safe.values == 0 || safe.y == 0) << "a safe bound was exceeded";
  }
}

TEST(Tightness, IsAtLeastOneForASafeBound) {
  const Results results =
      results_of(file_of("tightness", "gcaps-table3", kLoad, R"({"method":"mpcp.suspend"})"));
  for (const Point& point : results.points) {
    const Cell& cell = results.cell(point.index, 0);
    ASSERT_EQ(cell.values, cell.accepted);
    ASSERT_GT(cell.values, 0);
    EXPECT_GE(cell.least, 1);
    EXPECT_LT(cell.y, 10);
  }
}

/// An experiment of examples/, with fewer sets.
std::string example(const std::string& name) {
  std::string text = *read_text_file(support::source_path("examples/" + name + ".experiment.json"));
  const std::string sets = "\"sets\": 100";
  text.replace(text.find(sets), sets.size(), "\"sets\": 5");
  return text;
}

TEST(Tightness, OfChainsIsTheirBoundByTheLongestReactionOrAge) {
  const Results results = results_of(example("chains"));
  for (const Point& point : results.points) {
    for (std::size_t curve = 0; curve < 4; ++curve) {
      const Cell& cell = results.cell(point.index, curve);
      ASSERT_EQ(cell.values, cell.accepted);
      if (cell.values == 0) continue;
      EXPECT_GE(cell.least, 1);
      EXPECT_LT(cell.y, 5);
    }
  }
  EXPECT_GT(results.cell(0, 0).values, 0);
}

TEST(Examples, ShowThatLessIsAcceptedTheMoreJobsAreLate) {
  const Results results = results_of(example("jitter"));
  for (std::size_t curve = 0; curve < 4; ++curve) {
    EXPECT_GE(results.cell(0, curve).accepted, results.cell(5, curve).accepted) << curve;
  }
  EXPECT_GT(results.cell(0, 0).accepted, 0);
}

TEST(Simulated, IsTheSameWithAnyNumberOfThreads) {
  const std::string file = file_of("tightness", "gcaps-table3", kLoad, R"({"method":"fmlp.busy"})");
  const Folder alone, several;
  ASSERT_TRUE(run(request_for(alone.path(), file)));
  ASSERT_TRUE(run(request_for(several.path(), file, 4)));
  EXPECT_EQ(dump(alone.path()), dump(several.path()));
}

std::string complaint(std::string_view lines, std::string_view measure = "missed") {
  const ReadExperiment read = read_experiment(file_of(measure, "gang-fig9", kSms, lines));
  return read.experiment ? "" : read.diagnostics.front().message;
}

TEST(Simulated, RefusesWhatCannotBeSimulatedOrCompared) {
  EXPECT_NE(complaint(R"({"method":"gang.rm-he"})").find("cannot be simulated"), std::string::npos);
  EXPECT_EQ(complaint(R"({"method":"gang.swc","variants":["paper"]})"),
            "the first variant of line `gang.swc` must be `safe`, with which the others are "
            "compared");
  EXPECT_EQ(complaint(R"({"method":"gang.swc"})", "bound"),
            "`simulation` goes with the measures `missed` and `tightness` only");
  std::string of = file_of("tightness", "gcaps-table3", kLoad, R"({"method":"mpcp.suspend"})");
  of.insert(1, R"("of":"tasks",)");
  EXPECT_EQ(read_experiment(of).diagnostics.front().message,
            "`of` `tasks`: with the measure `tightness` it can be `chains` only");
}

}  // namespace
}  // namespace tactus::experiment
