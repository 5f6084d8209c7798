#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "tests/cli/run_tactus.hpp"

/// Nothing that is written on a command line is ignored silently. Every option of every verb is in
/// one of two tables: it counts whatever else is said (or contradicts it, which is an error), or
/// there is a case here in which it does nothing and one line says so.
namespace tactus::cli {
namespace {

const std::string kRobot = source_path("examples/robot.system.json");
const std::string kForklift = source_path("examples/forklift.system.json");
const std::string kDeployed = source_path("examples/deploy.system.json");
const std::string kGraph = source_path("examples/dag-example.system.json");
const std::string kTable = source_path("examples/pbs-drone.system.json");

using Words = std::vector<std::string>;

/// A command, and what it warns of: option by option, with the reason.
struct Case {
  Words words;
  std::vector<std::string> options;
  std::string why;
  std::string verb = {};  ///< where it is two words
};

const TemporaryFolder& folder() {
  static const TemporaryFolder made;
  return made;
}

std::string plan_of(const std::string& system, const std::string& method,
                    const std::string& variant) {
  const std::string path = folder().file(method + "." + variant + ".plan.json");
  const Ran ran =
      run_tactus({"plan", system, "--method", method, "--variant", variant, "-o", path});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return path;
}

/// Tasks that are processes, each of which is over at once.
std::string gated() {
  return folder().file("gated.system.json", R"({"tactus":1,"name":"gated","platform":{"elements":[
  {"name":"cpu","kind":"cpu","units":2},
  {"name":"gpu","kind":"gpu","units":1,"context_switch":0.2,"runlist_update":1,"arbiter_core":2}]},
 "tasks":[{"name":"a","period":20,"priority":2,"core":1,"command":{"argv":["true"]},
   "nodes":[{"name":"c","on":"cpu","wcet":1},{"name":"g","on":"gpu","wcet":1}]}]})");
}

