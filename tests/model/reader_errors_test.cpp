#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/model/marked_text.hpp"

/// Every rule of the reader and the checker: what is wrong, where it is said to be, in what words.
namespace tactus {
namespace {

struct Case {
  std::string text;     ///< with the mark `@` before the place that is to blame
  std::string message;  ///< the whole message, path included
};

/// Each text gives exactly this one complaint and no system.
void expect_refusals(const std::vector<Case>& cases) {
  for (const auto& [text, message] : cases) {
    const MarkedText marked = unmark(text);
    ASSERT_TRUE(marked.at.known()) << "the case has no mark: " << text;
    const ReadResult result = read_system(marked.text);
    EXPECT_FALSE(result.system);
    const auto expected = fmt::format("{}:{}: {}", marked.at.line, marked.at.column, message);
    EXPECT_EQ(complaints(result), std::vector<std::string>{expected}) << marked.text;
  }
}

TEST(ReaderRefuses, ABadTopOfTheFile) {
  expect_refusals(
      {Case{"@[]", "expected an object"}, Case{"@3", "expected an object"},
       Case{R"(@{"platform": {"elements": []}, "tasks": []})", "`tactus` is missing"},
       Case{R"({"tactus": @2, "platform": {"elements": []}, "tasks": []})",
            "unknown version 2 of the format; this tactus reads version 1"},
       Case{R"({"tactus": @"1", "platform": {"elements": []}, "tasks": []})",
            "`tactus` must be an integer >= 1, got the text `1`"},
       Case{R"({"tactus": @1.5, "platform": {"elements": []}, "tasks": []})",
            "`tactus` must be an integer >= 1, got 1.5"},
       Case{R"(@{"tactus": 1, "tasks": []})", "`platform` is missing"},
       Case{R"({"tactus": 1, "tasks": [], "platform": @{}})", "platform: `elements` is missing"},
       Case{R"({"tactus": 1, "tasks": [], "platform": @[]})", "platform: expected an object"},
       Case{R"({"tactus": 1, "tasks": [], "platform": {"elements": @{}}})",
            "platform: `elements` must be an array, got an object"},
       Case{R"(@{"tactus": 1, "platform": {"elements": []}})", "`tasks` is missing"},
       Case{with_top(R"("tasks": @null)"), "`tasks` must be an array, got null"},
       Case{with_top(R"("tasks": [@"t"])"), "tasks[0]: expected an object"},
       Case{with_top(R"("tasks": [], "name": @7)"), "`name` must be text, got 7"},
       Case{with_top(R"("tasks": [], "note": @[])"), "`note` must be text, got an array"},
       Case{with_top(R"("tasks": [], "$schema": @true)"), "`$schema` must be text, got true"},
       Case{with_top(R"("tasks": [], "time_unit": @"min")"),
            "`time_unit` must be one of ns us ms s unit, got the text `min`"},
       Case{with_top(R"("tasks": [], "time_unit": @1)"),
            "`time_unit` must be one of ns us ms s unit, got 1"}});
}

TEST(ReaderRefuses, UnknownAndRepeatedKeys) {
  expect_refusals(
      {Case{with_top(R"("tasks": [], @"tsaks": [])"), "unknown key `tsaks`; did you mean `tasks`?"},
       Case{with_top(R"("tasks": [], @"taks": [])"), "unknown key `taks`; did you mean `tasks`?"},
       Case{with_top(R"("tasks": [], @"something": [])"), "unknown key `something`"},
       Case{with_top(R"("tasks": [], @"tasks": [])"), "key `tasks` is given twice"},
       Case{with_top(R"("tasks": [], @"": 1)"), "unknown key ``"},
       Case{with_top(R"("tasks": [], @"a\u001b[31m": 1)"), R"(unknown key `a\x1b[31m`)"},
       Case{with_element(R"("kind": "cpu", "units": 1, @"unit": 1)"),
            "platform: element `e`: unknown key `unit`; did you mean `units`?"},
       Case{with_element(R"("kind": "gpu", "units": 1, "sm": {@"thread": 1})"),
            "platform: element `e`: sm: unknown key `thread`; did you mean `threads`?"},
       Case{with_task(R"("nodes": [{"name": "n", "on": "cpu"}], @"perid": 1)"),
            "task `t`: unknown key `perid`; did you mean `period`?"},
       Case{with_node(R"("wcet": 1, @"wcet": 2)"), "task `t`: node `n`: key `wcet` is given twice"},
       Case{with_node(R"(@"wect": 1)"),
            "task `t`: node `n`: unknown key `wect`; did you mean `wcet`?"},
       Case{with_batches(R"("interference": {@"modle": "none"})"),
            "interference: unknown key `modle`; did you mean `model`?"},
       Case{with_batches(R"("batches": [{"tasks": ["a"], "completion": 2, @"order": true}])"),
            "batches[0]: unknown key `order`; did you mean `ordered`?"}});
}

TEST(ReaderRefuses, BadNamesAndReferences) {
  expect_refusals(
      {Case{with_top(R"("tasks": [@{"nodes": [{"name": "n", "on": "cpu"}]}])"),
            "tasks[0]: `name` is missing"},
       Case{with_top(R"("tasks": [{"name": @"", "nodes": [{"name": "n", "on": "cpu"}]}])"),
            "tasks[0]: `name` must be a name that is not empty, got the text ``"},
       Case{with_top(R"("tasks": [{"name": @5, "nodes": [{"name": "n", "on": "cpu"}]}])"),
            "tasks[0]: `name` must be a name, got 5"},
       Case{
           with_top(R"("tasks": [{"name": @"a\nb", "nodes": [{"name": "n", "on": "cpu"}]}])"),
           R"(task `a\x0ab`: `name` must be a name without control characters, got the text `a\x0ab`)"},
       Case{with_top(R"("tasks": [{"name": "t", "nodes": [{"name": "n", "on": "cpu"}]},
                                   {"name": @"t", "nodes": [{"name": "n", "on": "cpu"}]}])"),
            "there are two tasks named `t`"},
       Case{with_task(R"("nodes": [{"name": "n", "on": "cpu"}, {"name": @"n", "on": "cpu"}])"),
            "task `t`: there are two nodes named `n`"},
       Case{with_task(R"("nodes": [{"name": "n", "on": "cpu"}, @{"on": "cpu"}])"),
            "task `t`: nodes[1]: `name` is missing"},
       Case{R"({"tactus": 1, "tasks": [], "platform": {"elements": [
               {"name": "e", "kind": "cpu", "units": 1}, {"name": @"e", "kind": "gpu", "units": 1}]}})",
            "platform: there are two elements named `e`"},
       Case{
           R"({"tactus": 1, "tasks": [], "platform": {"elements": [@{"kind": "cpu", "units": 1}]}})",
           "platform: elements[0]: `name` is missing"},
       Case{with_task(R"("nodes": [@{"name": "n"}])"), "task `t`: node `n`: `on` is missing"},
       Case{with_task(R"("nodes": [{"name": "n", "on": @"gqu"}])"),
            "task `t`: node `n`: there is no element `gqu`; did you mean `gpu`?"},
       Case{with_task(R"("nodes": [{"name": "n", "on": @"tpu9"}])"),
            "task `t`: node `n`: there is no element `tpu9`"},
       Case{with_task(R"("nodes": [{"name": "n", "on": @2}])"),
            "task `t`: node `n`: expected the name of an element, got 2"}});
}

