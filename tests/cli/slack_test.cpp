#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kForklift = source_path("examples/forklift.system.json");
const std::string kRobot = source_path("examples/robot.system.json");

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(SlackVerb, ShowsTheRoomOfEachTimeAndWhoIsLateThen) {
  const Ran ran = run_tactus({"slack", kForklift, "--method", "gcaps.suspend"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("camera.detect.wcet"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("9.535"), std::string::npos) << ran.out;
  EXPECT_LE(longest_line(ran.out), 80U) << ran.out;
}

TEST(SlackVerb, ChoosesAMethodAndSaysWhy) {
  const Ran ran = run_tactus({"slack", kForklift});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("Chosen: gcaps."), std::string::npos) << ran.out;
}

TEST(SlackVerb, SaysWhatMustChangeWhereNothingIsProved) {
  const Ran ran = run_tactus({"slack", kForklift, "--method", "mpcp.suspend"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.out.find("All times together must shrink to"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("must be"), std::string::npos) << ran.out;
}

TEST(SlackVerb, SaysWhatWasTriedWhereAMethodHasNoOrder) {
  const Ran ran = run_tactus({"slack", kForklift, "--method", "gcaps.suspend.prio"});
  EXPECT_NE(ran.out.find("fails at"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("is not known to keep its order"), std::string::npos) << ran.out;
  EXPECT_LE(longest_line(ran.out), 80U) << ran.out;
}

TEST(SlackVerb, IsExactInJsonAndCsv) {
  const Ran json = run_tactus({"slack", kForklift, "-m", "gcaps.suspend", "--json"});
  EXPECT_NE(json.out.find("\"of\": \"camera.detect.wcet\""), std::string::npos) << json.out;
  EXPECT_NE(json.out.find("\"exact\": true"), std::string::npos);
  const Ran csv = run_tactus({"slack", kForklift, "-m", "gcaps.suspend", "--csv"});
  EXPECT_TRUE(csv.out.starts_with("system,method,variant,status,of,kind,now,holds,fails,exact"));
}

TEST(SlackVerb, RefusesInOneLine) {
  const Ran two = run_tactus({"slack", kForklift, "-m", "gcaps.*"});
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_EQ(two.err, "tactus: --method must name one method; `tactus methods` lists them\n");
  const Ran inapplicable = run_tactus({"slack", kForklift, "-m", "dag.balanced"});
  EXPECT_EQ(inapplicable.exit_code, 3);
  EXPECT_EQ(std::count(inapplicable.err.begin(), inapplicable.err.end(), '\n'), 1);
}

TEST(Sweep, ShowsBoundsAlongOneValueAsTableCsvAndDrawing) {
  const TemporaryFolder folder;
  const std::vector<std::string> words = {"slack",         kForklift, "-m",
                                          "gcaps.suspend", "--sweep", "camera.detect.wcet=9..11",
                                          "--points",      "3"};
  const Ran text = run_tactus(words);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("\n                 9  yes"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\n                11  no"), std::string::npos) << text.out;
  std::vector<std::string> csv = words;
  csv.emplace_back("--csv");
  EXPECT_NE(run_tactus(csv).out.find(",camera.detect.wcet,10,"), std::string::npos);
  std::vector<std::string> svg = words;
  const std::string file = folder.file("sweep.svg");
  svg.insert(svg.end(), {"--svg", file});
  const Ran drawn = run_tactus(svg);
  if (drawn.exit_code == 3) GTEST_SKIP() << drawn.err;  // without gnuplot
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_NE(slurp(file).find("<svg"), std::string::npos);
}

TEST(Sweep, SaysInOneLineWhatItDoesNotUnderstand) {
  const auto problem = [](const std::string& sweep) {
    const Ran ran = run_tactus({"slack", kRobot, "-m", "gcaps.suspend", "--sweep", sweep});
    EXPECT_EQ(ran.exit_code, 2) << sweep;
    return ran.err;
  };
  EXPECT_EQ(problem("camera.detect.wcet"),
            "tactus: --sweep `camera.detect.wcet`: expected NAME=FROM..TO, such as "
            "camera.detect.wcet=9..12\n");
  EXPECT_EQ(problem("camera.detct.wcet=1..2"),
            "tactus: --sweep `camera.detct.wcet=1..2`: there is no such value; did you mean "
            "`camera.detect.wcet`?\n");
  EXPECT_EQ(problem("gpu.units=8..32"),
            "tactus: --sweep `gpu.units=8..32`: nothing is known of more than 16 units\n");
  EXPECT_EQ(problem("camera.period=0..32"),
            "tactus: --sweep `camera.period=0..32`: FROM and TO must be numbers that this value "
            "may have\n");
}

}  // namespace
}  // namespace tactus::cli
