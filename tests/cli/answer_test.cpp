// What `analyze` says first: the verdict, the method to deploy, the table, the next command.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kRobot = source_path("examples/robot.system.json");
const std::string kForklift = source_path("examples/forklift.system.json");
const std::string kTable2 = source_path("examples/gcaps-table2.system.json");

/// Two GPU users beside each other, on a machine with so many cores.
std::string on_cores(int cores) {
  return fmt::format(R"({{"tactus":1,"name":"pair","time_unit":"ms","platform":{{"elements":[
    {{"name":"cpu","kind":"cpu","units":{}}},
    {{"name":"gpu","kind":"gpu","units":1,"runlist_update":0.1}}]}},
    "tasks":[{{"name":"a","period":20,"priority":2,"core":1,"nodes":[{{"name":"n","on":"gpu","wcet":5}}]}},
    {{"name":"b","period":100,"priority":1,"core":2,"nodes":[{{"name":"n","on":"gpu","wcet":30}}]}}]}})",
                     cores);
}

TEST(Answer, BeginsWithTheMethodToDeployAndItsLeastSlack) {
  const Ran ran = run_tactus({"analyze", kRobot});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(ran.out.starts_with(
      "robot: every deadline is proved by gang.wc (safe), run on divided SMs: smallest\n"
      "slack 13 % (camera).\n"))
      << ran.out;
}

TEST(Answer, SaysWhyWhatIsProvedIsNotRun) {
  const Ran ran = run_tactus({"analyze", kForklift});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(ran.out.starts_with(
      "forklift: every deadline is proved by gcaps.suspend (safe), which tactus does\n"
      "not run here: smallest slack 8 % (planner).\n"
      "not run here: it needs: "))
      << ran.out;
}

TEST(Answer, TakesWhatTactusdRunsWhereACoreIsFreeForIt) {
  const TemporaryFolder folder;
  const Ran full = run_tactus({"analyze", folder.file("full", on_cores(2)), "-m", "all"});
  EXPECT_TRUE(contains(full.out, "(tactusd): it needs a core without tasks of the file"))
      << full.out;
  const Ran free = run_tactus({"analyze", folder.file("free", on_cores(3))});
  EXPECT_EQ(free.exit_code, 0);
  EXPECT_TRUE(free.out.starts_with(
      "pair: every deadline is proved by gcaps.boost.suspend (safe), run by tactusd:\n"))
      << free.out;
  EXPECT_TRUE(contains(free.out, " --method gcaps.boost.suspend -o pair.plan.json")) << free.out;
}

TEST(Answer, SortsMethodsByWhatOneCanDoWithThem) {
  const std::string out = run_tactus({"analyze", kRobot, "-m", "all"}).out;
  const std::size_t run = out.find("\nProved, and run here:\n"),
                    other = out.find("\nProved, but not run here:\n"),
                    no = out.find("\nNot proved:\n"), rest = out.find("\nNot applicable;");
  ASSERT_NE(rest, std::string::npos) << out;
  EXPECT_LT(run, other);
  EXPECT_LT(other, no);
  EXPECT_LT(no, rest);
  EXPECT_LT(run, out.find("  rtgpu[.greedy] ")) << "two methods that say the same have one line";
  EXPECT_LT(out.find("  rtgpu[.greedy] "), other);
  EXPECT_LT(no, out.find("  tsg-rr.suspend "));
}

TEST(Answer, FitsOneScreenUntilAllIsAskedFor) {
  const std::string out = run_tactus({"analyze", kRobot}).out;
  EXPECT_LE(std::count(out.begin(), out.end(), '\n'), 24) << out;
  EXPECT_TRUE(contains(out, "\nProved, and run here:\n")) << out;
  EXPECT_FALSE(contains(out, "Proved, but not run here")) << out;
  EXPECT_TRUE(contains(out, "\nTightest: camera, 25.9 of 30: length 25.9\n")) << out;
  EXPECT_TRUE(contains(out, "\nLeft out: 13 proved but not run here, ")) << out;
  EXPECT_TRUE(contains(out, " (--method all)\n")) << out;
}

TEST(Answer, HasNoTwoRowsOfOneName) {
  for (const std::string& file : {kRobot, kTable2}) {
    std::istringstream lines(run_tactus({"analyze", file, "-m", "all"}).out);
    std::vector<std::string> names;
    bool table = false;
    for (std::string line; std::getline(lines, line);) {
      table = (table || line.starts_with("bounds")) && !line.empty();
      if (table && line.starts_with("  ") && !line.starts_with("   ")) {
        names.push_back(line.substr(2, line.find("  ", 2) - 2));
      }
    }
    EXPECT_GT(names.size(), 5U);
    for (const std::string& name : names) {
      EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << file << ": " << name;
    }
  }
}