TEST(ReaderRefuses, BadTimes) {
  expect_refusals(
      {Case{with_task(R"("nodes": [{"name": "n", "on": "cpu",
                          "times": @[{"units": 1, "wcet": 2}]}])"),
            "task `t`: node `n`: `times` is for nodes on a gpu element; element `cpu` is none"},
       Case{with_node(R"("times": @[])"), "task `t`: node `n`: `times` needs at least one entry"},
       Case{with_node(R"("times": @{"units": 1, "wcet": 2})"),
            "task `t`: node `n`: `times` must be an array, got an object"},
       Case{with_node(R"("times": [@3])"), "task `t`: node `n`: times[0]: expected an object"},
       Case{with_node(R"("times": [@{"wcet": 2}])"),
            "task `t`: node `n`: times[0]: `units` is missing"},
       Case{with_node(R"("times": [{"units": @0, "wcet": 2}])"),
            "task `t`: node `n`: times[0]: `units` must be an integer >= 1, got 0"},
       Case{with_node(R"("times": [{"units": @1.5, "wcet": 2}])"),
            "task `t`: node `n`: times[0]: `units` must be an integer >= 1, got 1.5"},
       Case{with_node(R"("times": [{"units": @9, "wcet": 2}])"),
            "task `t`: node `n`: times[0]: `units` (9) exceeds the `units` of element `gpu` (8)"},
       Case{with_node(R"("times": [{"units": 4, "wcet": 2}, {"units": @4, "wcet": 1}])"),
            "task `t`: node `n`: times[1]: `units` must rise from entry to entry, got 4 after 4"},
       Case{with_node(R"("times": [{"units": 4, "wcet": 2}, {"units": @2, "wcet": 3},
                                   {"units": 5, "wcet": 1}])"),
            "task `t`: node `n`: times[1]: `units` must rise from entry to entry, got 2 after 4"},
       Case{with_node(R"("times": [@{"units": 4}])"),
            "task `t`: node `n`: times[0]: `wcet` is missing"},
       Case{with_node(R"("times": [@{"units": 4, "bcet": 1}])"),
            "task `t`: node `n`: times[0]: `wcet` is missing"},
       Case{with_node(R"("times": [{"units": 4, "wcet": @-2, "bcet": 1}])"),
            "task `t`: node `n`: times[0]: `wcet` must be a time >= 0, got -2"},
       Case{with_node(R"("times": [{"units": 4, "wcet": 2, "bcet": @2.5}])"),
            "task `t`: node `n`: times[0]: `bcet` (2.5) exceeds `wcet` (2)"},
       Case{with_node(R"("times": [{"units": 4, "wcet": 0, "bcet": @1}])"),
            "task `t`: node `n`: times[0]: `bcet` (1) exceeds `wcet` (0)"},
       Case{with_node(R"("times": [{"units": 4, "wcet": 2, @"unit": 3}])"),
            "task `t`: node `n`: times[0]: unknown key `unit`; did you mean `units`?"},
       Case{with_node(R"("times": [{"units": 4, "wcet": 2}], "load": @3)"),
            "task `t`: node `n`: `load` and `times` exclude each other"},
       Case{with_node(R"("times": [{"units": 4, "wcet": 2}], "load_min": @3)"),
            "task `t`: node `n`: `load_min` and `times` exclude each other"},
       Case{with_node(R"("times": [{"units": 4, "wcet": 2}], "parallelism": @3)"),
            "task `t`: node `n`: `parallelism` and `times` exclude each other"},
       Case{with_node(R"("times": [{"units": 4, "wcet": 2}], "bcet": @1)"),
            "task `t`: node `n`: `bcet` beside `times` goes with a `wcet`, which is missing"},
       Case{with_task(R"("nodes": [{"name": "n", "on": @"gqu",
                          "times": [{"units": 9, "wcet": 2}]}])"),
            "task `t`: node `n`: there is no element `gqu`; did you mean `gpu`?"}});
}

