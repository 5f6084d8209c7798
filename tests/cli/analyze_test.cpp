#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "tactus/base/decimal.hpp"
#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kTable2 = source_path("examples/gcaps-table2.system.json");
const std::string kTable4 = source_path("examples/gcaps-table4.system.json");
const std::string kRobot = source_path("examples/robot.system.json");

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Analyze, IsYesWhenEveryNamedMethodProvesEveryDeadline) {
  EXPECT_EQ(run_tactus({"analyze", kTable4, "--method", "gcaps.suspend,gcaps.busy"}).exit_code, 0);
}

TEST(Analyze, IsNoWhenOneNamedMethodDoesNot) {
  EXPECT_EQ(run_tactus({"analyze", kTable4, "--method", "gcaps.suspend,fmlp.busy"}).exit_code, 1);
}

TEST(Analyze, IsUnknownWhenANamedMethodDoesNotApply) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("no-epsilon.system.json", R"({"tactus": 1, "platform": {"elements": [
    {"name": "cpu", "kind": "cpu", "units": 1},
    {"name": "gpu", "kind": "gpu", "units": 1, "time_slice": 1, "context_switch": 0}]},
    "tasks": [{"name": "a", "period": 50, "priority": 1, "core": 1,
      "nodes": [{"name": "k", "on": "gpu", "wcet": 3}]}]})");
  const Ran named = run_tactus({"analyze", file, "--method", "gcaps.busy,tsg-rr.busy"});
  EXPECT_EQ(named.exit_code, 3);
  EXPECT_TRUE(contains(named.out, "  gcaps.busy: `runlist_update` for gpu\n")) << named.out;
  const std::string json = run_tactus({"analyze", file, "-m", "gcaps.busy", "--json"}).out;
  EXPECT_TRUE(contains(json, "element `gpu` has no runlist_update")) << json;
  EXPECT_TRUE(contains(json, R"("line": 3)")) << json;
  // With all methods one proof is enough.
  EXPECT_EQ(run_tactus({"analyze", file}).exit_code, 0);
}

TEST(Analyze, SaysTheSameWithSeveralMethodsAtATime) {
  for (const std::string& file :
       {kTable2, kTable4, kRobot, source_path("examples/dag-example.system.json")}) {
    for (const std::string form : {"--json", "--csv", "--variant=safe"}) {
      const Ran one = run_tactus({"analyze", file, form});
      const Ran several = run_tactus({"analyze", file, form, "-j", "3"});
      EXPECT_EQ(several.exit_code, one.exit_code);
      EXPECT_EQ(several.out, one.out) << file << " " << form;
      EXPECT_EQ(several.err, one.err);
    }
  }
}

TEST(Analyze, WithAllMethodsIsNoWhenNoneProvesIt) {
  const std::vector<std::string> tight = {"analyze", kTable2, "--set", "tau4.deadline=60"};
  EXPECT_EQ(run_tactus(tight).exit_code, 1);
  EXPECT_EQ(run_tactus({"analyze", kTable2, "--variant", "paper"}).exit_code, 0);
}

TEST(Analyze, WithAllMethodsIsUnknownWhenNoneApplies) {
  // Only methods that need a cpu have that variant.
  const std::string dag = source_path("examples/dag-example.system.json");
  EXPECT_EQ(run_tactus({"analyze", dag, "--variant", "safe-arbiter"}).exit_code, 3);
}