TEST(Answer, ExplainsTheMethodInForceAlone) {
  const std::string one = run_tactus({"analyze", kRobot, "--explain", "camera"}).out;
  EXPECT_TRUE(one.starts_with("gang.wc (safe), task camera: what its bound R is made of\n")) << one;
  EXPECT_FALSE(contains(one, "gcaps.suspend")) << one;
  EXPECT_TRUE(contains(run_tactus({"analyze", kRobot, "--explain", "camera", "-m", "all"}).out,
                       "gcaps.suspend (safe), task camera"));
}

TEST(Answer, ShowsBoundsBelowAFailingTaskOnTheirCondition) {
  const Ran ran = run_tactus({"analyze", kRobot, "-m", "tsg-rr.suspend"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.out, "no  (78.01)    0.9  (139.6)")) << ran.out;
  EXPECT_TRUE(
      contains(ran.out, "(x): holds only if the tasks without a proof meet their deadlines\n"))
      << ran.out;
  EXPECT_TRUE(contains(ran.out, "camera needs 36.404 > 30: time slices of others 25.704"))
      << ran.out;
  const std::string json = run_tactus({"analyze", kRobot, "-m", "tsg-rr.suspend", "--json"}).out;
  EXPECT_TRUE(contains(json, "\"conditional_bound\": 78.008")) << json;
}

TEST(Answer, SaysWhyAGraphOrASuspendingTaskFails) {
  const Ran gang = run_tactus({"analyze", kRobot, "-m", "gang.rm-he"});
  EXPECT_TRUE(contains(gang.out, "gang.rm-he: camera needs ")) << gang.out;
  EXPECT_TRUE(contains(gang.out, "lock blocking on gpu ")) << gang.out;
  const Ran suspension = run_tactus({"analyze", kRobot, "-m", "self-suspension"});
  EXPECT_TRUE(contains(suspension.out, "self-suspension: camera needs ")) << suspension.out;
  EXPECT_TRUE(contains(suspension.out, "accelerator blocking ")) << suspension.out;
}

TEST(Answer, ShowsHowFarTimesMayReallyGrowBesideTheSlack) {
  const Ran ran = run_tactus({"analyze", kForklift, "-m", "gcaps.suspend"});
  EXPECT_TRUE(contains(ran.out, "    slack")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "    a node may grow")) << ran.out;
  EXPECT_TRUE(
      contains(ran.out, "\nBreaks first: camera.detect may grow by 5.9 %, then planner is late.\n"))
      << ran.out;
  const Ran other = run_tactus({"analyze", kRobot, "-m", "gang.wc"});
  EXPECT_TRUE(contains(other.out, "\nRoom: tactus slack " + kRobot + " --method gang.wc\n"))
      << "where that is not known at once, the command is named\n"
      << other.out;
}

TEST(Answer, IsTheSameInJson) {
  const std::string robot = run_tactus({"analyze", kRobot, "--json"}).out;
  const auto parsed = json::Document::parse(robot);
  const json::Value& root = std::get<json::Document>(parsed).root();
  const json::Value& best = *root.find("best");
  EXPECT_EQ(best.find("method")->text(), "gang.wc");
  EXPECT_EQ(best.find("run_by")->text(), "partitions");
  EXPECT_TRUE(best.find("runs_here")->boolean());
  EXPECT_EQ(best.find("least_slack")->text(), "0.136");
  EXPECT_EQ(best.find("limited_by")->text(), "camera");
  EXPECT_EQ(root.find("methods")->items().size(), 29U) << "one per method, as ever";
  for (const json::Value& verdict : root.find("deployable")->items()) {
    EXPECT_EQ(verdict.find("variant")->text(), "safe-arbiter");
  }
  const std::string none =
      run_tactus({"analyze", kTable2, "--set", "tau4.deadline=60", "--json"}).out;
  EXPECT_TRUE(contains(none, "\"best\": null")) << none.substr(0, 300);
}

/// The words of the command that is named under a label, as a shell would split them.
std::vector<std::string> command_under(const std::string& out, const std::string& label) {
  const std::size_t at = out.find("\n" + label + " tactus ");
  if (at == std::string::npos) return {};
  std::istringstream line(
      out.substr(at + label.size() + 9, out.find('\n', at + 1) - at - label.size() - 9));
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  return words;
}