TEST(Reader, TakesTimesWithWhatIsIgnoredBesideThemAndCurvesThatDoNotFall) {
  const ReadResult result = read_system(with_node(
      R"("wcet": 3, "bcet": 1, "overhead": 4, "interleave": 1.5, "blocks": 3, "threads": 64,
         "times": [{"units": 2, "wcet": 3.82, "bcet": 3.6}, {"units": 8, "wcet": 5}])"));
  EXPECT_EQ(complaints(result), std::vector<std::string>{});
  ASSERT_TRUE(result.system);
  const std::vector<TimesEntry>& times = result.system->tasks[0].nodes[0].times;
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0], (TimesEntry{2, Time::from_us(3820), Time::from_us(3600), {}}));
  EXPECT_EQ(times[1], (TimesEntry{8, Time::from_ms(5), Time(), {}}));
  EXPECT_TRUE(times[1].at.known());
}

TEST(Reader, RoundsTimesToTheSafeSide) {
  const ReadResult result =
      read_system(with_node(R"("times": [{"units": 1, "wcet": 0.0000015, "bcet": 0.0000015}])"));
  ASSERT_TRUE(result.system);
  const TimesEntry& entry = result.system->tasks[0].nodes[0].times[0];
  EXPECT_EQ(entry.wcet, Time::from_ns(2));
  EXPECT_EQ(entry.bcet, Time::from_ns(1));
}

TEST(ReaderRefuses, BadMeasurements) {
  expect_refusals(
      {Case{with_node(R"("measured": @7)"), "task `t`: node `n`: measured: expected an object"},
       Case{with_node(R"("measured": {"runs": @0})"),
            "task `t`: node `n`: measured: `runs` must be an integer >= 1, got 0"},
       Case{with_node(R"("measured": {"worst": @-1})"),
            "task `t`: node `n`: measured: `worst` must be a time >= 0, got -1"},
       Case{with_node(R"("measured": {"margin": @-0.1})"),
            "task `t`: node `n`: measured: `margin` must be a share >= 0, got -0.1"},
       Case{with_node(R"("measured": {"margin": @"10 %"})"),
            "task `t`: node `n`: measured: `margin` must be a share >= 0, got the text `10 %`"},
       Case{with_node(R"("measured": {"enemy": @1})"),
            "task `t`: node `n`: measured: `enemy` must be text, got 1"},
       Case{with_node(R"("measured": {@"run": 3})"),
            "task `t`: node `n`: measured: unknown key `run`; did you mean `runs`?"}});
}

TEST(ReaderRefuses, BadDeployments) {
  expect_refusals(
      {Case{with_top(R"("tasks": [], "deploy": @"gcaps.busy")"), "deploy: expected an object"},
       Case{with_top(R"("tasks": [], "deploy": @{})"), "deploy: `method` is missing"},
       Case{with_top(R"("tasks": [], "deploy": {"method": @""})"),
            "deploy: `method` must be a name that is not empty, got the text ``"},
       Case{with_top(R"("tasks": [], "deploy": {"method": "gcaps.busy", "variant": @3})"),
            "deploy: `variant` must be a name, got 3"}});
}