TEST(Analyze, SaysAllThatIsMissingForAllMethodsAtOnce) {
  const Ran ran = run_tactus({"analyze", source_path("examples/incomplete.system.json"), "-m",
                              "gcaps.*,tsg-rr.busy,mpcp.*"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(
      contains(ran.out,
               "Not applicable; the file needs:\n"
               "  gcaps.*: `core` for 3 tasks (camera, lidar, logger), `runlist_update` for gpu\n"
               "  tsg-rr.busy: `core` for 3 tasks (camera, lidar, logger), `time_slice` for gpu,\n"
               "    `context_switch` for gpu\n"
               "  mpcp.*: `core` for 3 tasks (camera, lidar, logger)\n"))
      << ran.out;
  std::string json = run_tactus({"analyze", source_path("examples/incomplete.system.json"), "-m",
                                 "gcaps.busy", "--json"})
                         .out;
  std::erase_if(json, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_TRUE(contains(json, R"("give":["core"],"task":"camera")")) << json;
  EXPECT_TRUE(contains(json, R"("give":["runlist_update"],"element":"gpu")")) << json;
}

TEST(Plan, AndSimulateNameEverythingThatKeepsAMethodFromApplying) {
  const std::string file = source_path("examples/incomplete.system.json");
  for (const std::string verb : {"plan", "simulate"}) {
    const Ran ran = run_tactus({verb, file, "-m", "gcaps.busy"});
    EXPECT_EQ(ran.exit_code, 3) << verb;
    EXPECT_EQ(ran.out, "") << verb;
    const std::string begin = ": gcaps.busy does not apply: ";
    EXPECT_EQ(
        ran.err,
        file + ":10:5" + begin + "task `camera` has no core; these methods are partitioned\n" +
            file + ":13:5" + begin + "task `lidar` has no core; these methods are partitioned\n" +
            file + ":16:5" + begin + "task `logger` has no core; these methods are partitioned\n" +
            file + ":8:5" + begin + "element `gpu` has no runlist_update; this method needs it\n")
        << verb;
  }
}

TEST(Analyze, SaysWhichTimesWereMeasuredAndHow) {
  const TemporaryFolder folder;
  const std::string file = folder.file("m", R"({"tactus":1,"name":"m","time_unit":"ms",
    "platform":{"elements":[{"name":"cpu","kind":"cpu","units":1},
                            {"name":"gpu","kind":"gpu","units":1,"runlist_update":0.1}]},
    "tasks":[{"name":"camera","period":33,"priority":1,"core":1,"nodes":[
      {"name":"grab","on":"cpu","wcet":1},
      {"name":"detect","on":"gpu","wcet":2.2,"measured":{"runs":1000,"alone":1.21,"worst":2.27,
        "enemy":"atomics","margin":0.1,"on":"NVIDIA H200","date":"2026-11-15"}}]}]})");
  const std::string said =
      "Bounds rest on times that were measured; longer ones may exist:\n"
      "  camera.detect: 1000 runs, alone 1.21, at worst 2.27 beside `atomics`, margin\n"
      "    10 %, `NVIDIA H200`, `2026-11-15`\n"
      "  warning: camera.detect: its wcet 2.2 is below the longest time measured, 2.27\n";
  const Ran text = run_tactus({"analyze", file, "-m", "gcaps.suspend"});
  EXPECT_TRUE(contains(text.out, said)) << text.out;
  const Ran why = run_tactus({"analyze", file, "-m", "gcaps.suspend", "--explain", "camera"});
  EXPECT_TRUE(contains(why.out, said)) << why.out;
  std::string json = run_tactus({"analyze", file, "-m", "gcaps.suspend", "--json"}).out;
  std::erase_if(json, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_TRUE(
      contains(json, R"("measured":[{"task":"camera","node":"detect","measured":{"runs":1000,)"))
      << json;
}

TEST(Analyze, SaysOnlyWhatTheVariantInForceNeedsAtRunTime) {
  const auto needs = [](const std::string& variant) {
    const std::string out =
        run_tactus({"analyze", kRobot, "-m", "gcaps.suspend", "--variant", variant, "--details"})
            .out;
    return out.substr(out.find("At run time this needs:\n") + 24);
  };
  EXPECT_EQ(needs("safe"),
            "  gcaps.suspend: GPU contexts preempted by GPU priority; a patched driver that\n"
            "    updates on the caller's core\n");
  EXPECT_EQ(needs("safe-arbiter"),
            "  gcaps.suspend: GPU contexts preempted by GPU priority; tactusd on a core\n"
            "    without tasks of the file\n");
}

/// A file that two methods judge differently, with `deploy` or without.
std::string deploying(const std::string& deploy) {
  return R"({"tactus":1,"name":"d","time_unit":"ms",)" + deploy + R"("platform":{"elements":[
    {"name":"cpu","kind":"cpu","units":2},
    {"name":"gpu","kind":"gpu","units":1,"runlist_update":1,"time_slice":1,"context_switch":0}]},
    "tasks":[{"name":"a","period":20,"priority":2,"core":1,"nodes":[{"name":"n","on":"gpu","wcet":5}]},
    {"name":"b","period":100,"priority":1,"core":2,"nodes":[{"name":"n","on":"gpu","wcet":30}]}]})";
}

