// Methods that a command line brings along: they take part everywhere, and nothing they do can harm
// more than their own verdict.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kRobot = source_path("examples/robot.system.json");
const std::string kTemplate = "mine.sum=python3 " + source_path("examples/own-methods/mine.py");

/// How many processes have this text in their command line.
int processes_with(const std::string& text) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    std::ostringstream words;
    words << file.rdbuf();  // of a process that ends meanwhile: nothing
    if (contains(words.str(), text)) ++count;
  }
  return count;
}

/// A system with two tasks that share a GPU.
std::string small_system(const std::string& name = "two") {
  return R"({ "tactus": 1, "name": ")" + name + R"(", "time_unit": "ms",
    "platform": { "elements": [ { "name": "cpu", "kind": "cpu", "units": 2 },
      { "name": "gpu", "kind": "gpu", "units": 1, "runlist_update": 0.5 } ] },
    "tasks": [ { "name": "a", "period": 40, "priority": 2, "core": 1, "nodes": [
        { "name": "c", "on": "cpu", "wcet": 2 }, { "name": "g", "on": "gpu", "wcet": 3 } ] },
      { "name": "b", "period": 50, "priority": 1, "core": 2, "nodes": [
        { "name": "c", "on": "cpu", "wcet": 1 }, { "name": "g", "on": "gpu", "wcet": 4 } ] } ] })";
}

/// A shell script that numbers its answers, with `says` for each line it reads ($n is the number).
std::string answering(const std::string& says) {
  return "n=0\nwhile read -r line; do n=$((n+1)); " + says + "; done\n";
}
const std::string kGood =
    R"(echo "{\"question\": $n, \"status\": \"schedulable\", \"tasks\": [{\"task\": \"a\", \"bound\": 39.5}]}")";

class OwnMethods : public testing::Test {
 protected:
  /// Runs `tactus VERB FILE...` with the script as the method my.own.
  Ran with_script(const std::string& script, std::vector<std::string> words) {
    const std::string file = folder_.file("method.sh", script);
    words.insert(words.end(), {"--method-command", "my.own=exec sh " + file, "-m", "my.own"});
    Ran ran = run_tactus(words);
    EXPECT_EQ(processes_with(file), 0) << "nothing is left behind";
    return ran;
  }
  Ran analyzed(const std::string& script, const std::string& time = "20") {
    return with_script(
        script, {"analyze", folder_.file("two.json", small_system()), "--method-time", time});
  }
  const TemporaryFolder folder_;
};

