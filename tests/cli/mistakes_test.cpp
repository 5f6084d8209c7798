// What newcomers get wrong, and what they are told to write instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kForklift = source_path("examples/forklift.system.json");

/// Bad input, told in one line that has this.
void expect_told(const std::vector<std::string>& words, const std::string& told) {
  const Ran ran = run_tactus(words);
  EXPECT_EQ(ran.exit_code, 2) << ran.out;
  EXPECT_TRUE(contains(ran.err, told)) << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
}

/// The forklift with something else in its place.
std::string changed(const TemporaryFolder& folder, const std::string& pattern,
                    const std::string& instead) {
  const std::string text = slurp(kForklift);
  const std::string other = std::regex_replace(text, std::regex(pattern), instead);
  EXPECT_NE(text, other) << pattern;
  return folder.file("changed.system.json", other);
}

TEST(Mistakes, AUnitInAValueIsToldToBeLeftOut) {
  expect_told({"analyze", kForklift, "--set", "camera.detect.wcet=14ms"},
              "times are in ms here, without a unit: 14");
}

TEST(Mistakes, ANodesAttributeOfATaskIsLookedForInItsNodes) {
  expect_told({"analyze", kForklift, "--set", "depth.wcet=28"},
              "task `depth` has no attribute `wcet`, its nodes have; did you mean "
              "`depth.stereo.wcet`?");
}

TEST(Mistakes, AnUnknownNameIsAnsweredWithThoseThatThereAre) {
  expect_told({"analyze", kForklift, "--set", "detector.wcet=28"},
              "there is no task or element `detector`; there are camera, lidar, ");
}

TEST(Mistakes, PartOfAWordIsExplainedAsThatWord) {
  expect_told({"explain", "runlist"},
              "there is no explanation of `runlist`; did you mean `runlist");
}

TEST(Mistakes, ASystemIsNotImported) {
  expect_told({"import", kForklift}, "this is a file of tactus already");
}

TEST(Mistakes, AMissingEqualsSignIsNamed) {
  expect_told({"analyze", kForklift, "--set", "camera.detect.wcet", "28"},
              "--set: `camera.detect.wcet` has no =VALUE, as in camera.detect.wcet=11");
}

TEST(Mistakes, HalfAMethodIsTakenForTheMethodThatBeginsSo) {
  expect_told({"analyze", kForklift, "--method", "gcaps.sus"}, "did you mean `gcaps.suspend`?");
}

TEST(Mistakes, AShareIsTakenForPercent) {
  expect_told({"analyze", kForklift, "--min-slack", "0.05"}, "did you mean `5%`?");
}

TEST(Mistakes, ARateInTheFileIsTakenForAPeriod) {
  const TemporaryFolder folder;
  expect_told({"check", changed(folder, "\"period\": 33.3", "\"rate\": 30")},
              "unknown key `rate`; did you mean `period`?");
}

TEST(Mistakes, AnUnlikelyUnitIsAskedAbout) {
  const TemporaryFolder folder;
  const Ran ran =
      run_tactus({"check", changed(folder, "\"time_unit\": \"ms\"", "\"time_unit\": \"us\"")});
  EXPECT_TRUE(contains(ran.err, "period 5 us; is `time_unit` right?")) << ran.err;
}

TEST(Mistakes, ADeadlineThatNobodyKeepsIsTold) {
  const TemporaryFolder folder;
  const Ran ran = run_tactus({"check", changed(folder, "\"best_effort\": true",
                                               "\"best_effort\": true, \"deadline\": 7")});
  EXPECT_TRUE(contains(ran.err, "`deadline` has no effect: the task is best effort")) << ran.err;
}

TEST(Mistakes, TasksWithoutAPriorityBesideOthersAreNamed) {
  const TemporaryFolder folder;
  const Ran ran = run_tactus({"analyze", changed(folder, "\"priority\": 20, ", "")});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(contains(ran.out, "have no `priority`")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "`lidar`")) << ran.out;
}

TEST(Mistakes, WhatAnotherFileDiffersInIsNamed) {
  const TemporaryFolder folder;
  const std::string other =
      folder.file("extra.system.json",
                  R"({"tactus":1,"name":"x","time_unit":"ms","platform":{"elements":[
        {"name":"cpu","kind":"cpu","units":1},{"name":"gpu","kind":"gpu","units":8}]},
        "tasks":[{"name":"extra","period":50,"core":1,"nodes":[{"name":"g","on":"gpu","wcet":1}]}]})");
  expect_told({"analyze", kForklift, "--add", other}, "`units` is 16 here and 8 there");
}

TEST(Mistakes, TheEmulatorIsNotAskedForProcesses) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/best.system.json";
  const std::string plan = folder.path() + "/best.plan.json";
  ASSERT_EQ(run_tactus({"advise", kForklift, "--vary", "cores", "--target", "tactusd", "-o", file,
                        "--plan-out", plan})
                .exit_code,
            0);
  expect_told({"run", file, "--plan", plan}, "`tactus simulate` does in virtual time");
}

TEST(Mistakes, ADocumentThatIsNoSystemIsNamed) {
  const TemporaryFolder folder;
  const std::string robot = source_path("examples/dag-example.system.json");
  const std::string plan = folder.path() + "/plan.json", trace = folder.path() + "/trace.json";
  ASSERT_EQ(run_tactus({"plan", robot, "-m", "dag.balanced", "-o", plan}).exit_code, 0);
  ASSERT_EQ(run_tactus({"simulate", robot, "-p", "dag.balanced", "--jobs", "1", "--trace", trace})
                .exit_code,
            0);
  const Ran of_plan = run_tactus({"analyze", plan});
  EXPECT_EQ(of_plan.exit_code, 2);
  EXPECT_TRUE(contains(of_plan.err, "this is a plan; name its system")) << of_plan.err;
  const Ran of_trace = run_tactus({"analyze", trace});
  EXPECT_EQ(of_trace.exit_code, 2);
  EXPECT_TRUE(contains(of_trace.err, "this is a trace; `tactus import`")) << of_trace.err;
}

}  // namespace
}  // namespace tactus::cli
