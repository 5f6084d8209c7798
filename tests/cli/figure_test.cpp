#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kRobot = source_path("examples/robot.system.json");

Ran simulate(std::vector<std::string> more) {
  std::vector<std::string> command = {"simulate", kRobot, "--policy", "gcaps.suspend"};
  command.insert(command.end(), more.begin(), more.end());
  return run_tactus(command);
}

TEST(Figure, IsDrawnBesideTheUsualOutput) {
  const TemporaryFolder folder;
  for (const char* name : {"f.svg", "f.tikz", "f.pdf", "f.png"}) {
    const std::string file = folder.file(name);
    const Ran ran = simulate({"--figure", file});
    if (ran.exit_code == 2 && contains(ran.err, "there is no gnuplot here")) continue;
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, simulate({}).out);
    EXPECT_GT(slurp(file).size(), 1000U) << name;
  }
  EXPECT_TRUE(slurp(folder.file("f.svg")).ends_with("</svg>\n"));
  EXPECT_TRUE(slurp(folder.file("f.tikz")).ends_with("\\end{tikzpicture}\n"));
  EXPECT_EQ(simulate({"--json", "--figure", folder.file("g.svg")}).out, simulate({"--json"}).out);
}

TEST(Figure, ShowsAWindowOrAJob) {
  const TemporaryFolder folder;
  const std::string file = folder.file("f.svg");
  ASSERT_EQ(simulate({"--figure", file, "--window", "100..150.5"}).exit_code, 0);
  EXPECT_TRUE(contains(slurp(file), "from 100 to 150.5 ms")) << slurp(file).substr(0, 400);
  ASSERT_EQ(simulate({"--figure", file, "--around", "planner#1"}).exit_code, 0);
  EXPECT_TRUE(contains(slurp(file), "(bound ")) << slurp(file);
}

TEST(Figure, IsDrawnOfARunToo) {
  const TemporaryFolder folder;
  const std::string file = folder.file("f.svg");
  const Ran ran = run_tactus({"run", source_path("examples/gang-shares.system.json"), "--policy",
                              "gang.swc", "--jobs", "3", "--figure", file});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(slurp(file), "lanes")) << slurp(file);
}

TEST(Figure, RefusesWhatItCannotDraw) {
  const TemporaryFolder folder;
  const std::string file = folder.file("f.svg");
  const std::vector<std::pair<std::vector<std::string>, std::string>> kBad = {
      {{"--figure", folder.file("f.jpeg")}, "must name a file that ends in"},
      {{"--figure", file, "--window", "5"}, "two times in the file's unit"},
      {{"--figure", file, "--window", "7..5"}, "the earlier first"},
      {{"--figure", file, "--window", "-1..5"}, "two times in the file's unit"},
      {{"--figure", file, "--window", "1e9..2e9"}, "two times in the file's unit"},
      {{"--figure", file, "--window", "999999999..9999999999"}, "the run ended at"},
      {{"--figure", file, "--around", "planner"}, "the number of its job"},
      {{"--figure", file, "--around", "planer#1"}, "did you mean `planner`?"},
      {{"--figure", file, "--around", "planner#4000000"}, "no job 4000000 of task `planner`"},
      {{"--figure", file, "--around", "planner#99999999999"}, "the number of its job"},
      {{"--window", "1..2"}, "name one of them"},
      {{"--figure", folder.file("none/f.svg")}, "none/f.svg"},
  };
  for (const auto& [arguments, expected] : kBad) {
    const Ran ran = simulate(arguments);
    EXPECT_EQ(ran.exit_code, 2) << expected;
    EXPECT_EQ(ran.out, "") << expected;
    EXPECT_TRUE(contains(ran.err, expected)) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(file)) << expected;
  }
}

TEST(Figure, LetsTheTextChartShowAWindow) {
  const Ran ran = simulate({"--gantt", "--window", "100..120"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const std::string last = ran.out.substr(ran.out.rfind("time"));
  EXPECT_EQ(last.substr(0, 8), "time 100") << ran.out;
  EXPECT_TRUE(last.ends_with("120\n")) << ran.out;
}

TEST(TraceFile, CarriesDeadlinesAndPreemptions) {
  const TemporaryFolder folder;
  const std::string file = folder.file("t.json");
  simulate({"--scenario", "burst,worst", "--trace", file});
  EXPECT_TRUE(contains(slurp(file), "\"args\":{\"deadline\":"));
  EXPECT_TRUE(contains(slurp(file), "\"preempted\":true"));
}

}  // namespace
}  // namespace tactus::cli
