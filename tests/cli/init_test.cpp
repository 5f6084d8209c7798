// The first hour: a file from words, what a known GPU costs, what a word means.
#include <gtest/gtest.h>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kCamera = "camera 30 Hz, 8 ms GPU, 2 ms CPU, deadline 33";
const std::string kMotor = "motor 200 Hz, 0.5 ms CPU";

TEST(Init, WritesAFileThatAnalysesAtOnce) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/robot.system.json";
  const Ran made = run_tactus({"init", "--task", kCamera, "--task", kMotor, "--cores", "4",
                               "--costs", "h200/channel", "-o", file});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(contains(made.out, "Next: tactus analyze " + file)) << made.out;
  const std::string text = slurp(file);
  EXPECT_TRUE(contains(text, "    // " + kCamera + "\n")) << text;
  EXPECT_TRUE(contains(text, "\"runlist_update\": 2.668")) << text;
  EXPECT_TRUE(contains(text, "Costs: h200/channel")) << text;
  const Ran answer = run_tactus({"analyze", file});
  EXPECT_EQ(answer.exit_code, 0) << answer.out << answer.err;
  EXPECT_TRUE(contains(answer.out, "\nNext: tactus plan " + file)) << answer.out;
}

TEST(Init, WritesYamlThatIsReadAgain) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/robot.system.yaml";
  EXPECT_EQ(run_tactus({"init", "--task", kCamera, "--cores", "2", "-o", file}).exit_code, 0);
  const Ran answer = run_tactus({"analyze", file});
  EXPECT_EQ(answer.exit_code, 0) << answer.out << answer.err;
}

TEST(Init, HasAMethodThatCoversItAlsoWithoutCosts) {
  const TemporaryFolder folder;
  const std::string text = run_tactus({"init", "--task", kCamera, "--cores", "2"}).out;
  EXPECT_EQ(run_tactus({"analyze", folder.file("robot.system.json", text)}).exit_code, 0) << text;
}

TEST(Init, TellsEverythingThatIsWrongAndWritesNothing) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/robot.system.json";
  const Ran bad =
      run_tactus({"init", "--task", "camera 30, 8 GPU", "--task", "a 1 Hz", "-o", file});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_TRUE(contains(bad.err, "task `camera 30, 8 GPU`: expected a rate such as `30 Hz`"))
      << bad.err;
  EXPECT_TRUE(contains(bad.err, "task `a 1 Hz`: it has no work")) << bad.err;
  EXPECT_EQ(run_tactus({"analyze", file}).exit_code, 2) << "there is no such file";
  const Ran none = run_tactus({"init"});  // not on a terminal
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(contains(none.err, "there is no task; say --task '")) << none.err;
  folder.file("robot.system.json", "mine");
  EXPECT_TRUE(
      contains(run_tactus({"init", "--task", kCamera, "-o", file}).err, "is there already"));
  EXPECT_EQ(slurp(file), "mine");
}

TEST(Init, GoesOnFromASystemThatThereIs) {
  const Ran made = run_tactus({"init", "--from", source_path("examples/incomplete.system.json"),
                               "--costs", "h200/channel"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(contains(made.out, "\"core\": ")) << made.out;
  EXPECT_TRUE(contains(made.out, "\"runlist_update\": ")) << made.out;
}

/// A program as `measure` writes it, on a machine with so many SMs.
std::string measured(const std::string& task, int sms) {
  return R"({"tactus":1,"name":")" + task + R"(","time_unit":"ms","platform":{"elements":[
    {"name":"host","kind":"cpu","units":2},{"name":"gpu","kind":"gpu","units":)" +
         std::to_string(sms) + R"(}]},"tasks":[{"name":")" + task +
         R"(","period":50,"nodes":[{"name":"k","on":"gpu","wcet":4}]}]})";
}

