#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kTable2 = source_path("examples/gcaps-table2.system.json");
const std::string kRobot = source_path("examples/robot.system.json");

TEST(Simulate, IsYesWhenNoDeadlineIsMissedAndNoBoundExceeded) {
  const Ran ran = run_tactus({"simulate", kRobot, "--policy", "gcaps.suspend"});
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  EXPECT_TRUE(contains(ran.out, "planner")) << ran.out;
  EXPECT_EQ(ran.err, "");
}

TEST(Simulate, TakesTheMethodThatTheFileDeploysAndElseTheBestAndSaysWhich) {
  const std::string amr = source_path("tests/data/cover/amr.system.json");
  const Ran deployed = run_tactus({"simulate", amr, "--jobs", "3"});
  EXPECT_EQ(deployed.exit_code, 0) << deployed.err;
  EXPECT_TRUE(contains(deployed.out, "gcaps.boost.suspend (safe) on amr")) << deployed.out;
  EXPECT_TRUE(contains(deployed.out, "which the file deploys")) << deployed.out;
  const Ran best = run_tactus({"simulate", kRobot, "--jobs", "3", "--json"});
  EXPECT_TRUE(contains(best.out, "which leaves most slack of those that are proved")) << best.out;
}

TEST(Simulate, ShowsThatThePublishedBoundOfThePapersOwnExampleIsExceeded) {
  const Ran ran = run_tactus({"simulate", kTable2, "--policy", "gcaps.suspend.prio", "--variant",
                              "paper", "--scenario", "burst,early"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.out, "task tau3 was seen to take")) << ran.out;
}

TEST(Simulate, RunsAPlanFromAFileAgainstItsBounds) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("p.plan.json");
  ASSERT_EQ(run_tactus({"plan", kRobot, "-m", "gcaps.suspend.prio", "-o", plan}).exit_code, 0);
  const Ran ran = run_tactus({"simulate", kRobot, "--plan", plan});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "gcaps.suspend.prio (safe) on robot")) << ran.out;
  // The same run as when the plan is made on the way.
  EXPECT_EQ(run_tactus({"simulate", kRobot, "--policy", "gcaps.suspend.prio"}).out, ran.out);
}

TEST(Simulate, RefusesAPlanThatDoesNotHoldOrIsForAnotherSystem) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("p.plan.json");
  ASSERT_EQ(run_tactus({"plan", kRobot, "-m", "gcaps.suspend.prio", "-o", plan}).exit_code, 0);
  const Ran other = run_tactus({"simulate", kTable2, "--plan", plan});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_TRUE(contains(other.err, "made for another system")) << other.err;
  std::string text = slurp(plan);
  text.replace(text.find("\"gpu_priorities\": {"), 19, "\"gpu_priorities\": { \"ghost\": 7,");
  const std::string bad = folder.file("q.plan.json", text);
  const Ran wrong = run_tactus({"simulate", kRobot, "--plan", bad});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(contains(wrong.err, "this plan does not hold")) << wrong.err;
  EXPECT_EQ(run_tactus({"simulate", kRobot, "--plan", plan, "--policy", "mpcp.busy"}).exit_code, 2);
}

TEST(Simulate, SaysWhyThereIsNoPolicyBehindTheLockBaselines) {
  const Ran ran = run_tactus(
      {"simulate", source_path("examples/gang-shares.system.json"), "--policy", "gang.rm-he"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(contains(ran.err, "no lock that has both is described")) << ran.err;
}

TEST(Simulate, RepeatsARunBitForBit) {
  const std::vector<std::string> command = {"simulate",
                                            kRobot,
                                            "--policy",
                                            "tsg-rr.busy",
                                            "--json",
                                            "--scenario",
                                            "sporadic,uniform,shuffled",
                                            "--seed",
                                            "9"};
  const Ran once = run_tactus(command), again = run_tactus(command);
  EXPECT_EQ(once.out, again.out);
  EXPECT_TRUE(std::holds_alternative<json::Document>(json::Document::parse(once.out))) << once.out;
}

TEST(Simulate, WritesATraceThatIsJsonWithRowsForCoresAndJobs) {
  const TemporaryFolder folder;
  const std::string file = folder.file("t.json");
  EXPECT_EQ(run_tactus({"simulate", kRobot, "--jobs", "3", "--trace", file}).exit_code, 0);
  const auto parsed = json::Document::parse(slurp(file));
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed));
  std::size_t slices = 0, rows = 0, arrows = 0, counters = 0;
  for (const json::Value& event :
       std::get<json::Document>(parsed).root().find("traceEvents")->items()) {
    const std::string_view phase = event.find("ph")->text();
    slices += phase == "X" ? 1 : 0;
    rows += phase == "M" ? 1 : 0;
    arrows += phase == "s" ? 1 : 0;
    counters += phase == "C" ? 1 : 0;
  }
  EXPECT_GT(slices, 30U);
  EXPECT_GT(rows, 20U);
  EXPECT_GT(arrows, 10U);
  EXPECT_GT(counters, 10U);
}