TEST(Analyze, IsJudgedByWhatTheFileDeploys) {
  const TemporaryFolder folder;
  const Ran yes = run_tactus(
      {"analyze", folder.file("y", deploying(R"("deploy":{"method":"gcaps.suspend"},)"))});
  EXPECT_EQ(yes.exit_code, 0);
  EXPECT_TRUE(
      yes.out.starts_with("d: every deadline is proved by gcaps.suspend (safe), which the file "
                          "deploys:\nsmallest slack"))
      << yes.out;
  EXPECT_TRUE(contains(yes.out, "\nLeft out: ")) << "the others are counted";
  const std::string deploys_mpcp =
      folder.file("n", deploying(R"("deploy":{"method":"mpcp.suspend","variant":"safe"},)"));
  const Ran no = run_tactus({"analyze", deploys_mpcp});
  EXPECT_EQ(no.exit_code, 1) << "although others prove it";
  EXPECT_TRUE(
      no.out.starts_with("d: NOT proved by mpcp.suspend (safe), which the file deploys. Proved"))
      << no.out;
  EXPECT_EQ(run_tactus({"analyze", deploys_mpcp, "-m", "gcaps.suspend"}).exit_code, 0)
      << "a named method counts before the deployed one";
  const Ran unknown = run_tactus(
      {"analyze", folder.file("u", deploying(R"("deploy":{"method":"dag.balanced"},)"))});
  EXPECT_EQ(unknown.exit_code, 3);
  const std::string json = run_tactus({"analyze", deploys_mpcp, "--json"}).out;
  EXPECT_TRUE(contains(json, R"("judged_by": "deployed")")) << json;
  EXPECT_TRUE(contains(json, R"("status": "unschedulable")")) << json;
}

TEST(Analyze, UsesTheDeployedVariantForTheDeployedMethodOnly) {
  const TemporaryFolder folder;
  const std::string file = folder.file(
      "f", deploying(R"("deploy":{"method":"gcaps.suspend","variant":"safe-arbiter"},)"));
  const Ran ran = run_tactus({"analyze", file, "--details"});
  EXPECT_TRUE(contains(ran.out, "gcaps.suspend (safe-arbiter): schedulable")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "gcaps.busy (safe): ")) << ran.out;
  EXPECT_FALSE(contains(ran.out, "gcaps.suspend (safe): ")) << ran.out;
}

