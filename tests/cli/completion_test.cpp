#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/cli/run_tactus.hpp"

/// What a shell offers behind a word that is not finished.
namespace tactus::cli {
namespace {

const std::string kRobot = source_path("examples/robot.system.json");

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> offered(std::vector<std::string> words) {
  words.insert(words.begin(), {"complete", "--"});
  const Ran ran = run_tactus(words);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err, "");
  return lines_of(ran.out);
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

using Words = std::vector<std::string>;

TEST(Completion, OffersVerbsAndTheirOptions) {
  EXPECT_EQ(offered({"ana"}), Words{"analyze"});
  EXPECT_EQ(offered({"help", "ana"}), Words{"analyze"});
  EXPECT_TRUE(has(offered({""}), "help"));
  EXPECT_FALSE(has(offered({""}), "task-process"));
  EXPECT_EQ(offered({"gpu", "inf"}), Words{"info"});
  EXPECT_TRUE(has(offered({"analyze", kRobot, "--ex"}), "--explain"));
  EXPECT_EQ(offered({"analyze", ""}), Words{":files"});
  EXPECT_EQ(offered({"plan", kRobot, "-o", ""}), Words{":files"});
}

TEST(Completion, OffersOptionsOfAMethodOnlyWithThatMethod) {
  EXPECT_FALSE(has(offered({"analyze", kRobot, "--st"}), "--state-limit"));
  EXPECT_TRUE(has(offered({"analyze", kRobot, "-m", "pbs.graph", "--st"}), "--state-limit"));
}

TEST(Completion, GoesOnBehindCommas) {
  EXPECT_EQ(offered({"analyze", kRobot, "-m", "gcaps.suspend,fmlp.b"}),
            Words{"gcaps.suspend,fmlp.busy"});
  EXPECT_TRUE(has(offered({"analyze", kRobot, "--method=gcaps.*,fm"}), "--method=gcaps.*,fmlp.*"));
  EXPECT_EQ(offered({"simulate", kRobot, "--scenario", "sporadic,ea"}), Words{"sporadic,early"});
  EXPECT_EQ(offered({"advise", kRobot, "--vary", "cores,pri"}), Words{"cores,priorities"});
  // What is there already is not offered again.
  EXPECT_FALSE(has(offered({"simulate", kRobot, "--scenario", "sync,"}), "sync,sync"));
}

TEST(Completion, ReadsTheFileForTasksAndValues) {
  EXPECT_EQ(offered({"analyze", kRobot, "--explain", "cam"}), Words{"camera"});
  EXPECT_EQ(offered({"analyze", "--explain", "cam"}), Words{});
  EXPECT_EQ(offered({"analyze", "/no/such/file", "--explain", ""}), Words{});
  EXPECT_TRUE(has(offered({"slack", kRobot, "--sweep", "camera.det"}), "camera.detect.wcet="));
  EXPECT_TRUE(has(offered({"check", kRobot, "--set", "camera.per"}), "camera.period="));
}

TEST(Completion, OffersTheVariantsOfTheMethodsThatAreNamed) {
  EXPECT_TRUE(has(offered({"analyze", kRobot, "--variant", ""}), "safe-arbiter"));
  EXPECT_FALSE(has(offered({"analyze", kRobot, "-m", "rtgpu", "--variant", ""}), "safe-arbiter"));
  EXPECT_EQ(offered({"run", kRobot, "--tier", "ch"}), Words{"channel"});
  EXPECT_EQ(offered({"completion", ""}), (Words{"bash", "zsh", "fish"}));
  EXPECT_TRUE(has(offered({"lab", "generate", "gcaps"}), "gcaps-table3"));
}

/// What a shell does with its script, told by the script's own function.
std::string told_by(const std::string& shell, const std::string& script) {
  const TemporaryFolder folder;
  const std::string command =
      shell + " " + folder.file("script", script) + " > " + folder.file("out") + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << slurp(folder.file("out"));
  return slurp(folder.file("out"));
}

TEST(Completion, WorksInBash) {
  const TemporaryFolder folder;
  const std::string source =
      "source " + folder.file("tactus.bash", run_tactus({"completion", "bash"}).out) + "\n";
  const auto complete = [&](const std::string& line, const std::string& words) {
    return told_by("bash", source + "compopt() { :; }\nCOMP_LINE='" + TACTUS_BINARY + " " + line +
                               "'\nCOMP_POINT=${#COMP_LINE}\nCOMP_WORDS=(" + TACTUS_BINARY + " " +
                               words + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_tactus\n" +
                               "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
  };
  EXPECT_EQ(complete("analyze x -m gcaps.suspend,fmlp.b", "analyze x -m gcaps.suspend,fmlp.b"),
            "gcaps.suspend,fmlp.busy\n");
  EXPECT_EQ(
      complete("analyze " + kRobot + " --explain cam", "analyze " + kRobot + " --explain cam"),
      "camera\n");
  // bash takes `=` for a word of its own, and replaces only what is behind it.
  EXPECT_EQ(complete("analyze x --method=tsg-rr.b", "analyze x --method = tsg-rr.b"),
            "tsg-rr.busy\n");
  EXPECT_EQ(complete("analyze x -m gcaps.busy --variant=", "analyze x -m gcaps.busy --variant ="),
            "paper\nsafe\nsafe-arbiter\nsafe-inherit\n");
}

TEST(Completion, ScriptsOfOtherShellsAreWellFormed) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Ran ran = run_tactus({"completion", shell});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_NE(ran.out.find(" complete -- "), std::string::npos) << ran.out;
    if (std::system((shell + " --version > /dev/null 2>&1").c_str()) != 0) continue;
    const TemporaryFolder folder;
    EXPECT_EQ(std::system((shell + " -n " + folder.file("script", ran.out)).c_str()), 0) << shell;
  }
  EXPECT_EQ(run_tactus({"completion", "tcsh"}).exit_code, 2);
}

}  // namespace
}  // namespace tactus::cli