TEST(Init, PutsRecordedProgramsAndWordsTogether) {
  const TemporaryFolder folder;
  const std::string camera = folder.file("camera.system.json", measured("camera", 48));
  const std::string lidar = folder.file("lidar.system.json", measured("lidar", 48));
  const std::string file = folder.path() + "/robot.system.json";
  const Ran made =
      run_tactus({"init", "--from", camera, "--from", lidar, "--task", kMotor, "--chain",
                  "camera > motor, 90 ms", "--cores", "4", "--costs", "h200/channel", "-o", file});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  const std::string text = slurp(file);
  for (const std::string part :
       {R"("name": "camera to motor")", R"("reaction": 90)", R"("name": "lidar")",
        R"({ "name": "host", "kind": "cpu", "units": 4 })"}) {
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  }
  EXPECT_TRUE(contains(text, "    // " + kMotor + "\n    { \"name\": \"motor\"")) << text;
  const Ran answer = run_tactus({"analyze", file});
  EXPECT_EQ(answer.exit_code, 0) << answer.out << answer.err;
  EXPECT_TRUE(contains(answer.out, "camera to motor")) << answer.out;
}

TEST(Init, SaysWhereRecordedProgramsDoNotFitTogether) {
  const TemporaryFolder folder;
  const std::string camera = folder.file("camera.system.json", measured("camera", 48));
  const std::string other = folder.file("lidar.system.json", measured("lidar", 132));
  const Ran units = run_tactus({"init", "--from", camera, "--from", other});
  EXPECT_EQ(units.exit_code, 2);
  EXPECT_TRUE(contains(units.err, "--from " + other + ": its element `gpu` differs")) << units.err;
  EXPECT_EQ(run_tactus({"init", "--from", camera, "--from", other, "--sms", "48"}).exit_code, 0);
  const Ran twice = run_tactus({"init", "--from", camera, "--from", camera});
  EXPECT_TRUE(contains(twice.err, "there is a task `camera` already")) << twice.err;
  const Ran chain = run_tactus({"init", "--from", camera, "--chain", "camera > motor, 5"});
  EXPECT_TRUE(contains(chain.err, "there is no task `motor`")) << chain.err;
}

TEST(Costs, AreFilledInForOneQuestion) {
  const std::string file = source_path("examples/incomplete.system.json");
  const Ran ran = run_tactus({"analyze", file, "--costs", "h200/channel"});
  EXPECT_TRUE(contains(ran.out, "changed: gpu.time_slice: (not given) -> ")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "measured on an NVIDIA H200")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\nNext: tactus advise " + file + " --costs h200/channel\n"))
      << ran.out;
  EXPECT_EQ(run_tactus({"analyze", file, "--costs", "h100"}).exit_code, 2);
}

TEST(Costs, AreListedWithWhereTheyWereWrittenDown) {
  const Ran ran = run_tactus({"gpu", "profiles"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(contains(ran.out, "h200/channel: NVIDIA H200, driver 580.159.04")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "bench/results/h200/arbiter-2026-11-15.md")) << ran.out;
  const std::string json = run_tactus({"gpu", "profiles", "--json"}).out;
  EXPECT_TRUE(contains(json, "\"longest\": 2.668")) << json;
}

TEST(Explain, SaysWhatAWordMeans) {
  EXPECT_EQ(run_tactus({"explain", "runlist_update"}).out,
            "runlist update: what it takes to change whose work is on the GPU, once\n");
  EXPECT_EQ(run_tactus({"explain", "Tier"}).exit_code, 0);
  EXPECT_TRUE(contains(run_tactus({"explain", "gcaps.suspend"}).out, "  assumes   "));
  const Ran all = run_tactus({"explain"});
  EXPECT_TRUE(contains(all.out, "jitter: ")) << all.out;
  const Ran none = run_tactus({"explain", "jiter"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.err, "tactus: there is no explanation of `jiter`; did you mean `jitter`?\n");
  EXPECT_TRUE(contains(run_tactus({"explain", "period", "--json"}).out, "\"kind\": \"glossary\""));
}

}  // namespace
}  // namespace tactus::cli
