// A script written by one run is replayed by another; one that is wrong is refused at its place.
#include <gtest/gtest.h>

#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"
#include "tests/model/schema_validator.hpp"

namespace tactus::cli {
namespace {

const std::string kRobot = source_path("examples/robot.system.json");

class Scripts : public testing::Test {
 protected:
  Ran simulated(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"simulate", kRobot, "--policy", "gcaps.suspend"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tactus(words);
  }
  /// What is wrong with a script, without the name of its file.
  std::string problem(const std::string& text) {
    const std::string file = folder_.file("wrong.script.json", text);
    const Ran ran = simulated({"--script", file});
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(ran.err.starts_with(file)) << ran.err;
    return ran.err.starts_with(file) ? ran.err.substr(file.size()) : ran.err;
  }
  const TemporaryFolder folder_;
};

TEST_F(Scripts, OfARunShowTheSameRunAgain) {
  const std::string file = folder_.file("robot.script.json"), copy = folder_.file("copy.json");
  const Ran first = simulated(
      {"--scenario", "sporadic,uniform", "--seed", "4", "--jobs", "5", "--write-script", file});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  const Ran second = simulated({"--script", file, "--write-script", copy});
  ASSERT_TRUE(second.out.starts_with(first.out)) << second.out;
  EXPECT_TRUE(second.out.substr(first.out.size()).starts_with("note: releases and execution times"))
      << second.out;
  EXPECT_EQ(slurp(file), slurp(copy));
  const auto schema = json::Document::parse(run_tactus({"schema", "script"}).out);
  const auto document = json::Document::parse(slurp(file));
  EXPECT_EQ(
      violation(std::get<json::Document>(schema).root(), std::get<json::Document>(document).root())
          .value_or("none"),
      "none");
}

TEST_F(Scripts, ThatAreWrongAreRefusedWithTheirPlace) {
  EXPECT_EQ(
      problem("{ \"tactus_script\": 1,\n \"tasks\": [ { \"task\": \"camra\", \"jobs\": [] } ] }"),
      ":2:13: there is no task `camra`; did you mean `camera`?\n");
  EXPECT_EQ(problem("{ \"tactus_script\": 2, \"tasks\": [] }").substr(0, 7), ":1:20: ");
  EXPECT_EQ(problem("{ \"tactus_script\": 1 }"), ":1:1: `tasks` is missing\n");
  EXPECT_EQ(problem("not JSON").substr(0, 5), ":1:2:");
  const std::string head =
      "{ \"tactus_script\": 1, \"tasks\": [ { \"task\": \"motor\", \"jobs\": [\n";
  EXPECT_EQ(problem(head + "{ \"release\": 0, \"time\": {} } ] } ] }"),
            ":2:17: tasks[0]: jobs[0]: unknown key `time`; did you mean `times`?\n");
  EXPECT_EQ(problem(head + "{ \"release\": -1 } ] } ] }").substr(0, 7), ":2:14: ");
  EXPECT_EQ(problem(head + "{ \"release\": 0 },\n{ \"release\": 1 } ] } ] }"),
            ":3:1: job 1 of task `motor` is released at 1, but may not be before 10: the period is "
            "10\n");
  const std::string late =
      problem(head + "{ \"release\": 0, \"times\": { \"control\": 77 } } ] } ] }");
  EXPECT_TRUE(late.starts_with(":2:39: ")) << late;
}

TEST_F(Scripts, DoNotGoTogetherWithAScenario) {
  const std::string file = folder_.file("s.json", "{ \"tactus_script\": 1, \"tasks\": [] }");
  EXPECT_EQ(simulated({"--script", file, "--scenario", "burst"}).exit_code, 2);
  EXPECT_EQ(simulated({"--script", file, "--jobs", "3"}).exit_code, 2);
  EXPECT_EQ(simulated({"--script", folder_.file("none.json")}).exit_code, 2);
}

TEST_F(Scripts, OfAMethodThatKnowsTheReleasesCannotMoveThem) {
  const std::string drone = source_path("examples/pbs-drone.system.json");
  const std::string file = folder_.file("drone.script.json");
  const auto drone_run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"simulate", drone, "--policy", "pbs.graph"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tactus(words);
  };
  EXPECT_EQ(drone_run({"--jobs", "2", "--write-script", file}).exit_code, 0);
  EXPECT_EQ(drone_run({"--script", file}).exit_code, 0);
  std::string text = slurp(file);
  const std::size_t last = text.rfind("{\"release\":");
  ASSERT_NE(last, std::string::npos) << text;
  text.insert(last + 11, "9");  // far too late
  const Ran moved = drone_run({"--script", folder_.file("moved.json", text)});
  EXPECT_EQ(moved.exit_code, 2);
  EXPECT_TRUE(moved.err.find(": this method knows when jobs arrive") != std::string::npos)
      << moved.err;
}

}  // namespace
}  // namespace tactus::cli