std::vector<Case> all_cases() {
  const std::string made = "the plan says how it was made";
  const std::string graph = plan_of(kGraph, "dag.balanced", "safe");
  const std::string arbiter = plan_of(gated(), "gcaps.suspend", "safe-arbiter");
  return {
      {{"plan", kGraph, "--check", graph, "--variant", "safe", "--threads", "2", "--thresholds",
        "never"},
       {"--variant", "--threads", "--thresholds"},
       made},
      {{"plan", kGraph, "--check", graph, "-o", folder().file("x"), "--dot", folder().file("y")},
       {"--output", "--dot"},
       "a check writes no plan"},
      {{"simulate", kGraph, "--plan", graph, "--variant", "safe", "--threads", "2", "--effort",
        "high", "--jobs", "2"},
       {"--variant", "--threads", "--effort"},
       made},
      {{"simulate", kRobot, "-p", "gcaps.suspend", "--seed", "7", "--jobs", "2"},
       {"--seed"},
       "nothing is random in sync,worst,fifo"},
      {{"run", kGraph, "--plan", graph, "--variant", "safe", "--threads", "2", "--effort", "high",
        "--jobs", "2"},
       {"--variant", "--threads", "--effort"},
       made},
      {{"run", kGraph, "--plan", graph, "--jobs", "2", "--fill", "50", "--kernel", "memory",
        "--device", "1", "--realtime"},
       {"--fill", "--kernel", "--device", "--realtime"},
       "the emulator has no GPU"},
      {{"run", kGraph, "--plan", graph, "--jobs", "2", "--tier", "channel"},
       {"--tier"},
       "tasks of dag.balanced do not run as processes"},
      {{"run", kGraph, "--plan", graph, "--jobs", "2", "--seed", "3"},
       {"--seed"},
       "nothing is random in offsets,worst,fifo"},
      {{"run", kGraph, "--plan", graph, "--backend", "cuda", "--device", "99", "--sms", "3",
        "--partition-step", "2", "--jitter", "1"},
       {"--sms", "--partition-step", "--jitter"},
       "only the emulator has it"},
      {{"run",
        gated(),
        "-m",
        "gcaps.suspend",
        "--backend",
        "cpu",
        "--jobs",
        "1",
        "--scenario",
        "sync",
        "--seed",
        "3",
        "--strategy",
        "reclaim",
        "--share-gpu",
        "--strict",
        "--kernel",
        "memory",
        "--sms",
        "3",
        "--partition-step",
        "2",
        "--jitter",
        "1",
        "--trace",
        folder().file("t.json")},
       {"--scenario", "--seed", "--strategy", "--share-gpu", "--strict", "--kernel", "--sms",
        "--partition-step", "--jitter", "--trace"},
       "the tasks run as processes"},
      {{"run", gated(), "-m", "gcaps.boost.suspend", "--backend", "process", "--jobs", "1",
        "--thresholds", "never", "--tier", "hold", "--device", "3"},
       {"--thresholds"},
       "the tier says it; give it to `tactus plan`, and run that plan"},
      {{"run", gated(), "-m", "gcaps.suspend", "--backend", "process", "--jobs", "1", "--tier",
        "gate"},
       {"--tier"},
       "--backend process stops processes"},
      {{"run", gated(), "-m", "gcaps.suspend", "--backend", "cpu", "--jobs", "1", "--device", "3"},
       {"--device"},
       "no GPU is used"},
      {{"lab", "generate", "--list", "--set", "a=1", "--seed", "2", "--count", "3", "-o", "x"},
       {"--set", "--seed", "--count", "--output"},
       "--list only lists"},
      {{"import", "--list", "--margin", "3", "--name", "x"},
       {"--margin", "--name"},
       "--list only lists"},
      {{"import", "/no/such", "--jobs", "job_*", "--gap", "3"}, {"--gap"}, "it is of --jobs idle"},
      {{"import", source_path("tests/data/profiles/onnxruntime.json"), "--tracks", "a",
        "--gpu-tracks", "b", "--parts", "c"},
       {"--tracks", "--gpu-tracks", "--parts"},
       "it is of Chrome traces (--from chrome)"},
      {{"export", "--list", "--to", "dot", "--report", "--set", "a.b=1", "--costs", "h200/channel"},
       {"--to", "--report", "--set", "--costs"},
       "--list only lists"},
      {{"lab", "reproduce", "--list", "--sets", "3", "--json"},
       {"--sets", "--json"},
       "--list runs nothing"},
      {{"lab", "reproduce", "--show", "gcaps-fig9a", "-o", "x"},
       {"--output"},
       "--show runs nothing"},
      {{"lab", "reproduce", "no-such", "--check", "--no-figures"},
       {"--no-figures"},
       "--check draws none"},
      {{"lab", "plot", "/no/such", "--of", "time"},
       {"--of"},
       "it goes with --kind histogram, box and scatter"},
      {{"lab", "plot", "/no/such", "--lines", "a,b"}, {"--lines"}, "it goes with --kind scatter"},
      {{"watch", gated(), "--plan", arbiter, "--variant", "safe", "--threads", "2", "--duration",
        "1", "--folder", "/no/such", "--socket", "/no/such"},
       {"--variant", "--threads"},
       "the plan says how it was made"},
      {{"exec",
        "--tier",
        "process",
        "--best-effort",
        "--deadline",
        "3",
        "--gpu-time",
        "1",
        "--launch-time",
        "1",
        "--cpu-time",
        "1",
        "--jitter",
        "1",
        "--core",
        "1",
        "--name",
        "x",
        "--bound",
        "3",
        "--declared",
        "--warm-up",
        "3",
        "--until-started",
        "--wait",
        "--else-best-effort",
        "--",
        "true"},
       {"--deadline", "--gpu-time", "--launch-time", "--cpu-time", "--jitter", "--core", "--name",
        "--bound", "--declared", "--warm-up", "--until-started", "--wait", "--else-best-effort"},
       "no reservation is asked for (--period, --task, --reserved)"},
      {{"reserve", "--dump", "--socket", "/no/such", "--trust", "--no-enforce", "--notice", "1",
        "--no-all-places", "--no-instead", "--set", "a=1", "--add", "x", "--costs", "x"},
       {"--trust", "--no-enforce", "--notice", "--no-all-places", "--no-instead", "--set", "--add",
        "--costs"},
       "it is the arbiter that is asked"},
      {{"reserve", "--dump", "--socket", "/no/such", "--json"},
       {"--json"},
       "it is the arbiter that is asked, and what it says has one form"},
      {{"top", "--socket", "/no/such", "--interval", "3", "--once"},
       {"--interval"},
       "it is shown once"},
      {{"top", "--socket", "/no/such", "--json", "--costs"}, {"--json"}, "--costs is JSON"},
      {{"doctor", "--tier", "gate", "--cpus", "1", "--backend", "cuda", "--no-realtime", "--set",
        "a.b=1", "--add", "x", "--costs", "h200/channel"},
       {"--tier", "--cpus", "--backend", "--no-realtime", "--set", "--add", "--costs"},
       "without FILE and --plan nothing is to be started"},
      {{"deploy", gated(), "--plan", arbiter, "-o", folder().file("script"), "--format", "script",
        "--restart", "no"},
       {"--restart"},
       "every task is started once"},
      {{"deploy", gated(), "--plan", arbiter, "-o", folder().file("units"), "--group", "video",
        "--backend", "cuda"},
       {"--group"},
       "no task has a user of its own"},
      {{"deploy", gated(), "--plan", arbiter, "-o", folder().file("more"), "--backend", "cuda"},
       {"--backend"},
       "each task is a program of its own"},
      {{"deploy", kGraph, "--plan", graph, "-o", folder().file("player"), "--tier", "gate",
        "--socket", "/x", "--group", "video"},
       {"--tier", "--socket", "--group"},
       "this plan needs no arbiter"},
      {{"measure", kRobot, "--backend", "emulator", "--units", "8", "--runs", "1", "--task", "t",
        "--cut-at", "f", "--idle-gap", "3", "--auto", "--duration", "3"},
       {"--task", "--cut-at", "--idle-gap", "--auto", "--duration"},
       "it is of a command, and this is a file"},
      {{"measure", kRobot, "--backend", "emulator", "--units", "8", "--runs", "1", "--kernel",
        "memory", "--device", "1", "--realtime"},
       {"--kernel", "--device", "--realtime"},
       "the emulator has no GPU"},
      {{"measure", kRobot, "--device", "99", "--sms", "8", "--partition-step", "2"},
       {"--sms", "--partition-step"},
       "only the emulator has it"},
      {{"measure", kRobot, "--backend", "emulator", "--units", "8", "--runs", "1", "--samples"},
       {"--samples"},
       "it goes with --json"},
      {{"measure",  "--units",    "8",
        "--runs",   "3",          "--enemies",
        "all",      "--no-pairs", "--noisy-ok",
        "--nodes",  "a",          "--backend",
        "cuda",     "--kernel",   "memory",
        "--device", "1",          "--realtime",
        "--sms",    "3",          "--partition-step",
        "2",        "--samples",  "--set",
        "a.b=1",    "--add",      "x",
        "--costs",  "x",          "--",
        "true"},
       {"--units", "--runs", "--enemies", "--no-pairs", "--noisy-ok", "--nodes", "--backend",
        "--kernel", "--device", "--realtime", "--sms", "--partition-step", "--samples", "--set",
        "--add", "--costs"},
       "a command is watched as it runs"},
      {{"reserve", kRobot, "--dry", "--trust", "--no-enforce", "--no-instead", "--notice", "1"},
       {"--notice"},
       "nobody is held to a length"},
      {{"measure", "--cut-at", "f", "--idle-gap", "3", "--", "true"},
       {"--idle-gap"},
       "--cut-at cuts the jobs"},
      {{"gpu", "measure-batches", kTable, "-o", folder().file("b.json"), "--backend", "emulator",
        "--runs", "1", "--fill", "50", "--kernel", "memory", "--device", "1"},
       {"--fill", "--kernel", "--device"},
       "the emulator has no GPU",
       "gpu measure-batches"},
  };
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

TEST(WithoutEffect, IsOneLineForEveryOption) {
  for (const Case& each : all_cases()) {
    const Ran ran = run_tactus(each.words);
    const std::vector<std::string> told = lines_of(ran.err);
    for (const std::string& option : each.options) {
      const std::string line = "tactus: warning: " + option + " has no effect: " + each.why;
      EXPECT_EQ(std::count(told.begin(), told.end(), line), 1) << line << "\n"
                                                               << each.words.front() << " told:\n"
                                                               << ran.err;
    }
  }
}

TEST(WithoutEffect, IsToldOfTheMethodThatCounts) {
  const Ran ran = run_tactus({"analyze", kDeployed, "--k", "3", "--variant", "safe"});
  EXPECT_NE(
      ran.err.find("--k has no effect on gcaps.suspend (safe-arbiter), which the file deploys"),
      std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("--variant has no effect on gcaps.suspend (safe-arbiter)"),
            std::string::npos)
      << ran.err;
  EXPECT_EQ(run_tactus({"analyze", kDeployed}).err, "");
}

TEST(WithoutEffect, IsAnErrorOfAMethodThatWasChosenAndLacksTheOption) {
  const Ran slack = run_tactus({"slack", kDeployed, "--k", "3"});
  EXPECT_EQ(slack.exit_code, 2);
  EXPECT_EQ(slack.err,
            "tactus: gcaps.suspend, which the file deploys, has no option --k; name a method that "
            "has it\n");
  for (const Words& words : {Words{"--goal", "sms"}, Words{"--vary", "sms"}}) {
    Words all = {"advise", kForklift};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = run_tactus(all);
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_NE(ran.err.find(words[0] + " sms: camera.detect gives its time with all 16 units"),
              std::string::npos)
        << ran.err;
  }
}

TEST(WithoutEffect, IsNotSaidOfWhatCounts) {
  for (const Words& words : {Words{"simulate", kRobot, "-p", "gcaps.suspend", "--seed", "7",
                                   "--scenario", "sporadic", "--jobs", "2"},
                             Words{"run", kGraph, "-m", "dag.balanced", "--effort", "high",
                                   "--seed", "3", "--jitter", "1", "--jobs", "2"},
                             Words{"lab", "generate", "gcaps-small", "--seed", "2"}}) {
    EXPECT_EQ(run_tactus(words).err, "");
  }
}

/// Of every verb: the options that always count, beside those of the cases above.
const std::map<std::string, std::string> kAlwaysCount = {
    {"init", "--help --task --chain --from --name --cores --sms --costs --output --json"},
    {"check",
     "--help --set --add --costs --json --canonical --method-command --method-policy --plugin "
     "--method-time"},
    {"import",
     "--help --list --output --from --report --json --jobs --tasks --fold --gpu-only --bcet "
     "--demand --skip --period --deadline --cores --sms --times --edges --time-unit --task --after "
     "--lag --join"},
    {"export", "--help --list --add --output"},
    {"explain", "--help --json --method-command --method-policy --plugin --method-time"},
    {"reserve",
     "--help --set --add --costs --trust --no-enforce --no-all-places --no-instead --dry --json "
     "--list --dump --start --socket"},
    {"methods", "--help --json --bibtex --method-command --method-policy --plugin --method-time"},
    {"analyze",
     "--help --method --variant --threads --set --add --costs --min-slack --baseline --junit "
     "--sarif --explain --details --no-pager --json --csv --method-command --method-policy "
     "--plugin --method-time"},
    {"slack",
     "--help --method --variant --threads --set --add --costs --json --csv --sweep --points --svg "
     "--method-command --method-policy --plugin --method-time"},
    {"advise",
     "--help --vary --target --goal --method --set --add --costs --seed --threads --stop-after "
     "--output --plan-out --json --method-command --method-policy --plugin --method-time"},
    {"report",
     "--help --output --pdf --no-slack --threads --method-command --method-policy --plugin "
     "--method-time"},
    {"serve", "--help --port --host --open --watch --socket"},
    {"plan",
     "--help --method --set --add --costs --json --check --method-command --method-policy --plugin "
     "--method-time"},
    {"simulate",
     "--help --policy --method --set --add --costs --plan --scenario --late-completions --jobs "
     "--duration --script --write-script --trace --gantt --figure --window --around --json "
     "--method-command --method-policy --plugin --method-time"},
    {"run",
     "--help --policy --method --set --add --costs --plan --mode --wait --backend --jobs "
     "--duration --until-stopped --on-overrun --trace-last --figure --window --around --json "
     "--method-command --method-policy --plugin --method-time"},
    {"deploy",
     "--help --plan --output --format --cpus --no-realtime --set --add --costs --programs "
     "--replace --accept --json --method-command --method-policy --plugin --method-time"},
    {"doctor", "--help --plan --gpu-clock --root --accept --running --socket --json"},
    {"exec",
     "--help --priority --best-effort --share --segments --auto --threshold --tier --slice "
     "--socket "
     "--required --period "
     "--task "
     "--reserved"},
    {"watch",
     "--help --method --set --add --costs --plan --socket --folder --duration --exec "
     "--until-outside --output --json --openmetrics --method-command --method-policy --plugin "
     "--method-time"},
    {"top", "--help --socket --once --costs --openmetrics"},
    {"tiers", "--help --device --runs --need --json"},
    {"gpu", "--help"},
    {"lab", "--help"},
    {"lab own-methods", "--help --method-command --method-policy --plugin --method-time"},
    {"measure", "--help --output --margin --bcet --json"},
    {"lab validate",
     "--help --method --variant --threads --count --runs --recipe --set --search "
     "--late-completions --jobs --duration --seed --limit --output --stop-after --json "
     "--method-command --method-policy --plugin --method-time"},
    {"lab generate",
     "--help --list --stop-after --method-command --method-policy --plugin --method-time"},
    {"lab reproduce",
     "--help --all --points --threads --stop-after --resume --list --show --check --method-command "
     "--method-policy --plugin --method-time"},
    {"lab results",
     "--help --csv --json --raw --times --compare --weighted --bundle --method-command "
     "--method-policy --plugin --method-time"},
    {"lab plot",
     "--help --output --format --kind --style --report --errata --method-command --method-policy "
     "--plugin --method-time"},
    {"schema", "--help"},
    {"completion", "--help"},
    {"help", "--help --version"},
    {"gpu info", "--help --json"},
    {"gpu profiles", "--help --json"},
    {"gpu calibrate", "--help --output --device --runs --no-switches --json"},
    {"gpu measure-batches",
     "--help --set --add --costs --output --max-size --runs --quantile --margin --share-gpu "
     "--backend --json"},
};

std::vector<std::string> offered(Words words) {
  words.insert(words.begin(), {"complete", "--"});
  return lines_of(run_tactus(words).out);
}

TEST(WithoutEffect, IsDecidedForEveryOptionOfEveryVerb) {
  std::map<std::string, std::set<std::string>> decided;
  for (const auto& [verb, options] : kAlwaysCount) {
    std::istringstream words(options);
    for (std::string word; words >> word;) decided[verb].insert(word);
  }
  for (const Case& each : all_cases()) {
    const std::string& first = each.words.front();
    auto& of_verb = decided[!each.verb.empty() ? each.verb
                            : first == "lab"   ? first + " " + each.words[1]
                                               : first];
    of_verb.insert(each.options.begin(), each.options.end());
  }
  std::vector<std::string> verbs = offered({""});
  verbs.insert(verbs.end(), {"gpu info", "gpu profiles", "gpu calibrate", "gpu measure-batches"});
  for (const std::string& verb : offered({"lab", ""})) verbs.push_back("lab " + verb);
  for (const std::string& verb : verbs) {
    std::istringstream parts(verb);
    Words words;
    for (std::string part; parts >> part;) words.push_back(part);
    words.emplace_back("--");
    for (const std::string& option : offered(words)) {
      const bool of_every_verb = option == "--color" || option == "--quiet";
      EXPECT_TRUE(of_every_verb || decided[verb].contains(option))
          << verb << " " << option << ": when does it do nothing, and is that told?";
    }
  }
}

}  // namespace
}  // namespace tactus::cli