TEST(Simulate, WritesATraceThroughALinkAndLeavesTheOldOneWhenItFails) {
  const TemporaryFolder folder;
  const std::string real = folder.file("real.json", "old"), link = folder.file("link.json");
  std::filesystem::create_symlink(real, link);
  EXPECT_EQ(run_tactus({"simulate", kRobot, "--jobs", "1", "--trace", link}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(contains(slurp(real), "traceEvents"));
  EXPECT_EQ(run_tactus({"simulate", kRobot, "--trace", "/dev/full"}).exit_code, 2);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(Simulate, RefusesWhatItCannotDoInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, int>> mistakes = {
      {{"simulate", kRobot, "--policy", "gcaps.*"}, 2},
      {{"simulate", kRobot, "--policy", "nope"}, 2},
      {{"simulate", kRobot, "--scenario", "sometimes"}, 2},
      {{"simulate", kRobot, "--scenario", "sync,worst,random"}, 2},
      {{"simulate", kRobot, "--plan", "/no/such/plan"}, 2},
      {{"simulate", kRobot, "--gantt", "--json"}, 2},
      {{"simulate", "/no/such/file"}, 2},
      {{"simulate", kRobot, "--trace", "/no/such/folder/t.json"}, 2},
      {{"simulate", kRobot, "--duration", "-5"}, 2},
      {{"simulate", kRobot, "--duration", "nan"}, 2},
      {{"simulate", kRobot, "--duration", "1e300"}, 2},
      {{"simulate", kRobot, "--duration", "99999999999999999999"}, 2},
      {{"simulate", kRobot, "--jobs", "0"}, 2},
      {{"simulate", kRobot, "--seed", "-1"}, 2},
      {{"simulate", kRobot, "--trace", "/dev/full"}, 2},
      {{"lab", "validate", "--count", "18446744073709551616"}, 2},
      {{"lab", "validate", "--runs", "0"}, 2},
      {{"lab", "generate", "gcaps-small", "--count", "-1"}, 2},
      {{"lab", "generate"}, 2},
      {{"simulate", kRobot, "--policy", "gcaps.busy", "--variant", "nope"}, 2},
      {{"simulate", kRobot, "--policy", "dag.balanced"}, 3},
      {{"lab", "validate", "--method", "gcaps.busy", "--variant", "nope"}, 2},
  };
  for (const auto& [arguments, code] : mistakes) {
    const Ran ran = run_tactus(arguments);
    EXPECT_EQ(ran.exit_code, code) << arguments.back();
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST(Simulate, SaysSoWhenTimesLeave64Bits) {
  const TemporaryFolder folder;
  const std::string file = folder.file("huge.system.json", R"({"tactus": 1, "time_unit": "ns",
    "platform": {"elements": [{"name": "cpu", "kind": "cpu", "units": 1}]},
    "tasks": [{"name": "a", "period": 5000000000000000000, "priority": 1, "core": 1,
               "nodes": [{"name": "n", "on": "cpu", "wcet": 3}]}]})");
  const Ran ran = run_tactus({"simulate", file, "--jobs", "5"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(contains(ran.err, "the simulation ended early")) << ran.err;
}

TEST(Simulate, EndsWhereMoreJobsWaitThanCanBeCounted) {
  const TemporaryFolder folder;
  const std::string endless = folder.file("endless.json", R"({"tactus":1,"name":"endless",
    "time_unit":"ms","platform":{"elements":[{"name":"gpu","kind":"gpu","units":1}]},"tasks":[
    {"name":"t","period":0.000001,"deadline":900000000,"nodes":[{"name":"n","on":"gpu","load":900000000}]}]})");
  const Ran ran = run_tactus({"simulate", endless, "-p", "dag.balanced", "--duration", "800000000",
                              "--trace", folder.file("trace")});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("jobs wait at the end"), std::string::npos) << ran.err;
  EXPECT_LT(std::filesystem::file_size(folder.file("trace")), 8U << 20);
}

TEST(Simulate, DrawsAndWritesWhatHappenedInOneRun) {
  const TemporaryFolder folder;
  const std::string file = folder.file("t.json");
  const Ran ran = run_tactus({"simulate", kRobot, "--jobs", "3", "--gantt", "--trace", file});
  const Ran without = run_tactus({"simulate", kRobot, "--jobs", "3", "--gantt"});
  EXPECT_TRUE(contains(ran.out, "time 0")) << ran.out;
  EXPECT_EQ(ran.out, without.out);
  EXPECT_TRUE(contains(slurp(file), "camera.detect"));
}

TEST(Validate, TellsProgramsWhatItCaught) {
  const Ran ran = run_tactus(
      {"lab", "validate", "--method", "stgm", "--variant", "paper", "--count", "60", "--json"});
  EXPECT_EQ(ran.exit_code, 1);
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const json::Value& stgm = std::get<json::Document>(parsed).root().find("methods")->items()[0];
  ASSERT_FALSE(stgm.find("caught")->items().empty());
  for (const char* key : {"task", "observed", "bound", "scenario", "seed"}) {
    EXPECT_NE(stgm.find("caught")->items()[0].find(key), nullptr) << key;
  }
}

TEST(Validate, RepeatsTheMethodsOptionsInTheCommandThatReplays) {
  const TemporaryFolder folder;
  const Ran ran =
      run_tactus({"lab", "validate", "--method", "dag.balanced", "--variant", "paper", "--effort",
                  "high", "--count", "20", "-o", folder.file("it's caught")});
  EXPECT_TRUE(contains(ran.out, "it'\\''s caught/dag.balanced-1.system.json' --policy")) << ran.out;
  EXPECT_TRUE(contains(ran.out, " --effort high\n")) << ran.out;
}

TEST(Validate, RefusesASearchOrARecipeThatIsNotThere) {
  const auto said = [](const std::string& option, const std::string& method) {
    const Ran ran = run_tactus({"lab", "validate", "--method", method, option, "nonsense"});
    EXPECT_EQ(ran.exit_code, 2);
    return ran.err;
  };
  EXPECT_TRUE(
      contains(said("--search", "gcaps.boost.busy"), "must be one of random, climb, offsets"));
  EXPECT_TRUE(contains(said("--recipe", "gcaps.boost.busy"), "there is no recipe `nonsense`"));
}

TEST(Validate, DoesNotTryOtherOffsetsWhereAMethodKnowsThem) {
  const Ran ran = run_tactus({"lab", "validate", "--method", "pbs.graph", "--search", "climb"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(contains(ran.err, "pbs.graph knows when jobs arrive")) << ran.err;
}

TEST(Validate, LetsOnlyAnArbiterSeeCompletionsLate) {
  const Ran late = run_tactus({"lab", "validate", "--method", "gcaps.boost.suspend,gcaps.suspend",
                               "--count", "20", "--late-completions"});
  EXPECT_EQ(late.exit_code, 0) << late.out;
  EXPECT_NE(late.out.find("gcaps.boost.suspend       20"), std::string::npos) << late.out;
  EXPECT_NE(late.err.find("gcaps.suspend has no arbiter that looks for completions"),
            std::string::npos)
      << late.err;
  EXPECT_EQ(run_tactus({"simulate", source_path("examples/robot.system.json"), "--policy",
                        "gcaps.suspend", "--late-completions"})
                .exit_code,
            2);
}

TEST(Validate, FindsNoViolationOfASafeBound) {
  const Ran ran = run_tactus(
      {"lab", "validate", "--method", "gcaps.*,tsg-rr.*,mpcp.*,fmlp.*", "--count", "60"});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

TEST(Validate, FindsTheKnownViolationsOfPublishedBoundsAndReplaysThem) {
  const TemporaryFolder folder;
  for (const char* method :
       {"gcaps.suspend", "gcaps.busy", "gcaps.suspend.prio", "gcaps.busy.prio", "tsg-rr.suspend",
        "tsg-rr.busy", "mpcp.busy", "fmlp.suspend", "dag.balanced", "self-suspension", "stgm"}) {
    const Ran ran = run_tactus({"lab", "validate", "--method", method, "--variant", "paper",
                                "--count", "300", "-o", folder.file("caught")});
    EXPECT_EQ(ran.exit_code, 1) << method << ran.out;
    const std::size_t at = ran.out.find("  tactus simulate ");
    ASSERT_NE(at, std::string::npos) << ran.out;
    std::vector<std::string> replay;
    std::string line = ran.out.substr(at + 9, ran.out.find('\n', at) - at - 9);
    std::erase(line, '\'');  // no word has a blank in it
    for (std::size_t start = 0; start < line.size();) {
      const std::size_t end = std::min(line.find(' ', start), line.size());
      replay.push_back(line.substr(start, end - start));
      start = end + 1;
    }
    const Ran replayed = run_tactus(replay);
    EXPECT_EQ(replayed.exit_code, 1) << line;
    EXPECT_TRUE(contains(replayed.out, "more than its bound")) << replayed.out;
  }
}

TEST(Validate, GivesTheSameResultForAnyNumberOfThreads) {
  const auto with = [](const char* threads) {
    return run_tactus({"lab", "validate", "-m", "gcaps.busy", "--variant", "paper", "--count",
                       "200", "-j", threads})
        .out;
  };
  EXPECT_EQ(with("1"), with("4"));
}

}  // namespace
}  // namespace tactus::cli
