#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tactus/methods/method.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kTable2 = source_path("examples/gcaps-table2.system.json");
const std::string kRobot = source_path("examples/robot.system.json");

TEST(Check, SaysOkWithWhatTheFileHolds) {
  const Ran ran = run_tactus({"check", kTable2, kRobot});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, kTable2 + ": ok: 2 elements, 4 tasks, 12 nodes, 8 edges\n" + kRobot +
                         ": ok: 2 elements, 5 tasks, 14 nodes, 9 edges\n");
}

TEST(Check, TellsAllProblemsOfAFileInOneGo) {
  const TemporaryFolder folder;
  const std::string file = folder.file("bad.system.json", R"({
  "tactus": 1,
  "platform": { "elements": [ { "name": "gpu", "kind": "gpu", "units": 0 } ] },
  "tasks": [
    { "name": "a", "peroid": 4, "nodes": [
        { "name": "x", "on": "gpo", "wcet": -1 },
        { "name": "y", "on": "gpu", "wcet": 1 } ],
      "edges": [["x","y"],["y","x"]] } ]
})");
  const Ran ran = run_tactus({"check", file});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            file + ":3:72: platform: element `gpu`: `units` must be an integer >= 1, got 0\n" +
                file + ":5:20: task `a`: unknown key `peroid`; did you mean `period`?\n" + file +
                ":6:30: task `a`: node `x`: there is no element `gpo`; did you mean `gpu`?\n" +
                file + ":6:45: task `a`: node `x`: `wcet` must be a time >= 0, got -1\n" + file +
                ":8:16: task `a`: the edges form a cycle: `x` -> `y` -> `x`\n");
}

TEST(Check, WarnsOfAFileThatEveryMethodRefuses) {
  const TemporaryFolder folder;
  const std::string nobody = folder.file("n", R"({"tactus":1,"name":"n","platform":{"elements":[
    {"name":"cpu","kind":"cpu","units":1}]},"tasks":[
    {"name":"a","best_effort":true,"nodes":[{"name":"n","on":"cpu","wcet":1}]}]})");
  const Ran ran = run_tactus({"check", nobody});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err,
            nobody +
                ": warning: no method covers this file; `tactus analyze` says what each of "
                "them needs\n");
  EXPECT_TRUE(contains(ran.out, ": ok: ")) << ran.out;
  EXPECT_TRUE(contains(run_tactus({"check", "--json", nobody}).out, R"("severity": "warning")"));
}