TEST_F(OwnMethods, TakePartInEveryFormOfAnalysis) {
  const std::vector<std::string> words = {"analyze",
                                          folder_.file("two.json", small_system()),
                                          "--method-command",
                                          kTemplate,
                                          "-m",
                                          "mine.sum,gcaps.suspend"};
  const Ran text = run_tactus(words);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "mine.sum")) << text.out;
  auto json = words, csv = words;
  json.emplace_back("--json");
  csv.emplace_back("--csv");
  const Ran document = run_tactus(json);
  EXPECT_TRUE(contains(document.out, R"("method": "mine.sum")")) << document.out;
  // 5 + 2 * 0.5 of its own, and ceil((R + 50) / 50) = 2 jobs of 6 of the other task.
  EXPECT_TRUE(contains(document.out, R"("bound": 18)")) << document.out;
  EXPECT_TRUE(contains(run_tactus(csv).out, "mine.sum,safe")) << run_tactus(csv).out;
  const Ran list = run_tactus({"methods", "--method-command", kTemplate, "mine.sum"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_TRUE(contains(list.out, "mine.py")) << list.out;
}

TEST_F(OwnMethods, MaySayThatTheyDoNotCoverASystemBesideAllOthers) {
  const std::string file = folder_.file("two.json", small_system());
  const auto refusing = [&](const std::string& rest) {
    const std::string script = folder_.file(
        "method.sh",
        answering(R"(echo "{\"question\": $n, \"status\": \"not-applicable\")" + rest + "}\""));
    return run_tactus(
        {"analyze", file, "-m", "all", "--method-command", "my.own=exec sh " + script});
  };
  const Ran silent = refusing("");
  EXPECT_EQ(silent.exit_code, 0) << silent.err;
  EXPECT_TRUE(contains(silent.out, "my.own: the method does not say why")) << silent.out;
  const Ran reasoned = refusing(R"(, \"reason\": \"too big\")");
  EXPECT_TRUE(contains(reasoned.out, "my.own: too big")) << reasoned.out;
}

TEST_F(OwnMethods, TakePartInSlackManySystemsAndExperiments) {
  const std::string file = folder_.file("two.json", small_system());
  const Ran slack = run_tactus({"slack", file, "--method-command", kTemplate, "-m", "mine.sum"});
  EXPECT_EQ(slack.exit_code, 0) << slack.err;
  EXPECT_TRUE(contains(slack.out, "mine.sum")) << slack.out;
  const std::string lines = run_tactus({"lab", "generate", "gcaps-small", "--count", "30"}).out;
  const Ran many = run_tactus({"analyze", folder_.file("own.jsonl", lines), "-j", "2",
                               "--method-command", kTemplate, "-m", "mine.sum", "--csv"});
  EXPECT_EQ(many.exit_code, 1) << many.err;
  EXPECT_EQ(many.err, "");
  const std::string experiment = folder_.file("mine.experiment.json", R"({
    "tactus_experiment": 1, "name": "mine", "title": "Mine", "recipe": "gcaps-table3",
    "sweep": { "label": "CPUs", "set": ["cpus"], "values": [1, 2] }, "sets": 3,
    "lines": [ { "name": "mine", "label": "Mine", "method": "mine.sum" },
               { "name": "gcaps", "label": "GCAPS", "method": "gcaps.suspend" } ] })");
  const std::string out = folder_.file("out");
  const Ran ran = run_tactus({"lab", "reproduce", experiment, "-o", out, "--no-figures", "-j", "2",
                              "--method-command", kTemplate});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const Ran results = run_tactus({"lab", "results", out, "--csv", "--method-command", kTemplate});
  EXPECT_TRUE(contains(results.out, "mine.sum")) << results.out << results.err;
  const Ran without = run_tactus({"lab", "results", out});
  EXPECT_TRUE(contains(without.err, "there is no method `mine.sum`")) << without.err;
  const Ran plot = run_tactus({"lab", "plot", out, "--format", "svg", "-o", folder_.file("drawn"),
                               "--method-command", kTemplate});
  if (plot.exit_code == 3) GTEST_SKIP() << "there is no gnuplot here";
  EXPECT_EQ(plot.exit_code, 0) << plot.err;
  EXPECT_TRUE(contains(slurp(folder_.file("drawn") + "/mine.svg"), "Mine"));
}

TEST_F(OwnMethods, AreValidatedAgainstTheNamedPolicy) {
  const Ran ran =
      run_tactus({"lab", "validate", "--count", "60", "--runs", "3", "--method-command", kTemplate,
                  "--method-policy", "mine.sum=gcaps.suspend", "-m", "mine.sum"});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_TRUE(contains(ran.out, "mine.sum       60")) << ran.out;
}

TEST_F(OwnMethods, ThatAreWrongAreCaughtAndTheReplayNeedsNothingElse) {
  // The work of the task alone, as if there were no other task.
  const std::string script = folder_.file("alone.py", R"(
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    tasks = [{"task": task["name"], "bound": sum(node["wcet"] for node in task["nodes"])}
             for task in question["system"]["tasks"]]
    print(json.dumps({"question": question["question"], "status": "schedulable", "tasks": tasks}),
          flush=True)
)");
  const std::vector<std::string> own = {"--method-command", "alone=python3 " + script,
                                        "--method-policy", "alone=gpu-priorities-suspend"};
  std::vector<std::string> words = {"lab",
                                    "validate",
                                    folder_.file("two.json", small_system()),
                                    "-m",
                                    "alone",
                                    "-o",
                                    folder_.file("caught")};
  words.insert(words.end(), own.begin(), own.end());
  const Ran ran = run_tactus(words);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_TRUE(contains(ran.out, "found in " + folder_.file("two.json"))) << ran.out;
  EXPECT_TRUE(contains(ran.out, "--method-command 'alone=python3 " + script)) << ran.out;
  words = {"simulate", folder_.file("caught") + "/alone-1.system.json", "--policy", "alone",
           "--script", folder_.file("caught") + "/alone-1.script.json"};
  words.insert(words.end(), own.begin(), own.end());
  const Ran again = run_tactus(words);
  EXPECT_EQ(again.exit_code, 1) << "the script alone shows it: " << again.out << again.err;
}

TEST_F(OwnMethods, WithoutAPolicyAreNotValidatedAndSayWhy) {
  const Ran ran = run_tactus({"lab", "validate", "--method-command", kTemplate, "-m", "mine.sum"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err,
            "tactus: there is no policy behind mine.sum to simulate: it names no policy; "
            "--method-policy mine.sum=POLICY names one\n");
}

TEST_F(OwnMethods, ThatJudgeOnlyTheWholeSystemNeedNoBounds) {
  const Ran ran = analyzed(answering(R"(echo "{\"question\": $n, \"status\": \"schedulable\"}")"));
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

TEST_F(OwnMethods, MayEndAfterEveryAnswer) {
  const Ran ran = with_script("read -r line; n=1; " + kGood + "\n",
                              {"analyze", folder_.file("two.json", small_system()),
                               folder_.file("three.json", small_system("three"))});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.err, "");
}

TEST_F(OwnMethods, ThatCrashAreUndecidedAndSayWhatTheySaidLast) {
  const Ran ran = analyzed("read -r line; echo 'it all went wrong' >&2; exit 7\n");
  EXPECT_EQ(ran.exit_code, 3) << ran.out;
  EXPECT_TRUE(contains(ran.err,
                       "failed: at question 1: it ended with exit code 7: it all went "
                       "wrong\n"))
      << ran.err;
  EXPECT_TRUE(contains(ran.err, "the command `exec sh ")) << ran.err;
  EXPECT_TRUE(contains(analyzed("read -r line; kill -9 $$\n").err, "it was ended by signal 9"));
  EXPECT_TRUE(contains(analyzed("exit 0\n").err, "it ended with exit code 0"));
  EXPECT_TRUE(contains(analyzed("exec 0<&-; exec 1>&-; sleep 1000\n").err, "it closed its output"));
}

TEST_F(OwnMethods, ThatHangAreKilledWithAllTheyStarted) {
  const Ran ran = analyzed("sleep 1000 & sleep 1000\n", "0.2");
  EXPECT_EQ(ran.exit_code, 3) << ran.out;
  EXPECT_TRUE(contains(ran.err, "it did not answer within 0.2 s")) << ran.err;
  EXPECT_TRUE(contains(analyzed("while :; do :; done\n", "0.2").err, "within 0.2 s"));
  EXPECT_TRUE(contains(analyzed("trap '' TERM HUP INT; while :; do sleep 0.1; done\n", "0.2").err,
                       "within 0.2 s"));
}

TEST_F(OwnMethods, ThatAnswerNonsenseAreToldInWhichLineAndColumn) {
  const auto problem = [&](const std::string& says) { return analyzed(answering(says)).err; };
  EXPECT_TRUE(contains(problem("echo hello"), "line 1, column 1 of its output: "))
      << problem("echo hello");
  EXPECT_TRUE(contains(problem("echo '{}'"), "`question` is missing"));
  EXPECT_TRUE(
      contains(problem(R"(echo '{"question": 2, "status": "schedulable"}')"),
               "column 14 of its output: this answers question 2, and question 1 was asked"));
  EXPECT_TRUE(contains(problem(R"(echo '{"question": 1, "status": "fine"}')"),
                       "`status` must be schedulable, unschedulable, undecided or not-applicable"));
  const auto tasks = [&](const std::string& list, const std::string& status = "schedulable") {
    return problem("echo '{\"question\": 1, \"status\": \"" + status + "\", \"tasks\": [" + list +
                   "]}'");
  };
  EXPECT_TRUE(contains(tasks(R"({"task": "c", "bound": 1})"), "there is no task `c`"));
  EXPECT_TRUE(contains(tasks(R"({"task": "a", "bond": 1})"), "did you mean `bound`?"));
  EXPECT_TRUE(contains(tasks(R"({"task": "a", "bound": -1})"), "`bound` must be a time >= 0"));
  EXPECT_TRUE(contains(tasks(R"({"task": "a", "bound": 1e300})"), "`bound` must be a time >= 0"));
  EXPECT_TRUE(contains(tasks(R"({"task": "a", "bound": NaN})"), "of its output: "));
  EXPECT_TRUE(contains(tasks(R"({"task": "a", "bound": 41})"),
                       "task `a` is not schedulable, but the system is"));
  EXPECT_TRUE(contains(tasks(R"({"task": "a", "bound": 41, "schedulable": true})", "unschedulable"),
                       "task `a` is schedulable with a bound past its deadline"));
  EXPECT_TRUE(contains(tasks(R"({"task": "a", "bound": 4, "terms": {"x": 1, "y": 2}})"),
                       "the terms of task `a` are 3 in all, and its bound is 4"));
  EXPECT_TRUE(contains(tasks(R"({"task": "a"}, {"task": "a"})"), "task `a` is named twice"));
  EXPECT_TRUE(contains(problem("echo '{\"question\": 1, \"status\": \"undecided\", \"plan\": {}}'"),
                       "has no policy that follows plans"));
}

TEST_F(OwnMethods, HaveTheirBoundsRoundedUpNeverDown) {
  const std::string script = folder_.file(
      "method.sh", answering("echo '{\"question\": 1, \"status\": \"schedulable\", \"tasks\": "
                             "[{\"task\": \"a\", \"bound\": 1.0000001}]}'"));
  const Ran ran = run_tactus({"analyze", folder_.file("two.json", small_system()), "--json", "-m",
                              "my.own", "--method-command", "my.own=exec sh " + script});
  EXPECT_TRUE(contains(ran.out, "\"bound\": 1.000001")) << ran.out;
}

TEST_F(OwnMethods, ThatSayTooMuchAreStopped) {
  EXPECT_TRUE(contains(analyzed("read -r line; yes | tr -d '\\n'\n").err,
                       "its answer is longer than 16777216 bytes"));
  // A second line can only be told from an answer that comes late when the next question is asked.
  const Ran twice = with_script(answering(kGood + "; " + kGood),
                                {"analyze", folder_.file("two.json", small_system()),
                                 folder_.file("three.json", small_system("three"))});
  EXPECT_TRUE(contains(twice.err, "failed: ")) << twice.err;
  EXPECT_TRUE(contains(analyzed("yes\n").err, "failed: "));
  // Neither does a flood of complaints block anybody.
  const Ran loud = analyzed("yes complaint | head -100000 >&2; " + answering(kGood));
  EXPECT_EQ(loud.exit_code, 0) << loud.err;
}

TEST_F(OwnMethods, ThatFailOnceAreAskedAgainForTheNextSystem) {
  // It crashes at every system named "bad", and answers all others.
  const std::string script =
      "n=0\nwhile read -r line; do n=$((n+1)); case \"$line\" in *'\"bad\"'*) "
      "exit 1;; esac; " +
      kGood + "; done\n";
  const auto system = [&](const std::string& name) {
    return folder_.file(name + ".json", small_system(name));
  };
  const Ran ran = with_script(
      script, {"analyze", system("one"), system("bad"), system("two"), system("three"), "--csv"});
  EXPECT_EQ(ran.exit_code, 3) << ran.out;
  EXPECT_TRUE(contains(ran.out, "one.json,one,my.own,safe,schedulable") ||
              contains(ran.out, "schedulable"))
      << ran.out;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  const Ran text = with_script(script, {"analyze", system("one"), system("bad"), system("two")});
  EXPECT_TRUE(contains(text.out, "my.own  safe               2    0          1")) << text.out;
}

TEST_F(OwnMethods, AreRefusedWhereTheirOptionsMakeNoSense) {
  const std::string file = folder_.file("two.json", small_system());
  const auto problem = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"analyze", file});
    const Ran ran = run_tactus(words);
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    return ran.err;
  };
  EXPECT_TRUE(contains(problem({"--method-command", "python3 mine.py"}),
                       "--method-command takes ID=COMMAND"));
  EXPECT_TRUE(contains(problem({"--method-command", "My Method=x"}), "takes ID=COMMAND"));
  EXPECT_TRUE(contains(problem({"--method-command", "mine="}), "has no COMMAND"));
  EXPECT_TRUE(contains(problem({"--method-command", "gcaps.suspend=x"}),
                       "there is a method `gcaps.suspend` already"));
  EXPECT_TRUE(contains(problem({"--method-policy", "mine=gcaps.suspend"}),
                       "--method-policy names `mine`, but no --method-command does"));
  EXPECT_TRUE(
      contains(problem({"--method-command", "mine=x", "--method-policy", "mine=gcap.suspend"}),
               "there is no policy `gcap.suspend`; did you mean `gcaps.suspend`?"));
  EXPECT_TRUE(
      contains(problem({"--method-time", "0"}), "--method-time must be a number of seconds"));
  EXPECT_TRUE(contains(problem({"--method-command"}), "--method-command"));
}

}  // namespace
}  // namespace tactus::cli
