// A method that is added in one place (tests/toy/toy.cpp) works in every verb.
#include <gtest/gtest.h>

#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"
#include "tests/model/schema_validator.hpp"

namespace tactus::cli {
namespace {

const std::string kGraph = source_path("examples/dag-example.system.json");

Ran toy(const std::vector<std::string>& arguments) { return run_program(TACTUS_TOY, arguments); }

/// The example without its deadline, which is tight.
std::string slow_graph(const TemporaryFolder& folder) {
  std::string text = slurp(kGraph);
  const std::string tight = R"("period": 5, "deadline": 5)";
  text.replace(text.find(tight), tight.size(), R"("period": 20)");
  return folder.file("graph.system.json", text);
}

std::optional<std::string> violation_of(const std::string& schema, const std::string& document) {
  const auto form = json::Document::parse(schema), said = json::Document::parse(document);
  return violation(std::get<json::Document>(form).root(), std::get<json::Document>(said).root());
}

TEST(ToyMethod, IsListedAnalysedAndCompleted) {
  EXPECT_TRUE(contains(toy({"methods"}).out, "toy.doubled"));
  EXPECT_EQ(toy({"methods", "toy.doubled"}).exit_code, 0);
  const Ran ran = toy({"analyze", kGraph, "-m", "toy.doubled,dag.graham", "--json"});
  EXPECT_TRUE(contains(ran.out, "\"method\": \"toy.doubled\"")) << ran.out << ran.err;
  EXPECT_TRUE(contains(ran.out, "the same again")) << ran.out;
  EXPECT_TRUE(contains(toy({"complete", "--", "analyze", "-m", "toy"}).out, "toy.doubled"));
  EXPECT_TRUE(
      contains(toy({"complete", "--", "analyze", "-m", "toy.doubled", "--to"}).out, "--toys"))
      << "its options too";
  EXPECT_FALSE(contains(run_tactus({"methods"}).out, "toy")) << "only in its own program";
}

TEST(ToyMethod, MakesAPlanThatIsCheckedSimulatedAndRun) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("toy.plan.json");
  const std::string graph = slow_graph(folder);
  EXPECT_EQ(toy({"plan", graph, "-m", "toy.doubled", "-o", plan}).exit_code, 0);
  EXPECT_EQ(toy({"plan", graph, "--check", plan}).exit_code, 0);
  EXPECT_EQ(toy({"simulate", graph, "--plan", plan, "--jobs", "3"}).exit_code, 0);
  EXPECT_EQ(toy({"simulate", graph, "--policy", "toy.doubled", "--jobs", "3"}).exit_code, 0);
  EXPECT_EQ(toy({"run", graph, "--plan", plan, "--jobs", "3"}).exit_code, 0);
  const Ran ran = toy({"run", graph, "-m", "toy.doubled", "--jobs", "3", "--json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "toy.doubled")) << ran.out;
}

TEST(ToyMethod, HasAPlanWithKeysOfItsOwnThatTheSchemasKnow) {
  const TemporaryFolder folder;
  const std::string graph = slow_graph(folder);
  const std::string plan = toy({"plan", graph, "-m", "toy.watched", "--json"}).out;
  EXPECT_TRUE(contains(plan, "\"toys\": 3")) << plan;
  const std::string form = toy({"schema", "plan"}).out;
  EXPECT_EQ(violation_of(form, plan), std::nullopt) << plan;
  EXPECT_TRUE(violation_of(run_tactus({"schema", "plan"}).out, plan)) << "only in its own program";
  std::string wrong = plan;
  wrong.replace(wrong.find("\"toys\": 3"), 9, "\"toys\": \"many\"");
  EXPECT_TRUE(violation_of(form, wrong));
  const std::string verdict = toy({"analyze", graph, "-m", "toy.watched", "--json"}).out;
  EXPECT_TRUE(contains(verdict, "\"joy\": 6")) << "a figure of its own";
  EXPECT_EQ(violation_of(toy({"schema", "verdict"}).out, verdict), std::nullopt) << verdict;
}

TEST(ToyMethod, HasABehaviourOfItsOwnThatIsCheckedSimulatedRunAndSearched) {
  const TemporaryFolder folder;
  const std::string graph = slow_graph(folder), plan = folder.file("toy.plan.json");
  EXPECT_EQ(toy({"plan", graph, "-m", "toy.watched", "-o", plan}).exit_code, 0);
  EXPECT_EQ(toy({"plan", graph, "--check", plan}).exit_code, 0);
  EXPECT_EQ(toy({"simulate", graph, "--plan", plan, "--jobs", "3"}).exit_code, 0);
  const Ran run = toy({"run", graph, "--plan", plan, "--jobs", "3", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(violation_of(toy({"schema", "observed"}).out, run.out), std::nullopt);
  EXPECT_EQ(toy({"lab", "validate", "-m", "toy.watched", "--count", "5", "--runs", "2"}).exit_code,
            0);
  std::string text = slurp(plan);
  text.replace(text.find("\"toys\": 3"), 9, "\"toys\": 0");
  EXPECT_EQ(toy({"plan", graph, "--check", folder.file("none.json", text)}).exit_code, 1);
}

TEST(ToyMethod, IsValidatedAndCaughtWhereItIsWrong) {
  const std::vector<std::string> hunt = {"lab", "validate", "--count", "30", "--runs", "2", "-m"};
  auto right = hunt, wrong = hunt;
  right.emplace_back("toy.doubled");
  wrong.emplace_back("toy.halved");
  EXPECT_EQ(toy(right).exit_code, 0);
  EXPECT_EQ(toy(wrong).exit_code, 1) << "a hunt that cannot catch this shows nothing";
}

TEST(ToyMethod, TakesPartInExperiments) {
  const TemporaryFolder folder;
  const std::string experiment = folder.file("toy.experiment.json", R"({
    "tactus_experiment": 1, "name": "toy", "title": "A toy", "paper": "none", "figure": "none",
    "recipe": "dag-layered", "settings": { "p": 4, "load": 9 },
    "sweep": { "label": "SMs", "set": ["sms"], "values": [2, 3] },
    "sets": 4, "measure": "bound",
    "lines": [ { "name": "toy", "label": "Toy", "method": "toy.doubled" },
               { "name": "graham", "label": "Graham", "method": "dag.graham" } ] })");
  const Ran ran = toy({"lab", "reproduce", experiment, "-o", folder.file("out"), "--no-figures"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const Ran results = toy({"lab", "results", folder.file("out"), "--csv"});
  EXPECT_TRUE(contains(results.out, "toy.doubled")) << results.out << results.err;
  const Ran plot =
      toy({"lab", "plot", folder.file("out"), "--format", "svg", "-o", folder.file("drawn")});
  if (plot.exit_code == 3) GTEST_SKIP() << "there is no gnuplot here";
  EXPECT_EQ(plot.exit_code, 0) << plot.err;
  EXPECT_TRUE(contains(slurp(folder.file("drawn") + "/toy.svg"), "Toy"));
}

/// Nobody is told about lock protocols who asks for a toy.
TEST(ToyMethod, IsRefusedForAReasonThatIsTrueOfIt) {
  const auto simulated = [](const std::string& method) {
    const Ran ran = toy({"simulate", kGraph, "--policy", method});
    EXPECT_EQ(ran.exit_code, 3) << ran.err;
    return ran.err;
  };
  EXPECT_EQ(simulated("toy.silent"),
            "tactus: there is no policy behind toy.silent to simulate: how its jobs behave at run "
            "time is not described\n");
  EXPECT_EQ(simulated("toy.dancing"),
            "tactus: there is no policy behind toy.dancing to simulate: a policy for the behaviour "
            "`dance` is missing\n");
  EXPECT_EQ(simulated("toy.shy"),
            "tactus: there is no policy behind toy.shy to simulate: toys do not move while one "
            "looks\n");
  const Ran run = toy({"run", kGraph, "-m", "toy.dancing"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.err,
            "tactus: plans of toy.dancing are not run here: an executor for the behaviour `dance` "
            "is missing\n");
  const Ran validated = toy({"lab", "validate", "-m", "toy.at-home"});
  EXPECT_EQ(validated.exit_code, 3);
  EXPECT_EQ(validated.err,
            "tactus: toy.at-home does not say in which systems to look for violations\n");
}

}  // namespace
}  // namespace tactus::cli