TEST(Check, RefusesACoreThatIsNotThereAndAMethodThatIsNotThere) {
  const TemporaryFolder folder;
  const auto file = [&](const std::string& deploy, const std::string& core) {
    return folder.file("f" + core, R"({"tactus":1,"name":"n",)" + deploy + R"(
"platform":{"elements":[{"name":"cpu","kind":"cpu","units":2}]},"tasks":[
{"name":"a","period":9,"core":)" + core +
                                       R"(,"nodes":[{"name":"n","on":"cpu","wcet":1}]}]})");
  };
  const std::string core = file("", "3"), method = file(R"("deploy":{"method":"gcaps"},)", "2");
  EXPECT_EQ(run_tactus({"check", core}).err,
            core + ":3:31: task `a`: `core` (3) exceeds the `units` of element `cpu` (2)\n");
  const Ran ran = run_tactus({"check", method});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_TRUE(contains(ran.err, method + ":1:33: deploy: there is no method `gcaps`")) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(Check, GivesDiagnosticsAsJson) {
  const Ran ran = run_tactus({"check", "--json", kTable2, "/no/such/file"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_TRUE(contains(ran.out, "\"valid\": true")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\"valid\": false")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "cannot open /no/such/file")) << ran.out;
}

TEST(Check, PrintsTheCanonicalFormWhichIsItsOwnCanonicalForm) {
  const Ran once = run_tactus({"check", "--canonical", kRobot});
  const Ran twice = run_tactus({"check", "--canonical", "-"}, once.out);
  EXPECT_EQ(once.exit_code, 0);
  EXPECT_EQ(once.out, twice.out);
  EXPECT_EQ(twice.err, "");
}

TEST(Methods, ListsEveryMethodOfTheRegistry) {
  const Ran ran = run_tactus({"methods"});
  EXPECT_EQ(ran.exit_code, 0);
  for (const Method* method : registry()) {
    EXPECT_TRUE(contains(ran.out, std::string(method->id) + " ")) << method->id;
    EXPECT_FALSE(method->title.empty() || method->paper.empty() || method->assumes.empty() ||
                 method->needs.empty() || method->variants.empty())
        << method->id;
    EXPECT_EQ(method->variants.front(), kSafe) << method->id;
  }
}

TEST(Methods, ShowsOneInDetail) {
  const Ran ran = run_tactus({"methods", "mpcp.busy"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(contains(ran.out, "assumes")) << ran.out;
  EXPECT_EQ(run_tactus({"methods", "nope"}).exit_code, 2);
}

TEST(Plan, IsWrittenAndPassesItsOwnCheck) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("p.plan.json");
  const Ran made =
      run_tactus({"plan", kTable2, "-m", "gcaps.suspend.prio", "--variant", "paper", "-o", plan});
  EXPECT_EQ(made.exit_code, 0);
  EXPECT_TRUE(contains(slurp(plan), "\"tau3\": 1")) << slurp(plan);
  EXPECT_EQ(run_tactus({"plan", kTable2, "--check", plan}).exit_code, 0);
}

TEST(Plan, IsNotWrittenThroughALinkInASharedFolder) {
  const TemporaryFolder folder;
  const std::string shared = folder.file("shared"), victim = folder.file(".bashrc", "precious");
  std::filesystem::create_directory(shared);
  ::chmod(shared.c_str(), 01777);
  std::filesystem::create_symlink(victim, shared + "/p.plan.json");
  for (const char* output : {"-o", "--dot"}) {
    const Ran ran = run_tactus({"plan", source_path("examples/dag-example.system.json"), "-m",
                                "dag.balanced", output, shared + "/p.plan.json"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_TRUE(contains(ran.err, "there is a symbolic link in " + shared)) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
    EXPECT_EQ(slurp(victim), "precious");
  }
  const Ran trace = run_tactus({"simulate", kRobot, "--policy", "gcaps.suspend", "--jobs", "2",
                                "--trace", shared + "/p.plan.json"});
  EXPECT_EQ(trace.exit_code, 2);
  EXPECT_EQ(slurp(victim), "precious");
}

TEST(Plan, IsRefusedForAnotherSystem) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("p.plan.json");
  run_tactus({"plan", kRobot, "-m", "gcaps.suspend.prio", "-o", plan});
  const Ran ran = run_tactus({"plan", kTable2, "--check", plan});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_TRUE(contains(ran.err, "made for another system")) << ran.err;
}

TEST(Plan, ThatWasTamperedWithFailsItsCheck) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("p.plan.json");
  run_tactus({"plan", kTable2, "-m", "gcaps.suspend.prio", "--variant", "paper", "-o", plan});
  std::string text = slurp(plan);
  text.replace(text.find("\"tau3\": 1"), 9, "\"tau3\": 9");
  const Ran ran = run_tactus({"plan", kTable2, "--check", folder.file("q.plan.json", text)});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.out, "task `tau4`: no bound within its deadline")) << ran.out;
}

TEST(Plan, IsBadInputWithItsPlaceWhenItsBodyIsMalformed) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("p.plan.json");
  run_tactus({"plan", kRobot, "-m", "gcaps.suspend.prio", "-o", plan});
  std::string text = slurp(plan);
  text.replace(text.find("\"priorities\": {"), 15, "\"priorities\": [], \"x\": {");
  const std::string bad = folder.file("q.plan.json", text);
  const Ran ran = run_tactus({"plan", kRobot, "--check", bad});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, bad + ":16:17: `priorities` must be an object\n");
}

TEST(Plan, ChecksAsJsonToo) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("p.plan.json");
  run_tactus({"plan", kTable2, "-m", "gcaps.suspend.prio", "--variant", "paper", "-o", plan});
  const Ran good = run_tactus({"plan", kTable2, "--check", plan, "--json"});
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_TRUE(contains(good.out, "\"holds\": true")) << good.out;
  std::string text = slurp(plan);
  text.replace(text.find("\"tau3\": 1"), 9, "\"tau3\": 9");
  const Ran bad =
      run_tactus({"plan", kTable2, "--check", folder.file("q.plan.json", text), "--json"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_TRUE(contains(bad.out, "\"holds\": false")) << bad.out;
  EXPECT_TRUE(contains(bad.out, "task `tau4`: no bound within its deadline")) << bad.out;
}

TEST(Plan, WithAHeadOfTheWrongFormIsNoPlan) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("p.plan.json");
  run_tactus({"plan", kRobot, "-m", "gcaps.suspend.prio", "-o", plan});
  const std::string whole = slurp(plan);
  for (const char* variant : {"true", "[[]]", "\"nonsense\"", "null", "{}"}) {
    std::string text = whole;
    text.replace(text.find("\"safe\""), 6, variant);
    const Ran ran = run_tactus({"plan", kRobot, "--check", folder.file("q.plan.json", text)});
    EXPECT_EQ(ran.exit_code, 2) << variant;
    EXPECT_EQ(ran.out, "");
  }
}

