// Jitter, tasks that start tasks, and chains on the command line: what is shown, what is refused, and
// what a file that speaks of them may not become.
#include <gtest/gtest.h>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kWorked = source_path("tests/data/cases/pipelines/01-worked.system.json");

TEST(Pipelines, AreShownFromEndToEnd) {
  const Ran ran = run_tactus({"analyze", kWorked, "--method", "gcaps.boost.suspend"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "camera > detect          21.5")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "see-steer                        173.5       180  180"))
      << ran.out;
  const Ran json = run_tactus({"analyze", kWorked, "--method", "gcaps.boost.suspend", "--json"});
  EXPECT_TRUE(contains(json.out, "\"latency\": 21.5")) << json.out;
  EXPECT_TRUE(contains(json.out, "\"bound\": 173.5")) << json.out;
}

TEST(Pipelines, FailWithAChain) {
  const Ran ran = run_tactus(
      {"analyze", kWorked, "--method", "gcaps.boost.suspend", "--set", "see-steer.age=173"});
  EXPECT_EQ(ran.exit_code, 1) << ran.out;
  const Ran slack =
      run_tactus({"analyze", kWorked, "--method", "gcaps.boost.suspend", "--min-slack", "3%"});
  EXPECT_EQ(slack.exit_code, 1);
  EXPECT_TRUE(contains(slack.out + slack.err, "(safe): chain see-steer-clock has 1.76 % slack"))
      << slack.out << slack.err;
}

TEST(Pipelines, AreComparedWithABaseline) {
  const TemporaryFolder folder;
  const auto analyze = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"analyze", kWorked, "--method", "gcaps.boost.suspend"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tactus(words);
  };
  const std::string before = folder.file("before.json", analyze({"--json"}).out);
  EXPECT_EQ(analyze({"--baseline", before}).exit_code, 0);
  const Ran longer = analyze({"--baseline", before, "--set", "plan.period=51"});
  EXPECT_EQ(longer.exit_code, 1) << longer.out;
  EXPECT_TRUE(contains(longer.out, "chain see-steer  bound 173.5 -> 174.5")) << longer.out;
}

TEST(Pipelines, AreSimulatedBesideTheirBounds) {
  const Ran ran = run_tactus({"simulate", kWorked, "--policy", "gcaps.boost.suspend", "--scenario",
                              "offsets,jitter-late", "--jobs", "50"});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_TRUE(contains(ran.out, "see-steer-clock")) << ran.out;
}

/// A camera that jitters, and what counts is camera to wheels.
TEST(Pipelines, AreRunBesideTheirBounds) {
  const std::string robot = source_path("examples/warehouse-pipeline.system.json");
  const Ran ran = run_tactus({"run", robot, "--method", "gang.wc", "--duration", "60000"});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_TRUE(contains(ran.out, "camera to wheels")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "365.233")) << ran.out;
  EXPECT_FALSE(contains(ran.out, "Outside of the model")) << ran.out;
  const Ran late =
      run_tactus({"run", robot, "--method", "gang.wc", "--duration", "2000", "--jitter", "1"});
  EXPECT_TRUE(contains(late.out, "Outside of the model, which no bound covers: releases of stereo"))
      << late.out;
  const Ran json =
      run_tactus({"run", robot, "--method", "gang.wc", "--duration", "2000", "--json"});
  EXPECT_TRUE(contains(json.out, "\"outside_model\": false")) << json.out;
  EXPECT_TRUE(contains(json.out, "\"bound\": 365.233")) << json.out;
}

}  // namespace
}  // namespace tactus::cli