TEST(ReaderRefuses, BadCommands) {
  const auto with_command = [](std::string_view command) {
    return with_task(
        fmt::format(R"("command": {}, "nodes": [{{"name": "n", "on": "gpu"}}])", command));
  };
  const std::string argv = "task `t`: command: `argv` ", env = "task `t`: command: ";
  expect_refusals(
      {Case{with_command(R"(@"run")"), "task `t`: command: expected an object"},
       Case{with_command(R"(@{})"), argv + "is missing"},
       Case{with_command(R"({"argv": @"run -v"})"),
            argv + "must be a program and its arguments as an array of texts, got the text "
                   "`run -v`"},
       Case{with_command(R"({"argv": @[]})"), argv + "needs at least the program"},
       Case{with_command(R"({"argv": ["run", @3]})"),
            argv + "must be a program and its arguments as an array of texts, got 3"},
       Case{with_command(R"({"argv": [@"", "x"]})"),
            "task `t`: command: `argv`: the program must not be empty"},
       Case{with_command(R"({"argv": ["run", @"a\u0000b"]})"),
            "task `t`: command: `argv`: no argument may hold a NUL"},
       Case{with_command(R"({"argv": ["run"], "cwd": @""})"),
            "task `t`: command: `cwd` must be a name that is not empty, got the text ``"},
       Case{with_command(R"({"argv": ["run"], "env": @["A=1"]})"),
            env + "`env` must be an object of texts, got an array"},
       Case{with_command(R"({"argv": ["run"], "env": {@"A B": "1"}})"),
            env + "`A B` is no name of an environment variable; it has letters, digits and _, and "
                  "begins with no digit"},
       Case{with_command(R"({"argv": ["run"], "env": {"A": @1}})"),
            env + "`A` must be text, got 1"},
       Case{with_command(R"({"argv": ["run"], "env": {"A": "1", @"A": "2"}})"),
            env + "key `A` is given twice"},
       Case{with_command(R"({"argv": ["run"], "env": {"A": @"\u0000"}})"),
            env + "the variable `A` holds a NUL"},
       Case{with_command(R"({@"args": ["run"], "argv": ["run"]})"),
            "task `t`: command: unknown key `args`; did you mean `argv`?"}});
}

TEST(ReaderRefuses, ATaskOnACoreThatIsNotThere) {
  const auto file = [](std::string_view elements, std::string_view core) {
    return fmt::format(R"({{"tactus": 1, "platform": {{"elements": [{}]}}, "tasks": [
               {{"name": "a", "core": {}, "nodes": [{{"name": "n", "on": "e", "wcet": 1}}]}}]}})",
                       elements, core);
  };
  expect_refusals({Case{file(R"({"name": "e", "kind": "cpu", "units": 4})", "@5"),
                        "task `a`: `core` (5) exceeds the `units` of element `e` (4)"},
                   Case{file(R"({"name": "small", "kind": "cpu", "units": 2},
                    {"name": "e", "kind": "cpu", "units": 4})",
                             "@5"),
                        "task `a`: `core` (5) exceeds the `units` of element `e` (4)"},
                   Case{file(R"({"name": "e", "kind": "gpu", "units": 4})", "@2"),
                        "task `a`: `core` is 2, but the platform has no cpu element"}});
}

TEST(ReaderRefuses, AnArbiterOnACoreThatIsNotThere) {
  expect_refusals(
      {Case{R"({"tactus": 1, "tasks": [], "platform": {"elements": [
               {"name": "gpu", "kind": "gpu", "units": 8, "arbiter_core": @5},
               {"name": "cpu", "kind": "cpu", "units": 4}]}})",
            "platform: element `gpu`: `arbiter_core` (5) exceeds the `units` of element `cpu` (4)"},
       Case{R"({"tactus": 1, "tasks": [], "platform": {"elements": [
               {"name": "gpu", "kind": "gpu", "units": 8, "arbiter_core": @0},
               {"name": "cpu", "kind": "cpu", "units": 4}]}})",
            "platform: element `gpu`: `arbiter_core` must be an integer >= 1, got 0"},
       Case{with_element(R"("kind": "gpu", "units": 1, "arbiter_core": @1)"),
            "platform: element `e`: `arbiter_core` names a core, but the platform has no cpu "
            "element"},
       Case{with_element(R"("kind": "gpu", "units": 1, "preemption_delay": @-1)"),
            "platform: element `e`: `preemption_delay` must be a time >= 0, got -1"}});
}

TEST(ReaderRefuses, ASharingThatIsNotThatOfACopyEngine) {
  expect_refusals(
      {Case{with_element(R"("kind": "gpu", "units": 1, "sharing": @"shared")"),
            "platform: element `e`: `sharing` is for elements of kind `copy`"},
       Case{with_element(R"("kind": "copy", "units": 1, "sharing": @"sharde")"),
            "platform: element `e`: `sharing` must be one of exclusive shared, got the text "
            "`sharde`"}});
}