TEST(Plan, IsNotWrittenWhenThereIsNone) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("p.plan.json");
  EXPECT_EQ(run_tactus({"plan", kTable2, "-m", "gcaps.suspend.prio", "-o", plan}).exit_code, 1);
  EXPECT_EQ(slurp(plan), "");
  EXPECT_EQ(run_tactus({"plan", kTable2, "-m", "gcaps.suspend"}).exit_code, 1);
}

TEST(Plan, IsOfTheMethodThatTheFileDeploysOrTheBestWhereNoneIsNamed) {
  const Ran deployed = run_tactus({"plan", source_path("tests/data/cover/amr.system.json")});
  EXPECT_EQ(deployed.exit_code, 0) << deployed.err;
  EXPECT_TRUE(
      contains(deployed.out, "method: gcaps.boost.suspend (safe), which the file deploys\n"))
      << deployed.out;
  const Ran best = run_tactus({"plan", kRobot, "--json"});
  EXPECT_EQ(best.exit_code, 0) << best.err;
  EXPECT_TRUE(contains(best.err, "which leaves most slack of those that are proved")) << best.err;
}

TEST(Plan, ThatIsLateIsShownButNeitherWrittenNorTaken) {
  const TemporaryFolder folder;
  const auto system = [&](const std::string& name, const std::string& deadline) {
    return folder.file(name, R"({"tactus":1,"name":"d","time_unit":"ms","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":2,"t_min":1}]},"tasks":[{"name":"t","period":90,
      "deadline":)" + deadline + R"(,"nodes":[{"name":"a","on":"gpu","load":8}]}]})");
  };
  const std::string plan = folder.file("p.plan.json");
  const Ran late = run_tactus({"plan", system("late.json", "3"), "-m", "dag.balanced", "-o", plan});
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_TRUE(contains(late.out, "unschedulable")) << late.out;
  EXPECT_EQ(late.err, "tactus: " + plan +
                          " is not written: dag.balanced does not prove every deadline with it\n");
  EXPECT_EQ(slurp(plan), "");

  const std::string json =
      run_tactus({"plan", system("late.json", "3"), "-m", "dag.balanced", "--json"}).out;
  const Ran check = run_tactus(
      {"plan", system("late.json", "3"), "--check", folder.file("late.plan.json", json)});
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_TRUE(contains(check.out, "deadline: the bound 4 of task `t` exceeds its deadline 3"))
      << check.out;
}