TEST(Answer, NamesCommandsThatWork) {
  const TemporaryFolder folder;
  int tried = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("examples"))) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".system.json") || path.ends_with("broken.system.json")) continue;
    const std::string out = run_tactus({"analyze", path}).out;
    std::vector<std::string> words = command_under(out, "Next:");
    if (words.empty()) continue;
    ++tried;
    const auto output = std::find(words.begin(), words.end(), "-o");
    if (output != words.end()) *(output + 1) = folder.file("plan.json");
    if (words.front() == "advise") words.insert(words.end(), {"--stop-after", "1"});
    EXPECT_NE(run_tactus(words).exit_code, 2) << path;
  }
  EXPECT_GT(tried, 8);
}

TEST(Answer, DoesNotCallProvedWhatOnlyPublishedBoundsSay) {
  const std::vector<std::string> asked = {
      "analyze",   source_path("examples/errata/pbs-1.system.json"),
      "--method",  "pbs.graph",
      "--variant", "paper"};
  const Ran ran = run_tactus(asked);
  EXPECT_TRUE(ran.out.starts_with(
      "pbs-1: every deadline holds by pbs.graph (paper), which is no proof: smallest\n"))
      << ran.out;
  std::vector<std::string> as_json = asked;
  as_json.emplace_back("--json");
  const Ran json = run_tactus(as_json);
  EXPECT_TRUE(contains(json.out, "\"Every deadline holds as published, which is no proof\""))
      << json.out.substr(0, 600);
}

TEST(Answer, RepeatsTheChangesInTheNextCommand) {
  const Ran ran = run_tactus({"analyze", kForklift, "--set", "camera.detect.wcet=8"});
  EXPECT_TRUE(contains(
      ran.out, "\nNext: tactus advise " + kForklift + " --set camera.detect.wcet=8 --vary cores\n"))
      << ran.out;
}

TEST(Answer, SaysInsteadOfWhatTheFileDeploysWhatWouldDo) {
  const Ran ran = run_tactus({"analyze", kForklift, "--set", "deploy.method=fmlp.busy"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.out,
                       "forklift: NOT proved by fmlp.busy (safe), which the file deploys. "
                       "Proved\ninstead: gcaps.suspend (safe)"))
      << ran.out;
}

TEST(Answer, SaysOfWhatAChainConsistsThatIsTheTightest) {
  const Ran ran = run_tactus({"analyze", source_path("examples/warehouse-pipeline.system.json")});
  EXPECT_TRUE(
      contains(ran.out,
               "\nTightest: chain camera to wheels, 365.233 of 400: until planner reads 200,\n"
               "planner 100, until stereo reads 33.333\n"))
      << ran.out;
}

TEST(Answer, SaysFirstWhatTheDeployedMethodLacks) {
  const std::string file = source_path("examples/incomplete.system.json");
  const Ran ran = run_tactus({"analyze", file, "--set", "deploy.method=gang.wc"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(contains(ran.out, "gang.wc (safe), which the file deploys, does not apply."))
      << ran.out;
  EXPECT_LT(ran.out.find("  gang."), ran.out.find("  mpcp.*")) << ran.out;
}

TEST(Answer, GivesNoTwoLinesOneName) {
  std::set<std::string> names;
  std::istringstream lines(run_tactus({"analyze", kRobot, "-m", "all"}).out);
  for (std::string line; std::getline(lines, line) && !contains(line, "Not applicable");) {
    const std::size_t end = line.find("  ", 2);
    if (!line.starts_with("  ") || line.find('.') > end) continue;
    EXPECT_TRUE(names.insert(line.substr(2, end - 2)).second) << line;
  }
  EXPECT_TRUE(names.contains("gcaps.suspend[.prio]"));
  EXPECT_TRUE(names.contains("gcaps.suspend[.prio] *")) << "of what tactusd runs";
}

TEST(Answer, SaysTheShortestWaysWhereNoMethodApplies) {
  const std::string file = source_path("examples/incomplete.system.json");
  const Ran ran = run_tactus({"analyze", file});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(ran.out.starts_with("incomplete: no method covers this file as it is.\n")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "The shortest ways on; the file needs:\n")) << ran.out;
  EXPECT_LE(std::count(ran.out.begin(), ran.out.end(), '\n'), 14) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\n    tactus advise " + file + "\n")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\nNext: tactus advise " + file + " --costs h200/channel\n"))
      << ran.out;
  EXPECT_TRUE(
      contains(run_tactus({"analyze", file, "-m", "all"}).out, "  gcaps.*: `core` for 3 tasks"));
}

}  // namespace
}  // namespace tactus::cli