TEST(ReaderRefuses, AThresholdBelowThePriorityOfItsTask) {
  const auto with_threshold = [](const char* task) {
    return std::string(R"({"tactus": 1, "platform": {"elements": [
               {"name": "gpu", "kind": "gpu", "units": 8}]}, "tasks": [{"name": "t", )") +
           task + "]}]}";
  };
  expect_refusals(
      {Case{with_threshold(R"("priority": 3, "nodes": [
               {"name": "n", "on": "gpu", "wcet": 1, "gpu_threshold": @2})"),
            "task `t`: node `n`: `gpu_threshold` (2) is below the GPU priority of its task (3)"},
       Case{with_threshold(R"("priority": 3, "gpu_priority": 5, "nodes": [
               {"name": "n", "on": "gpu", "wcet": 1, "gpu_threshold": @4})"),
            "task `t`: node `n`: `gpu_threshold` (4) is below the GPU priority of its task (5)"},
       Case{with_threshold(R"("priority": 3, "nodes": [
               {"name": "n", "on": "gpu", "wcet": 1, "gpu_threshold": @3.5})"),
            "task `t`: node `n`: `gpu_threshold` must be an integer, got 3.5"}});
}

/// Tasks "a" (period 40) and "b", and what stands behind them.
std::string with_two_tasks(const char* a, const char* b, const char* more = "") {
  return fmt::format(R"({{"tactus": 1, "platform": {{"elements": [
      {{"name": "cpu", "kind": "cpu", "units": 1}}]}}, "tasks": [
      {{"name": "a", "nodes": [{{"name": "n", "on": "cpu", "wcet": 1}}]{}}},
      {{"name": "b", "nodes": [{{"name": "n", "on": "cpu", "wcet": 1}}]{}}}]{}}})",
                     a, b, more);
}

TEST(ReaderRefuses, TasksThatCannotBeStartedSo) {
  const char* const kPeriodic = R"(, "period": 40)";
  expect_refusals(
      {Case{with_two_tasks(kPeriodic, R"(, "after": @"aa")"),
            "task `b`: there is no task `aa`; did you mean `a`?"},
       Case{with_two_tasks(kPeriodic, R"(, "after": @3)"),
            "task `b`: expected the name of a task, got 3"},
       Case{with_two_tasks(kPeriodic, R"(, "after": "a", "offset": @0)"),
            "task `b`: `offset` and `after` exclude each other: its jobs come when those of task "
            "`a` complete"},
       Case{with_two_tasks(kPeriodic, R"(, "after": "a", "period": @50)"),
            "task `b`: `period` (50) is not that of task `a`, which begins its path; leave it out"},
       Case{with_two_tasks(kPeriodic, R"(, "after": @"b")"),
            "task `b`: `after` leads in a circle: no task of this path is the first"},
       Case{with_two_tasks(R"(, "jitter": @-1)", ""),
            "task `a`: `jitter` must be a time >= 0, got -1"}});
}

TEST(ReaderRefuses, BadChains) {
  const auto chains = [](const char* text, const char* a = R"(, "period": 40)") {
    return with_two_tasks(a, R"(, "period": 20)", fmt::format(R"(, "chains": [{}])", text).c_str());
  };
  expect_refusals(
      {Case{chains(R"({"name": "x", "tasks": ["a", @"c"]})"), "chain `x`: there is no task `c`"},
       Case{chains(R"({"name": "x", "tasks": @["a", "b", "a"]})"),
            "chain `x`: a task is listed twice in this chain"},
       Case{chains(R"({"name": "x", "tasks": @[]})"), "chain `x`: a chain needs at least one task"},
       Case{chains(R"(@{"name": "x"})"), "chain `x`: `tasks` is missing"},
       Case{chains(R"({"name": "x", "tasks": ["a"]}, {"name": @"x", "tasks": ["b"]})"),
            "there are two chains named `x`"},
       Case{chains(R"({"name": "x", "tasks": ["a"], "phases": @"some"})"),
            "chain `x`: `phases` must be one of any fixed, got the text `some`"}});
}

TEST(ReaderRefuses, AChainWithoutWholeNanoseconds) {
  const ReadResult result =
      read_system(with_two_tasks(R"(, "period": 33.3333333)", R"(, "after": "a")",
                                 R"(, "chains": [{"name": "x", "tasks": ["b"]}])"));
  EXPECT_FALSE(result.system);
  ASSERT_EQ(result.diagnostics.size(), 2U);  // the first warns that it was rounded
  EXPECT_EQ(result.diagnostics[1].message,
            "chain `x`: `period` of task `a` is finer than 1 ns, and chains need arrivals at whole "
            "nanoseconds; write the one that is used at run time");
}