TEST(Plan, LeavesNothingBehindWhereItCannotWrite) {
  const Ran ran =
      run_tactus({"plan", kRobot, "-m", "gcaps.busy.prio", "-o", "/no/such/folder/p.json"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(contains(ran.err, "cannot write /no/such/folder/p.json")) << ran.err;
}

TEST(Schema, IsTheOneInTheDocumentation) {
  const Ran ran = run_tactus({"schema"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, slurp(source_path("docs/system.schema.json")));
}

TEST(Help, OfEveryVerbShowsExamples) {
  for (const char* verb : {"check", "methods", "analyze", "plan", "lab", "schema", "completion"}) {
    const Ran ran = run_tactus({verb, "--help"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_TRUE(contains(ran.out, "Example")) << verb;
  }
  EXPECT_EQ(run_tactus({"--version"}).exit_code, 0);
}

TEST(Budget, IsStatedByEveryVerbAndInTheDocumentation) {
  // "| `analyze`, `plan` | 8 GiB | 60 min |" against "Budget: 8 GiB of memory, 60 min".
  const std::string page = slurp(source_path("docs/use/cli.md"));
  int verbs = 0;
  for (std::size_t at = page.find("| verb | memory | time |"); at != std::string::npos;) {
    at = page.find("\n| `", at + 1);
    if (at == std::string::npos || page.find("\n\n", page.find("| verb |")) < at) break;
    const std::string row = page.substr(at + 3, page.find('\n', at + 1) - at - 3);
    const std::string names = row.substr(0, row.find(" | "));
    const std::string limits = row.substr(names.size() + 3, row.rfind(" |") - names.size() - 3);
    std::string memory = limits.substr(0, limits.find(" | "));
    std::string time = limits.substr(limits.find(" | ") + 3);
    memory = memory == "no limit" ? "memory without limit" : memory + " of memory";
    if (time == "no limit") time = "time without limit";
    for (std::size_t open = names.find('`'); open != std::string::npos; ++verbs) {
      const std::size_t close = names.find('`', open + 1);
      const std::string verb = names.substr(open + 1, close - open - 1);
      const bool in_lab = verb.starts_with("lab ");
      const std::string help =
          run_tactus(in_lab ? std::vector<std::string>{"lab", verb.substr(4), "--help"}
                            : std::vector<std::string>{verb, "--help"})
              .out;
      EXPECT_TRUE(contains(help, "Budget: " + memory + ", " + time)) << verb << "\n" << help;
      open = names.find('`', close + 1);
    }
  }
  EXPECT_EQ(verbs, 30);
}

TEST(Budget, OfMemoryEndsAVerbInOneLine) {
  const TemporaryFolder folder;
  std::string text = "[";
  for (int i = 0; i < 25'000'000; ++i) text += "{},";  // each takes much more than its three bytes
  const std::string file = folder.file("f", text + "{}]");
  ::setenv("TACTUS_MEMORY", "1", 1);
  const Ran ran = run_tactus({"check", file});
  ::unsetenv("TACTUS_MEMORY");
  if (ran.exit_code == 2) GTEST_SKIP() << "a sanitizer looks after memory";
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err, "tactus: out of memory: check may take 1 GiB; TACTUS_MEMORY gives it more\n");
}

TEST(StopAfter, KeepsWhatIsDoneAndSaysSo) {
  // More than a year of work, each.
  const TemporaryFolder folder;
  const std::string sets = folder.file("sets"), store = folder.file("store");
  const Ran generated = run_tactus(
      {"lab", "generate", "gcaps-table3", "--count", "999999999", "-o", sets, "--stop-after", "1"});
  EXPECT_EQ(generated.exit_code, 3);
  EXPECT_TRUE(contains(generated.err, "tactus: stopped after ")) << generated.err;
  const auto files = std::filesystem::directory_iterator(sets);
  const auto count = std::distance(begin(files), end(files));
  EXPECT_TRUE(contains(generated.err, " " + std::to_string(count) + " of 999999999 systems"))
      << generated.err << count;

  const Ran validated = run_tactus({"lab", "validate", "--method", "gcaps.suspend", "--count",
                                    "999999999", "--stop-after", "1", "--json"});
  EXPECT_EQ(validated.exit_code, 3);
  EXPECT_TRUE(contains(validated.err, "tactus: stopped before the end")) << validated.err;
  EXPECT_TRUE(contains(validated.out, "gcaps.suspend"));

  const Ran reproduced = run_tactus({"lab", "reproduce", "gcaps-fig8b", "--sets", "999999", "-o",
                                     store, "--no-figures", "--stop-after", "1"});
  EXPECT_EQ(reproduced.exit_code, 3);
  EXPECT_TRUE(contains(reproduced.err, "this continues:")) << reproduced.err;
  EXPECT_EQ(run_tactus({"lab", "results", store}).exit_code, 0);

  for (const char* wrong : {"0", "-1", "soon", "1e3"}) {
    EXPECT_EQ(run_tactus({"lab", "generate", "gcaps-table3", "--stop-after", wrong}).exit_code, 2);
  }
}

TEST(Budget, MustBeANumber) {
  ::setenv("TACTUS_TIME", "soon", 1);
  const Ran ran = run_tactus({"check", kRobot});
  ::unsetenv("TACTUS_TIME");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.err,
            "tactus: TACTUS_TIME must be a whole number from 0 to 1000000000, got `soon`\n");
}

TEST(Help, FitsTheTerminalAndSaysDefaults) {
  const Ran ran = run_tactus({"simulate", "--help"});
  EXPECT_EQ(run_tactus({"help", "simulate"}).out, ran.out);
  EXPECT_TRUE(contains(ran.out, "(default 100)")) << ran.out;
  std::size_t start = 0;
  for (std::size_t end; (end = ran.out.find('\n', start)) != std::string::npos; start = end + 1) {
    const std::string line = ran.out.substr(start, end - start);
    EXPECT_TRUE(line.size() <= 80 || line.starts_with("  tactus ")) << line;
  }
}

TEST(Mistakes, AreToldInOneLineThatHelps) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"help", "analize"},
       "there is no verb `analize`; did you mean `analyze`? (see tactus --help)"},
      {{"help", "foo"}, "there is no verb `foo` (see tactus --help)"},
      {{"analize", "--help"},
       "there is no verb `analize`; did you mean `analyze`? (see tactus --help)"},
      {{"help", "gpu", "inof"},
       "there is no verb `inof`; did you mean `info`? (see tactus gpu --help)"},
      {{"run", kRobot, "--tier", "chanel"},
       "--tier must be one of channel, yield, gate, hold, got `chanel`; did you mean `channel`? "
       "(see "
       "tactus run --help)"},
      {{"exec", "--tier", "x", "--", "ls"},
       "--tier must be one of process, channel, hold, timeslice, got `x` (see tactus exec --help)"},
      {{"exec", "--auto", "--", "ls"},
       "--auto needs --priority N: best-effort programs need no segments"},
      {{"exec", "--auto", "--priority", "70", "--tier", "process", "--", "ls"},
       "a program with automatic segments is held back by --tier hold or channel"},
      {{"exec", "--auto", "--priority", "70", "--threshold", "69", "--", "ls"},
       "--threshold is protected, or a number not below --priority"},
      {{"exec", "--auto", "--priority", "70", "--threshold", "7x", "--", "ls"},
       "--threshold is protected, or a number not below --priority"},
      {{"exec", "--priority", "70", "--threshold", "80", "--", "ls"}, "--threshold is for --auto"},
      {{"analyze", kRobot, "-j", "0"},
       "--threads must be a whole number from 1 to 1024, got 0 (see tactus analyze --help)"},
      {{"analyze", kRobot, "-m", "gcap"}, "there is no method `gcap`; did you mean `gcaps.*`?"},
      {{"analyze", kRobot, "-m", "gcaps.sus"},
       "there is no method `gcaps.sus`; did you mean `gcaps.suspend`?"},
      {{"analyze", kRobot, "-m", "gcaps.boost.s"},
       "there is no method `gcaps.boost.s`; did you mean `gcaps.boost.suspend`?"},
      {{"analyze", kRobot, "--set", "camera.detect.wcet", "28"},
       "--set: `camera.detect.wcet` has no =VALUE, as in camera.detect.wcet=11 (see tactus analyze "
       "--help)"},
      {{"analyze", kRobot, "-m", "gcaps.suspend,fmpl.busy"},
       "there is no method `fmpl.busy`; did you mean `fmlp.busy`?"},
      {{"analyze", kRobot, "-m", "xyzzy"},
       "there is no method `xyzzy`; `tactus methods` lists them"},
      {{"analyze", kRobot, "--variant", "SAFE"},
       "none of the chosen methods has the variant `SAFE`; did you mean `safe`?"},
      {{"analyze", kRobot, "--explain", "camra"},
       "there is no task `camra`; did you mean `camera`?"},
      {{"simulate", kRobot, "--scenario", "sync,wrost"},
       "a scenario has no word `wrost`; did you mean `worst`?"},
      {{"analyse", kRobot},
       "there is no verb `analyse`; did you mean `analyze`? (see tactus --help)"},
      {{"gpu", "inof"}, "there is no verb `inof`; did you mean `info`? (see tactus gpu --help)"},
      {{"analyze"}, "FILE is required (see tactus analyze --help)"},
      {{"analyze", kRobot, "--methods", "all"},
       "there is no option `--methods`; did you mean `--method`? (see tactus analyze --help)"},
      {{"slack", "a", "b"}, "`b` is one argument too many (see tactus slack --help)"},
      {{"--verison"},
       "there is no option `--verison`; did you mean `--version`? (see tactus --help)"},
      {{"analyze", kRobot, "-m", "gcaps"}, "there is no method `gcaps`; did you mean `gcaps.*`?"},
      {{"plan", kRobot, "-m", "gang.rm-he"},
       "gang.rm-he makes no plans, other methods do; `tactus methods` lists them"},
      {{"check", "/no/such/file"}, "cannot open /no/such/file: No such file or directory"},
  };
  for (const auto& [words, line] : mistakes) {
    const Ran ran = run_tactus(words);
    EXPECT_EQ(ran.exit_code, 2) << line;
    EXPECT_EQ(ran.out, "") << line;
    EXPECT_EQ(ran.err, "tactus: " + line + "\n");
  }
  const Ran file = run_tactus({kRobot});
  EXPECT_TRUE(contains(file.err, "did you mean `tactus analyze " + kRobot)) << file.err;
}

TEST(Output, ToAFullDiskIsAnError) {
  const TemporaryFolder folder;
  const std::string command =
      std::string(TACTUS_BINARY) + " methods > /dev/full 2> " + folder.file("err");
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_TRUE(contains(slurp(folder.file("err")), "cannot write standard output"));
}

}  // namespace
}  // namespace tactus::cli
