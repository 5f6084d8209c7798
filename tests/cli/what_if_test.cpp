#include <gtest/gtest.h>

#include "tests/cli/run_tactus.hpp"

/// `--set` and `--add` on every verb that reads a system.
namespace tactus::cli {
namespace {

const std::string kForklift = source_path("examples/forklift.system.json");

TEST(WhatIf, IsShownFirstByEveryVerbThatReadsASystem) {
  const std::vector<std::vector<std::string>> verbs = {
      {"check", kForklift},
      {"analyze", kForklift, "-m", "gcaps.suspend"},
      {"analyze", kForklift, "-m", "gcaps.suspend", "--explain", "camera"},
      {"plan", kForklift, "-m", "gcaps.suspend"},
      {"simulate", kForklift, "-p", "gcaps.suspend", "--jobs", "2"},
      {"slack", kForklift, "-m", "gcaps.suspend"},
      {"slack", kForklift, "-m", "gcaps.suspend", "--sweep", "all=1..1.01", "--points", "2"},
      {"advise", kForklift, "-m", "gcaps.busy", "--vary", "cores"},
      {"run", source_path("examples/pbs-drone.system.json"), "--method", "pbs.graph", "--duration",
       "200", "--scenario", "worst"},
  };
  for (std::vector<std::string> words : verbs) {
    const bool drone = words[0] == "run";
    words.insert(words.end(), {"--set", drone ? "stream.period=40" : "camera.detect.wcet=9.5"});
    const Ran ran = run_tactus(words);
    EXPECT_EQ(ran.exit_code, words[0] == "advise" ? 1 : 0) << words[0] << ran.err;
    const std::string first =
        drone ? "changed: stream.period: 20 -> 40\n" : "changed: camera.detect.wcet: ";
    EXPECT_TRUE(ran.out.starts_with(first)) << ran.out;
    EXPECT_TRUE(drone || ran.out.find("-> 9.5\n") != std::string::npos) << ran.out;
  }
}

TEST(WhatIf, IsInTheJsonOfEveryVerbThatReadsASystem) {
  const std::string member = R"("set": "camera.detect.wcet")";
  const std::string change = "camera.detect.wcet=9.5",
                    line = "changed: camera.detect.wcet: 9 -> 9.5";
  for (const char* verb : {"check", "analyze", "slack"}) {
    std::vector<std::string> words = {verb, kForklift, "--json", "--set", change};
    if (words[0] != "check") words.insert(words.end(), {"-m", "gcaps.suspend"});
    const Ran ran = run_tactus(words);
    EXPECT_NE(ran.out.find(member), std::string::npos) << ran.out << ran.err;
  }
  const Ran plan =
      run_tactus({"plan", kForklift, "-m", "gcaps.suspend", "--json", "--set", change});
  EXPECT_EQ(plan.err, line + "\n") << "beside the plan, not in it";
  const Ran run = run_tactus({"simulate", kForklift, "--json", "--jobs", "2", "--set", change});
  EXPECT_NE(run.out.find(line), std::string::npos) << run.out;
}

TEST(WhatIf, ChangesTheVerdict) {
  EXPECT_EQ(run_tactus({"analyze", kForklift, "-m", "gcaps.suspend"}).exit_code, 0);
  EXPECT_EQ(
      run_tactus({"analyze", kForklift, "-m", "gcaps.suspend", "--set", "camera.detect.wcet=11"})
          .exit_code,
      1);
}

TEST(WhatIf, MakesAPlanThatIsForTheChangedSystemOnly) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("plan.json");
  ASSERT_EQ(run_tactus({"plan", kForklift, "-m", "gcaps.suspend", "--set", "camera.detect.wcet=8",
                        "-o", plan})
                .exit_code,
            0);
  EXPECT_EQ(
      run_tactus({"plan", kForklift, "--check", plan, "--set", "camera.detect.wcet=8"}).exit_code,
      0);
  EXPECT_EQ(run_tactus({"plan", kForklift, "--check", plan}).exit_code, 2);
}

TEST(WhatIf, WritesTheChangedFileCanonically) {
  const TemporaryFolder folder;
  const Ran written =
      run_tactus({"check", kForklift, "--canonical", "--set", "camera.detect.wcet=11"});
  const std::string path = folder.file("changed.system.json", written.out);
  EXPECT_EQ(run_tactus({"analyze", path, "-m", "gcaps.suspend"}).exit_code, 1);
}

TEST(WhatIf, AddsTheTasksOfAnotherFile) {
  const TemporaryFolder folder;
  const std::string radar =
      folder.file("radar.system.json", R"({"tactus": 1, "platform": {"elements":
      [{"name": "cpu", "kind": "cpu", "units": 4}]}, "tasks": [{"name": "radar", "period": 50,
      "priority": 25, "core": 1, "nodes": [{"name": "fft", "on": "cpu", "wcet": 2}]}]})");
  const Ran ran = run_tactus({"analyze", kForklift, "-m", "gcaps.suspend", "--add", radar});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find(radar + R"( added: ["radar"])"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\nradar "), std::string::npos) << ran.out;
}

TEST(WhatIf, SaysInOneLineWhatIsWrong) {
  const Ran unknown = run_tactus({"analyze", kForklift, "--set", "camra.period=3"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err,
            "tactus: --set `camra.period=3`: there is no task or element `camra`; did you mean "
            "`camera`?\n");
  const Ran broken = run_tactus({"analyze", kForklift, "--set", "camera.core=9"});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_EQ(broken.err, kForklift +
                            ":10:5: as changed: task `camera`: `core` (9) exceeds the `units` of "
                            "element `cpu` (4)\n");
}

TEST(WhatIf, TellsOfAnAttributeThatHasNoEffectWhereItIsSet) {
  const Ran ran = run_tactus({"check", kForklift, "--set", "logger.deadline=5"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("`deadline` has no effect: the task is best effort"), std::string::npos)
      << ran.out;
  const Ran other = run_tactus({"check", kForklift, "--set", "camera.period=40"});
  EXPECT_EQ(other.out.find("no effect"), std::string::npos) << other.out;
}

}  // namespace
}  // namespace tactus::cli