TEST(ReaderRefuses, BadElements) {
  expect_refusals(
      {Case{R"({"tactus": 1, "tasks": [], "platform": {"elements": [@{"name": "e", "units": 1}]}})",
            "platform: element `e`: `kind` is missing"},
       Case{
           R"({"tactus": 1, "tasks": [], "platform": {"elements": [@{"name": "e", "kind": "cpu"}]}})",
           "platform: element `e`: `units` is missing"},
       Case{with_element(R"("kind": @"dsp", "units": 1)"),
            "platform: element `e`: `kind` must be one of cpu copy gpu, got the text `dsp`"},
       Case{with_element(R"("kind": "cpu", "units": @0)"),
            "platform: element `e`: `units` must be an integer >= 1, got 0"},
       Case{with_element(R"("kind": "cpu", "units": @1.5)"),
            "platform: element `e`: `units` must be an integer >= 1, got 1.5"},
       Case{with_element(R"("kind": "cpu", "units": @2147483648)"),
            "platform: element `e`: `units` must be an integer <= 2147483647, got 2147483648"},
       Case{with_element(R"("kind": "cpu", "units": @1e300)"),
            "platform: element `e`: `units` must be an integer <= 2147483647, got 1e300"},
       Case{with_element(R"("kind": "cpu", "units": @-1e300)"),
            "platform: element `e`: `units` must be an integer >= 1, got -1e300"},
       Case{with_element(R"("kind": "cpu", "units": @true)"),
            "platform: element `e`: `units` must be an integer >= 1, got true"},
       Case{with_element(R"("kind": "gpu", "units": 1, "lanes": @0)"),
            "platform: element `e`: `lanes` must be an integer >= 1, got 0"},
       Case{with_element(R"("kind": "gpu", "units": 1, "sm": @4)"),
            "platform: element `e`: sm: expected an object"},
       Case{with_element(R"("kind": "gpu", "units": 1, "sm": {"threads": @0})"),
            "platform: element `e`: sm: `threads` must be an integer >= 1, got 0"},
       Case{with_element(R"("kind": "gpu", "units": 1, "sm": {"blocks": @"x"})"),
            "platform: element `e`: sm: `blocks` must be an integer >= 1, got the text `x`"},
       Case{with_element(R"("kind": "gpu", "units": 1, "sm": {"registers": @-1})"),
            "platform: element `e`: sm: `registers` must be an integer >= 1, got -1"},
       Case{with_element(R"("kind": "gpu", "units": 1, "sm": {"shared_memory": @0.5})"),
            "platform: element `e`: sm: `shared_memory` must be an integer >= 1, got 0.5"},
       Case{with_element(R"("kind": "gpu", "units": 1, "t_min": @0)"),
            "platform: element `e`: `t_min` must be a time > 0, got 0"},
       Case{with_element(R"("kind": "gpu", "units": 1, "time_slice": @0)"),
            "platform: element `e`: `time_slice` must be a time > 0, got 0"},
       Case{with_element(R"("kind": "gpu", "units": 1, "context_switch": @-0.2)"),
            "platform: element `e`: `context_switch` must be a time >= 0, got -0.2"},
       Case{with_element(R"("kind": "gpu", "units": 1, "runlist_update": @"1")"),
            "platform: element `e`: `runlist_update` must be a time >= 0, got the text `1`"}});
}

std::string one_node(const std::string& members) {
  return with_task(R"("nodes": [{"name": "n", "on": "cpu"}], )" + members);
}

TEST(ReaderRefuses, BadTasks) {
  expect_refusals(
      {Case{with_top(R"("tasks": [@{"name": "t"}])"), "task `t`: `nodes` is missing"},
       Case{with_task(R"("nodes": @[])"), "task `t`: a task needs at least one node"},
       Case{with_task(R"("nodes": @{})"), "task `t`: `nodes` must be an array, got an object"},
       Case{with_task(R"("nodes": [@1])"), "task `t`: nodes[0]: expected an object"},
       Case{one_node(R"("period": @0)"), "task `t`: `period` must be a time > 0, got 0"},
       Case{one_node(R"("period": @-5)"), "task `t`: `period` must be a time > 0, got -5"},
       Case{one_node(R"("period": @1e-7)"), "task `t`: `period` must be at least 1 ns, got 1e-7"},
       Case{one_node(R"("period": @1e30)"),
            "task `t`: `period` must be a time below 2^63 ns (292 years), got 1e30"},
       Case{one_node(R"("period": @9223372036854.775808)"),
            "task `t`: `period` must be a time below 2^63 ns (292 years), got "
            "9223372036854.775808"},
       Case{one_node(R"("deadline": @0)"), "task `t`: `deadline` must be a time > 0, got 0"},
       Case{one_node(R"("deadline": @null)"), "task `t`: `deadline` must be a time > 0, got null"},
       Case{one_node(R"("offset": @-1)"), "task `t`: `offset` must be a time >= 0, got -1"},
       Case{one_node(R"("offset": @-1e300)"), "task `t`: `offset` must be a time >= 0, got -1e300"},
       Case{one_node(R"("offset": @-1e-300)"),
            "task `t`: `offset` must be a time >= 0, got -1e-300"},
       Case{one_node(R"("priority": @1.5)"), "task `t`: `priority` must be an integer, got 1.5"},
       Case{one_node(R"("priority": @"high")"),
            "task `t`: `priority` must be an integer, got the text `high`"},
       Case{one_node(R"("priority": @9223372036854775808)"),
            "task `t`: `priority` must be an integer <= 9223372036854775807, got "
            "9223372036854775808"},
       Case{one_node(R"("gpu_priority": @[1])"),
            "task `t`: `gpu_priority` must be an integer, got an array"},
       Case{one_node(R"("core": @0)"), "task `t`: `core` must be an integer >= 1, got 0"},
       Case{one_node(R"("core": @-1)"), "task `t`: `core` must be an integer >= 1, got -1"},
       Case{one_node(R"("core": @2.5)"), "task `t`: `core` must be an integer >= 1, got 2.5"},
       Case{one_node(R"("wait": @"spin")"),
            "task `t`: `wait` must be one of suspend busy, got the text `spin`"},
       Case{one_node(R"("best_effort": @1)"),
            "task `t`: `best_effort` must be true or false, got 1"},
       Case{with_top(R"("tasks": [
               {"name": "t", "priority": 4, "nodes": [{"name": "n", "on": "cpu"}]},
               {"name": "u", "priority": @4.0, "nodes": [{"name": "n", "on": "cpu"}]}])"),
            "task `u`: `priority` 4 is also that of task `t`; priorities must be unique"}});
}

