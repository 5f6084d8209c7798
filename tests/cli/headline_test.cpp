// What is said first: proved and runs here, proved but needs something, or not proved; and what no
// proof covers.
#include <gtest/gtest.h>

#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kAmr = source_path("tests/data/cover/amr.system.json");

json::Document parsed(const std::string& text) {
  auto document = json::Document::parse(text);
  EXPECT_TRUE(std::holds_alternative<json::Document>(document)) << text;
  return std::get<json::Document>(std::move(document));
}

std::string state(const std::vector<std::string>& words) {
  std::vector<std::string> all = {"analyze", "--json"};
  all.insert(all.end(), words.begin(), words.end());
  const json::Document document = parsed(run_tactus(all).out);
  return std::string(document.root().find("headline")->find("state")->text());
}

TEST(Headline, TellsAChainThatIsTooLongFromADeadlineThatIsMissed) {
  const std::string file = source_path("examples/warehouse-pipeline.system.json");
  const auto text = [&](const std::string& change) {
    const Ran ran = run_tactus({"analyze", file, "--json", "--set", change});
    EXPECT_EQ(ran.exit_code, 1);
    return std::string(parsed(ran.out).root().find("headline")->find("text")->text());
  };
  EXPECT_EQ(text("camera to wheels.reaction=300"), "Every deadline is proved, but not every chain");
  EXPECT_EQ(text("wheel.deadline=0.1"), "Not every deadline is proved");
}

TEST(Headline, SaysWhatAProofNeedsAndWhatItDoesNotCover) {
  const Ran ran = run_tactus({"analyze", kAmr});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(contains(ran.out, "\nneeds: the tier channel (deploy --tier channel)")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\nnot covered: memory contention (15 of 15 times")) << ran.out;
  const json::Document document = parsed(run_tactus({"analyze", kAmr, "--json"}).out);
  const json::Value& headline = *document.root().find("headline");
  EXPECT_EQ(headline.find("state")->text(), "needs");
  EXPECT_TRUE(headline.find("text")->text().starts_with(
      "Every deadline is proved, but it needs: the tier channel"));
  EXPECT_EQ(headline.find("not_covered")->items().size(), 3U);
  const json::Value& cover = *document.root().find("best")->find("cover");
  EXPECT_EQ(cover.find("tier")->text(), "channel");
  EXPECT_EQ(cover.find("covered")->text(), "yes");
  EXPECT_FALSE(cover.find("conditions")->items().empty());
}

/// @param gpu more of the GPU
std::string long_launch(const std::string& gpu) {
  return R"({"tactus": 1, "name": "long", "platform": {"elements": [
  {"name": "cpu", "kind": "cpu", "units": 2}, {"name": "gpu", "kind": "gpu", "units": 4,
   "runlist_update": 0.1, "arbiter_core": 2)" +
         gpu + R"(}]}, "tasks": [
  {"name": "a", "period": 500, "priority": 1, "core": 1,
   "nodes": [{"name": "g", "on": "gpu", "wcet": 5}]},
  {"name": "map", "best_effort": true, "core": 1,
   "nodes": [{"name": "g", "on": "gpu", "wcet": 40}]}],
  "deploy": {"method": "gcaps.suspend", "variant": "safe-arbiter"}})";
}

TEST(Headline, IsNotThatItRunsWhereALaunchIsLongerThanThePreemptionDelay) {
  const Ran silent = run_tactus({"analyze", "-"}, long_launch(""));
  EXPECT_EQ(silent.exit_code, 0) << silent.err;
  // Best effort alone must leave, and the channel takes it off.
  EXPECT_TRUE(contains(silent.out, "needs: the tier channel")) << silent.out;
  const std::string two = R"(, {"name": "b", "period": 500, "priority": 2, "core": 1,
   "nodes": [{"name": "g", "on": "gpu", "wcet": 6}]}], "deploy")";
  std::string text = long_launch("");
  text.replace(text.find("],\n  \"deploy\""), 13, two);
  const Ran gate = run_tactus({"analyze", "-"}, text);
  EXPECT_TRUE(contains(gate.out, "\nneeds: set preemption_delay of the gpu to 40")) << gate.out;
  EXPECT_TRUE(contains(gate.out, "\nnow: what must leave takes longer")) << gate.out;
  const Ran covered = run_tactus({"analyze", "-"}, long_launch(R"(, "preemption_delay": 40)"));
  EXPECT_FALSE(contains(covered.out, "\nneeds:")) << covered.out;
}

TEST(Headline, SaysThatItRunsOrIsNotProved) {
  EXPECT_EQ(state({source_path("examples/robot.system.json"), "-m", "gang.wc"}), "runs here");
  EXPECT_EQ(state({kAmr, "--set", "person.detect.wcet=45"}), "not proved");
}

const std::string kFull = R"({"tactus": 1, "name": "full", "platform": {"elements": [
  {"name": "cpu", "kind": "cpu", "units": 3}, {"name": "gpu", "kind": "gpu", "units": 4}]}, "tasks": [
  {"name": "a", "period": 100, "nodes": [{"name": "c", "on": "cpu", "wcet": 1},
    {"name": "g", "on": "gpu", "wcet": 30, "parallelism": 4}]},
  {"name": "b", "period": 100, "nodes": [{"name": "c", "on": "cpu", "wcet": 1}]},
  {"name": "train", "best_effort": true, "nodes": [
    {"name": "g", "on": "gpu", "wcet": 30, "parallelism": 4}]},
  {"name": "log", "best_effort": true, "nodes": [{"name": "c", "on": "cpu", "wcet": 1}]}]})";

TEST(APlanThatLeavesNothing, IsNamedByAnalyzePlanAndAdvise) {
  const std::string said = "train` never runs beside this plan: it leaves no SMs";
  EXPECT_TRUE(contains(run_tactus({"analyze", "-", "-m", "gang.wc"}, kFull).out, said));
  EXPECT_TRUE(contains(run_tactus({"plan", "-", "-m", "gang.wc"}, kFull).out, said));
  const Ran advised = run_tactus({"advise", "-", "-m", "gang.wc"}, kFull);
  EXPECT_TRUE(contains(advised.out, "never runs:  train: it leaves no SMs")) << advised.out;
  const json::Document document =
      parsed(run_tactus({"analyze", "-", "-m", "gang.wc", "--json"}, kFull).out);
  EXPECT_EQ(document.root().find("best")->find("never_run")->items().size(), 1U);
}

TEST(APlanWithCoresOfItsOwn, LeavesThoseOfTheTasksAloneAndTheRestToBestEffort) {
  const Ran advised = run_tactus({"advise", "-", "-m", "gang.wc", "--json"}, kFull);
  ASSERT_EQ(advised.exit_code, 0) << advised.err;
  EXPECT_FALSE(contains(advised.out, "a.core")) << advised.out;
  const json::Document document = parsed(advised.out);
  EXPECT_EQ(document.root().find("options")->items()[0].find("cores")->text(), "2");
  // Core 3 of the file is nobody's: best effort has it.
  const Ran ran = run_tactus({"run", "-", "-m", "gang.wc", "--jobs", "2"}, kFull);
  EXPECT_FALSE(contains(ran.out, "`log` is not run")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "`train` is not run: the plan leaves no SMs")) << ran.out;
}

}  // namespace
}  // namespace tactus::cli