TEST(Analyze, SaysThatNobodyWasNamedToJudge) {
  const TemporaryFolder folder;
  const Ran ran = run_tactus({"analyze", folder.file("f", deploying("")), "--details"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(
      ran.out.ends_with("Judged by all methods: one proof is enough; `deploy` in the file "
                        "or --method\nnames the method to judge by\n"))
      << ran.out;
  EXPECT_FALSE(contains(
      run_tactus({"analyze", folder.file("f"), "-m", "gcaps.busy", "--details"}).out, "Judged"));
}

TEST(Analyze, RefusesToJudgeByAMethodOrAVariantThatThereIsNot) {
  const TemporaryFolder folder;
  const std::string path = folder.file("f", deploying(R"("deploy":{"method":"gcaps.suspent"},)"));
  const Ran method = run_tactus({"analyze", path});
  EXPECT_EQ(method.exit_code, 2);
  EXPECT_EQ(method.err, path +
                            ":1:50: deploy: there is no method `gcaps.suspent`; did you mean "
                            "`gcaps.suspend`?\n");
  EXPECT_EQ(method.out, "");
  const Ran variant = run_tactus(
      {"analyze",
       folder.file("g", deploying(R"("deploy":{"method":"fmlp.busy","variant":"sage"},)"))});
  EXPECT_EQ(variant.exit_code, 2);
  EXPECT_TRUE(contains(variant.err, ":1:50: deploy: fmlp.busy has no variant `sage`; it has "))
      << variant.err;
  EXPECT_EQ(std::count(variant.err.begin(), variant.err.end(), '\n'), 1);
}

TEST(Analyze, LetsNoNameSteerTheTerminal) {
  const TemporaryFolder folder;
  const Ran ran = run_tactus({"analyze", folder.file("f", R"({"tactus":1,"name":"d","platform":{
    "elements":[{"name":"cpu","kind":"cpu","units":1}]},"tasks":[{"name":"a\u202eb","period":9,
    "priority":1,"core":1,"nodes":[{"name":"n","on":"cpu","wcet":1}]}]})"),
                              "-m", "mpcp.*"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_FALSE(contains(ran.out, "\u202e")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "a\\u202eb")) << ran.out;
  const Ran wrong = run_tactus({"analyze", "no\033[2Jfile\u009b"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(contains(wrong.err, "no\\u001b[2Jfile\\u009b")) << wrong.err;
}

TEST(Analyze, SaysInDetailWhatEachMethodProvesAndWhatTheRunTimeOwes) {
  const Ran ran = run_tactus({"analyze", kRobot, "--details"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(contains(ran.out, "gang.wc (safe): schedulable\n")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "At run time this needs:")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "needs 36.404 > 30: time slices of others 25.704")) << ran.out;
  EXPECT_EQ(ran.err, "");
}

TEST(Analyze, IsPlainAsciiWhenNotOnATerminal) {
  for (char c : run_tactus({"analyze", kRobot}).out) {
    ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << static_cast<int>(c);
  }
}

TEST(Analyze, WarnsWithEveryPublishedBound) {
  const Ran ran = run_tactus({"analyze", kTable2, "--variant", "paper", "--json"});
  std::size_t warnings = 0;
  for (std::size_t at = 0;
       (at = ran.out.find("are not safe; see findings F1-F7", at)) != std::string::npos; ++at) {
    ++warnings;
  }
  EXPECT_EQ(warnings, 10U);
}

TEST(Analyze, JsonTermsAddUpToTheBound) {
  const Ran ran =
      run_tactus({"analyze", kTable4, "--json", "-m", "gcaps.*,tsg-rr.*,mpcp.*,fmlp.*"});
  EXPECT_EQ(ran.exit_code, 1);
  const auto parsed = json::Document::parse(ran.out);
  const auto& document = std::get<json::Document>(parsed);
  const json::Value& root = document.root();
  EXPECT_EQ(root.find("tactus")->text(), "1");
  EXPECT_EQ(root.find("system")->text(), "gcaps-table4");
  ASSERT_EQ(root.find("methods")->items().size(), 14U);
  const auto ns = [](const json::Value& number) {
    return parse_scaled(number.text(), 6, Rounding::kDown)->value;
  };
  std::size_t bounds = 0, conditional_bounds = 0;
  for (const json::Value& method : root.find("methods")->items()) {
    ASSERT_EQ(method.find("tasks")->items().size(), 5U);
    for (const json::Value& task : method.find("tasks")->items()) {
      std::int64_t sum = 0;
      for (const json::Member& term : task.find("terms")->members()) sum += ns(term.value);
      const json::Value& bound = *task.find("bound");
      EXPECT_EQ(task.find("schedulable")->boolean(), bound.is(json::Kind::kNumber));
      if (bound.is(json::Kind::kNumber)) {
        ++bounds;
        EXPECT_EQ(sum, ns(bound));
        EXPECT_LE(ns(bound), ns(*task.find("deadline")));
      } else if (const json::Value* conditional = task.find("conditional_bound")) {
        ++conditional_bounds;
        EXPECT_EQ(sum, ns(*conditional));
        EXPECT_LE(sum, ns(*task.find("deadline")));
        EXPECT_EQ(task.find("demand"), nullptr);
      } else if (const json::Value* demand = task.find("demand")) {
        EXPECT_EQ(sum, ns(*demand));
        EXPECT_GT(sum, ns(*task.find("deadline")));
      }
    }
  }
  EXPECT_GT(bounds, 20U);
  EXPECT_GT(conditional_bounds, 2U);
}

TEST(Analyze, JsonHoldsThePlanOfAMethodThatMakesOne) {
  const Ran ran =
      run_tactus({"analyze", kTable2, "--json", "-m", "gcaps.suspend.prio", "--variant", "paper"});
  EXPECT_TRUE(contains(ran.out, "\"gpu_priorities\": {")) << ran.out;
}

TEST(Analyze, JsonTellsOfATableThatNoJobIsLate) {
  const std::string file = source_path("tests/data/cases/pbs/blocks_ok.system.json");
  const Ran none = run_tactus({"analyze", file, "--json", "-m", "pbs.edf-parallel"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_TRUE(contains(none.out, "\"missed\": []")) << none.out;
  const Ran one = run_tactus({"analyze", file, "--json", "-m", "pbs.edf-serial"});
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_TRUE(contains(one.out, "\"finish\": 10")) << one.out;
}

TEST(Analyze, JsonHasOneTermOfAGraphForEachElementUnderItsName) {
  const std::string file = source_path("examples/gang-fig1.system.json");
  const Ran ran = run_tactus({"analyze", file, "--json", "-m", "gang.wc"});
  for (const char* term : {"\"length\": 16", "\"ce1\": 15", "\"ce2\": 9.166667"}) {
    EXPECT_TRUE(contains(ran.out, term)) << ran.out;
  }
}

TEST(Analyze, CsvHasOneLineATaskAndMethod) {
  const Ran ran = run_tactus({"analyze", kTable4, "--csv", "-m", "gcaps.suspend,tsg-rr.busy"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(count_lines(ran.out), 11U);
  EXPECT_TRUE(contains(ran.out, "gcaps-table4,gcaps.suspend,safe,schedulable,dxtc,109,400,true\n"));
  EXPECT_TRUE(contains(ran.out, "gcaps-table4,tsg-rr.busy,safe,unschedulable,dxtc,,400,false\n"));
}

TEST(Analyze, ExplainsABoundAsASumOneCanCheck) {
  const Ran ran = run_tactus({"analyze", kRobot, "-m", "gcaps.suspend", "--explain", "lidar"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(contains(ran.out, "ceil((R + 3.8) / 33) * 6.9 = 2 * 6.9")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "bound R")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "41.1")) << ran.out;
}

TEST(Analyze, RefusesAnUnknownTaskMethodOrOptionInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"analyze", kRobot, "--explain", "camara"}, "did you mean `camera`?"},
      {{"analyze", kRobot, "--method", "gcaps.suspned"}, "did you mean `gcaps.suspend`?"},
      {{"analyze", kRobot, "--method", "nothing.*"}, "there is no method `nothing.*`"},
      {{"analyze", kRobot, "--frobnicate"}, "--frobnicate"},
      {{"analyze"}, "FILE is required"},
      {{"analyze", kRobot, "--json", "--csv"}, "excludes"},
      {{"analyze", "/no/such/file"}, "cannot open /no/such/file"},
      {{"analyse", kRobot}, "did you mean `analyze`?"},
  };
  for (const auto& [arguments, part] : mistakes) {
    const Ran ran = run_tactus(arguments);
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(count_lines(ran.err), 1U) << ran.err;
    EXPECT_TRUE(contains(ran.err, part)) << ran.err;
  }
}

TEST(Analyze, ReadsStandardInput) {
  EXPECT_EQ(run_tactus({"analyze", "-", "-m", "gcaps.busy"}, slurp(kTable4)).exit_code, 0);
  const Ran broken = run_tactus({"analyze", "-"}, "{\"tactus\": 2}");
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_EQ(broken.out, "");
  EXPECT_TRUE(contains(broken.err, "<stdin>:1:12: unknown version 2")) << broken.err;
}

TEST(Analyze, AlignsColumnsWithNamesInAnyScript) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("names.system.json", R"({"tactus": 1, "platform": {"elements": [
    {"name": "cpu", "kind": "cpu", "units": 1}]}, "tasks": [
    {"name": "カメラ", "period": 50, "priority": 2, "core": 1, "nodes": [{"name": "k", "on": "cpu", "wcet": 3}]},
    {"name": "tête", "period": 50, "priority": 1, "core": 1, "nodes": [{"name": "k", "on": "cpu", "wcet": 3}]}]})");
  const Ran ran = run_tactus({"analyze", file, "-m", "gcaps.busy", "--details"});
  // Six columns for three wide characters, four for the second name: the numbers line up.
  EXPECT_TRUE(contains(ran.out, "  カメラ           3")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "  tête             6")) << ran.out;
}

TEST(Analyze, RefusesOptionsOfMethodsWithoutSenseAsUsage) {
  const std::string pbs = source_path("examples/pbs-figure1.system.json");
  const std::string rtgpu = source_path("examples/rtgpu-perception.system.json");
  const std::string gang = source_path("examples/gang-shares.system.json");
  const std::vector<std::string> commands[] = {
      {pbs, "-m", "pbs.graph", "--time-limit", "x"},
      {pbs, "-m", "pbs.edf-serial", "--margin", "1e"},
      {pbs, "-m", "pbs.graph", "--all", "--idle"},
      {rtgpu, "-m", "rtgpu", "--allocation", "x"},
      {gang, "-m", "gang.rm-he", "--requests", "nan"},
      {gang, "-m", "gang.swc", "--plan-budget", "0"},
  };
  for (std::vector<std::string> command : commands) {
    command.insert(command.begin(), "analyze");
    const Ran ran = run_tactus(command);
    EXPECT_EQ(ran.exit_code, 2) << command[4];
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_EQ(ran.err.substr(0, 8), "tactus: ");
  }
}

}  // namespace
}  // namespace tactus::cli