TEST(ReaderRefuses, BadNodes) {
  expect_refusals(
      {Case{with_node(R"("wcet": @-4)"), "task `t`: node `n`: `wcet` must be a time >= 0, got -4"},
       Case{with_node(R"("wcet": @"4")"),
            "task `t`: node `n`: `wcet` must be a time >= 0, got the text `4`"},
       Case{with_node(R"("bcet": @-1)"), "task `t`: node `n`: `bcet` must be a time >= 0, got -1"},
       Case{with_node(R"("wcet": 1, "bcet": @1.5)"),
            "task `t`: node `n`: `bcet` (1.5) exceeds `wcet` (1)"},
       Case{with_node(R"("load": @-1)"), "task `t`: node `n`: `load` must be a time >= 0, got -1"},
       Case{with_node(R"("load": 1, "load_min": @2)"),
            "task `t`: node `n`: `load_min` (2) exceeds `load` (1)"},
       Case{with_node(R"("load_min": @-2)"),
            "task `t`: node `n`: `load_min` must be a time >= 0, got -2"},
       Case{with_node(R"("load": 1, "overhead": @2)"),
            "task `t`: node `n`: `overhead` (2) exceeds `load` (1)"},
       Case{with_node(R"("overhead": @-2)"),
            "task `t`: node `n`: `overhead` must be a time >= 0, got -2"},
       Case{with_node(R"("launch": @-2)"),
            "task `t`: node `n`: `launch` must be a time >= 0, got -2"},
       Case{with_node(R"("wcet": 1, "launch": 3, "overlap": @2)"),
            "task `t`: node `n`: `overlap` (2) exceeds `wcet` (1)"},
       Case{with_node(R"("wcet": 3, "launch": 1, "overlap": @2)"),
            "task `t`: node `n`: `overlap` (2) exceeds `launch` (1)"},
       Case{with_node(R"("overlap": @2)"),
            "task `t`: node `n`: `overlap` (2) exceeds `launch` (0)"},
       Case{with_node(R"("interleave": @0.999)"),
            "task `t`: node `n`: `interleave` must be a factor >= 1, got 0.999"},
       Case{with_node(R"("interleave": @0.9999999999999)"),
            "task `t`: node `n`: `interleave` must be a factor >= 1, got 0.9999999999999"},
       Case{with_node(R"("slowdown": @0)"),
            "task `t`: node `n`: `slowdown` must be a factor >= 1, got 0"},
       Case{with_node(R"("slowdown": @1e10)"),
            "task `t`: node `n`: `slowdown` must be a factor below 9.2 * 10^9, got 1e10"},
       Case{with_node(R"("slowdown": @-1e300)"),
            "task `t`: node `n`: `slowdown` must be a factor >= 1, got -1e300"},
       Case{with_node(R"("slowdown": @-9223372036.8547758071)"),
            "task `t`: node `n`: `slowdown` must be a factor >= 1, got -9223372036.8547758071"},
       Case{with_node(R"("slowdown": @"2")"),
            "task `t`: node `n`: `slowdown` must be a factor >= 1, got the text `2`"},
       Case{with_node(R"("parallelism": @0)"),
            "task `t`: node `n`: `parallelism` must be an integer >= 1, got 0"},
       Case{with_node(R"("blocks": @0)"),
            "task `t`: node `n`: `blocks` must be an integer >= 1, got 0"},
       Case{with_node(R"("threads": @0.5)"),
            "task `t`: node `n`: `threads` must be an integer >= 1, got 0.5"},
       Case{with_node(R"("registers": @-1)"),
            "task `t`: node `n`: `registers` must be an integer >= 0, got -1"},
       Case{with_node(R"("shared_memory": @1e10)"),
            "task `t`: node `n`: `shared_memory` must be an integer <= 2147483647, got 1e10"}});
}

TEST(ReaderRefuses, BadEdges) {
  expect_refusals(
      {Case{with_edges(R"(@"a")"),
            "task `t`: `edges` must be an array of pairs of node names, got the text `a`"},
       Case{with_edges(R"([["a", "b"], @"c"])"),
            "task `t`: an edge must be a pair of node names, got the text `c`"},
       Case{with_edges(R"([@["a"]])"),
            "task `t`: an edge must be a pair of node names, got an array"},
       Case{with_edges(R"([@["a", "b", "c"]])"),
            "task `t`: an edge must be a pair of node names, got an array"},
       Case{with_edges(R"([["a", @3]])"), "task `t`: expected the name of a node, got 3"},
       Case{with_edges(R"([["a", @"x"]])"), "task `t`: there is no node `x`"},
       Case{with_edges(R"([["a", @"node"]])"), "task `t`: there is no node `node`"},
       Case{with_edges(R"([["a", "b"], @["c", "c"]])"), "task `t`: node `c` precedes itself"},
       Case{with_edges(R"([["a", "b"], ["a", "c"], @["a", "b"]])"),
            "task `t`: the edge `a` -> `b` is listed twice"},
       Case{with_edges(R"(@[["a", "b"], ["b", "a"]])"),
            "task `t`: the edges form a cycle: `a` -> `b` -> `a`"},
       Case{with_edges(R"(@[["a", "d"], ["d", "c"], ["b", "d"], ["c", "b"]])"),
            "task `t`: the edges form a cycle: `b` -> `d` -> `c` -> `b`"}});
}

TEST(ReaderRefuses, BadInterferenceAndBatches) {
  expect_refusals(
      {Case{with_batches(R"("interference": @[])"), "interference: expected an object"},
       Case{with_batches(R"("interference": {"model": @"guess"})"),
            "interference: `model` must be one of table slowdown none, got the text `guess`"},
       Case{with_batches(R"("interference": {"factor": @0.5})"),
            "interference: `factor` must be a factor >= 1, got 0.5"},
       Case{with_batches(R"("batches": @{})"), "`batches` must be an array, got an object"},
       Case{with_batches(R"("batches": [@7])"), "batches[0]: expected an object"},
       Case{with_batches(R"("interference": {"model": "none"},
                             "batches": @[{"tasks": ["a", "b"], "completion": 4}])"),
            "`batches` contradict the interference model `none`"},
       Case{with_batches(R"("batches": [@{"completion": 4}])"), "batches[0]: `tasks` is missing"},
       Case{with_batches(R"("batches": [{"tasks": @[], "completion": 4}])"),
            "batches[0]: a batch needs at least one task"},
       Case{with_batches(R"("batches": [{"tasks": @"a", "completion": 4}])"),
            "batches[0]: `tasks` must be an array of task names, got the text `a`"},
       Case{with_batches(R"("batches": [{"tasks": ["a", @"z9"], "completion": 4}])"),
            "batches[0]: there is no task `z9`"},
       Case{with_batches(R"("batches": [{"tasks": ["a", @9], "completion": 4}])"),
            "batches[0]: expected the name of a task, got 9"},
       Case{with_batches(R"("batches": [{"tasks": @["a", "b", "a"], "completion": 4}])"),
            "batches[0]: a task is listed twice in this batch"},
       Case{with_batches(R"("batches": [@{"tasks": ["a", "b"]}])"),
            "batches[0]: a batch needs either `completion` or `forbid`"},
       Case{with_batches(R"("batches": [@{"tasks": ["a", "b"], "forbid": false}])"),
            "batches[0]: a batch needs either `completion` or `forbid`"},
       Case{with_batches(R"("batches": [@{"tasks": ["a", "b"], "completion": 4, "forbid": true}])"),
            "batches[0]: `completion` and `forbid` exclude each other"},
       Case{with_batches(R"("batches": [{"tasks": ["a", "b"], "completion": @-4}])"),
            "batches[0]: `completion` must be a time >= 0, got -4"},
       Case{with_batches(R"("batches": [{"tasks": ["a", "b"], "forbid": @"yes"}])"),
            "batches[0]: `forbid` must be true or false, got the text `yes`"},
       Case{with_batches(R"("batches": [{"tasks": ["a", "b"], "completion": 4, "ordered": @0}])"),
            "batches[0]: `ordered` must be true or false, got 0"},
       Case{with_batches(R"("batches": [{"tasks": ["a", "b"], "completion": @2.5}])"),
            "batches[0]: `completion` is below the wcet of task `b`"},
       Case{with_batches(R"("batches": [@{"tasks": ["a"], "forbid": true}])"),
            "batches[0]: a task alone cannot be forbidden"},
       Case{with_batches(R"("batches": [{"tasks": ["a"], "completion": @3}])"),
            "batches[0]: `completion` of task `a` alone must be its wcet"},
       Case{with_batches(R"("batches": [{"tasks": ["a", "b"], "completion": 4},
                                         @{"tasks": ["b", "a"], "completion": 5}])"),
            "batches[1]: this set of tasks is listed twice"},
       Case{with_batches(R"("batches": [{"tasks": ["a", "b"], "completion": 4, "ordered": true},
                                         @{"tasks": ["a", "b"], "forbid": true, "ordered": true}])"),
            "batches[1]: this order of tasks is listed twice"}});
}

}  // namespace
}  // namespace tactus
