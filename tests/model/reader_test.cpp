#include "tactus/model/reader.hpp"

#include <gtest/gtest.h>

#include "tests/model/marked_text.hpp"

namespace tactus {
namespace {

/// The system of a text that must be accepted without a word.
System accepted(const std::string& text) {
  ReadResult result = read_system(text);
  EXPECT_EQ(complaints_but_idle(result), std::vector<std::string>{}) << text;
  return result.system ? std::move(*result.system) : System{};
}

TEST(Reader, FillsInTheDefaults) {
  const System system = accepted(with_node(R"("wcet": 1.5)"));
  EXPECT_EQ(system.name, "");
  EXPECT_EQ(system.time_unit, TimeUnit::kMs);
  EXPECT_FALSE(system.interference);
  EXPECT_EQ(system.platform.elements[0].lanes, 1);
  const Task& task = system.tasks[0];
  EXPECT_FALSE(task.period || task.deadline || task.priority || task.gpu_priority || task.core);
  EXPECT_FALSE(task.best_effort);
  EXPECT_EQ(task.offset, Time());
  EXPECT_EQ(task.nodes[0].on, 1U);
  EXPECT_EQ(task.nodes[0].wcet, Time::from_us(1500));
  EXPECT_EQ(task.nodes[0].bcet, Time());
}

TEST(Reader, TakesThePeriodForAMissingDeadline) {
  const auto deadline = [](const std::string& members) {
    return accepted(with_task(members + R"(, "nodes": [{"name": "n", "on": "cpu"}])"))
        .tasks[0]
        .deadline;
  };
  EXPECT_EQ(deadline(R"("period": 20)"), Time::from_ms(20));
  EXPECT_EQ(deadline(R"("period": 20, "deadline": 30)"), Time::from_ms(30));
  EXPECT_EQ(deadline(R"("deadline": 30)"), Time::from_ms(30));
}

TEST(Reader, ReadsTimesInEveryUnit) {
  for (const auto& [unit, ns] :
       {std::pair("ns", 1'000), std::pair("us", 1'000'000), std::pair("ms", 1'000'000'000),
        std::pair("unit", 1'000'000'000)}) {
    // The unit stands last in the file and still holds for all of it.
    const System system = accepted(with_top(fmt::format(
        R"("tasks": [{{"name": "t", "period": 1000, "nodes": [{{"name": "n", "on": "cpu"}}]}}],
           "time_unit": "{}")",
        unit)));
    EXPECT_EQ(system.tasks[0].period->ns(), ns) << unit;
  }
  EXPECT_EQ(accepted(with_top(R"("time_unit": "s", "tasks": [{"name": "t", "period": 0.000000001,
      "nodes": [{"name": "n", "on": "cpu"}]}])"))
                .tasks[0]
                .period->ns(),
            1);
}

TEST(Reader, MakesAChainWithoutEdgesAndNoneWithAnEmptyList) {
  const std::string nodes =
      R"("nodes": [{"name": "a", "on": "cpu"}, {"name": "b", "on": "cpu"}, {"name": "c", "on": "cpu"}])";
  EXPECT_EQ(accepted(with_task(nodes)).tasks[0].graph, Graph::chain(3));
  EXPECT_EQ(accepted(with_task(nodes + R"(, "edges": [])")).tasks[0].graph, Graph(3, {}));
  EXPECT_EQ(accepted(with_edges(R"([["d", "a"], ["b", "a"]])")).tasks[0].graph,
            Graph(4, {{1, 0}, {3, 0}}));
}

TEST(Reader, RemembersWhereThingsStand) {
  const System system =
      accepted(with_batches(R"("batches": [ {"tasks": ["a"], "completion": 2}])"));
  const auto place = [](Position at) { return fmt::format("{}:{}", at.line, at.column); };
  EXPECT_EQ(place(system.platform.elements[1].at), "3:3");
  EXPECT_EQ(place(system.tasks[2].at), "7:3");
  EXPECT_EQ(place(system.tasks[2].nodes[1].at), "7:66");
  EXPECT_EQ(place(system.batches[0].at), "8:14");
}

TEST(Reader, AcceptsWhatOnlySomeMethodsRefuse) {
  for (const char* members : {
           R"("period": 5, "deadline": 9)",          // not constrained
           R"("gpu_priority": 3)",                   // without a priority
           R"("best_effort": true, "priority": 1)",  // ignored
           R"("offset": 7)",                         // without a period
           R"("priority": -9223372036854775808)",    //
           R"("priority": 9223372036854775807)",     //
           R"("priority": 3.0, "core": 20e-1)",      // whole numbers however written
           R"("offset": -0)",                        //
       }) {
    accepted(with_task(fmt::format(R"({}, "nodes": [{{"name": "n", "on": "cpu"}}])", members)));
  }
  for (const char* members :
       {R"("wcet": 0)", R"("bcet": 5)", R"("load_min": 5)", R"("overhead": 5)",
        R"("wcet": 1, "bcet": 1)", R"("load": 4, "load_min": 4, "overhead": 4)", R"("launch": 3)",
        R"("interleave": 1, "slowdown": 1)", R"("registers": 0, "shared_memory": 0)",
        R"("wcet": 9223372036854.775807)"}) {
    accepted(with_node(members));
  }
  accepted(with_top(R"("tasks": [], "$schema": "x", "note": "a\nb", "name": "", "batches": [])"));
  accepted(R"({"tactus": 1.0, "platform": {"elements": []}, "tasks": []})");
}

TEST(Reader, LetsBestEffortTasksShareAPriority) {
  accepted(with_top(R"("tasks": [
    {"name": "a", "priority": 1, "nodes": [{"name": "n", "on": "cpu"}]},
    {"name": "b", "priority": 1, "best_effort": true, "nodes": [{"name": "n", "on": "cpu"}]},
    {"name": "c", "priority": 1, "best_effort": true, "nodes": [{"name": "n", "on": "cpu"}]}])"));
}

TEST(Reader, AcceptsBatchesThatAreConsistent) {
  accepted(with_batches(R"("batches": [
    {"tasks": ["a", "b"], "completion": 3}, {"tasks": ["a", "b"], "completion": 4, "ordered": true},
    {"tasks": ["b", "a"], "forbid": true, "ordered": true}, {"tasks": ["a"], "completion": 2},
    {"tasks": ["a", "c"], "completion": 2}])"));
  accepted(with_batches(R"("interference": {"model": "none"}, "batches": [])"));
  accepted(with_batches(R"("interference": {})"));
}

TEST(Reader, TellsAllProblemsInTheOrderOfTheFile) {
  const ReadResult result = read_system(R"({
  "tasks": [
    { "name": "t", "perid": 5, "nodes": [
      { "name": "n", "on": "gpu", "wcet": -1 },
      { "name": "n", "on": "gpx" } ], "edges": [["n", "m"]] }
  ],
  "platform": { "elements": [ { "name": "gpu", "kind": "gpu" } ] },
  "tactus": 3
})");
  EXPECT_FALSE(result.system);
  EXPECT_EQ(complaints(result),
            (std::vector<std::string>{
                "3:20: task `t`: unknown key `perid`; did you mean `period`?",
                "4:43: task `t`: node `n`: `wcet` must be a time >= 0, got -1",
                "5:17: task `t`: there are two nodes named `n`",
                "5:28: task `t`: node `n`: there is no element `gpx`; did you mean `gpu`?",
                "5:55: task `t`: there is no node `m`",
                "7:31: platform: element `gpu`: `units` is missing",
                "8:13: unknown version 3 of the format; this tactus reads version 1",
            }));
}

std::string nodes_with(const std::string& members, int count) {
  std::string nodes;
  for (int i = 0; i < count; ++i) {
    nodes +=
        fmt::format(R"({}{{"name": "n{}", "on": "gpu", {}}})", i == 0 ? "" : ",\n", i, members);
  }
  return with_task(fmt::format(R"("nodes": [{}])", nodes));
}

TEST(Reader, TellsTwentyErrorsAndCountsTheRest) {
  EXPECT_EQ(complaints(read_system(nodes_with(R"("wcet": -1)", 20))).size(), 20U);
  const auto lines = complaints(read_system(nodes_with(R"("wcet": -1)", 25)));
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_EQ(lines[19], "23:38: task `t`: node `n19`: `wcet` must be a time >= 0, got -1");
  EXPECT_EQ(lines[20], " and 5 more errors");
}

TEST(Reader, TellsTwentyWarningsAndCountsTheRest) {
  const ReadResult result = read_system(nodes_with(R"("wcet": 1e-9)", 23));
  ASSERT_TRUE(result.system);
  ASSERT_EQ(result.diagnostics.size(), 21U);
  EXPECT_EQ(complaints(result).back(), " warning: and 3 more warnings");
}

TEST(Reader, RoundsEveryTimeBelowANanosecondToItsSafeSideAndSaysSo) {
  const std::string half = "4.0000005", up = "4.000001", down = "4";
  const auto expect_warning = [&](const std::string& text, const std::string& path,
                                  const std::string& key, bool rounds_up) {
    const MarkedText marked = unmark(text);
    const ReadResult result = read_system(marked.text);
    ASSERT_TRUE(result.system) << text;
    const std::string expected =
        fmt::format("{}:{}: warning: {}`{}` is finer than 1 ns; rounded {}", marked.at.line,
                    marked.at.column, path, key, rounds_up ? "up to " + up : "down to " + down);
    EXPECT_EQ(complaints_but_idle(result), std::vector<std::string>{expected});
  };
  for (const auto& [key, rounds_up] :
       {std::pair("t_min", true), std::pair("time_slice", true), std::pair("context_switch", true),
        std::pair("runlist_update", true)}) {
    expect_warning(with_element(fmt::format(R"("kind": "gpu", "units": 1, "{}": @{})", key, half)),
                   "platform: element `e`: ", key, rounds_up);
  }
  for (const auto& [key, rounds_up] :
       {std::pair("period", false), std::pair("deadline", false), std::pair("offset", false)}) {
    expect_warning(
        with_task(fmt::format(R"("nodes": [{{"name": "n", "on": "cpu"}}], "{}": @{})", key, half)),
        "task `t`: ", key, rounds_up);
  }
  for (const auto& [key, rounds_up] :
       {std::pair("wcet", true), std::pair("bcet", false), std::pair("load", true),
        std::pair("load_min", false), std::pair("overhead", true), std::pair("launch", true)}) {
    expect_warning(with_node(fmt::format(R"("{}": @{})", key, half)), "task `t`: node `n`: ", key,
                   rounds_up);
  }
  expect_warning(
      with_batches(fmt::format(R"("batches": [{{"tasks": ["a", "b"], "completion": @{}}}])", half)),
      "batches[0]: ", "completion", true);
}

TEST(Reader, RoundsFactorsUp) {
  const ReadResult result = read_system(with_node(R"("slowdown": 1.0000000001)"));
  ASSERT_TRUE(result.system);
  EXPECT_EQ(result.system->tasks[0].nodes[0].slowdown->billionths, 1'000'000'001);
  EXPECT_EQ(complaints(result)[0],
            "4:74: warning: task `t`: node `n`: `slowdown` has more than nine decimals; rounded up "
            "to 1.000000001");
}

TEST(Reader, KeepsATinyTimeFromVanishing) {
  const ReadResult result = read_system(with_node(R"("wcet": 1e-300)"));
  ASSERT_TRUE(result.system);
  EXPECT_EQ(result.system->tasks[0].nodes[0].wcet, Time::from_ns(1));
}

TEST(Reader, CutsALongCycleInTheMiddle) {
  std::string nodes, edges;
  for (int i = 0; i < 15; ++i) {
    nodes += fmt::format(R"({}{{"name": "n{}", "on": "cpu"}})", i == 0 ? "" : ", ", i);
    edges += fmt::format(R"({}["n{}", "n{}"])", i == 0 ? "" : ", ", i, (i + 1) % 15);
  }
  const auto lines = complaints(
      read_system(with_task(fmt::format(R"("nodes": [{}], "edges": [{}])", nodes, edges))));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].ends_with("`n8` -> `n9` -> ... (5 more) -> `n0`")) << lines[0];
}

TEST(Reader, DoesNotLookForEdgesAmongTheNodesOfAnotherTask) {
  const std::string first =
      R"({"name": "a", "nodes": [{"name": "x", "on": "cpu"}, {"name": "y", "on": "cpu"}]})";
  for (const char* nodes : {"", R"("nodes": [], )", R"("nodes": 5, )"}) {
    const ReadResult result = read_system(with_top(
        fmt::format(R"("tasks": [{}, {{"name": "b", {}"edges": [["x", "y"]]}}])", first, nodes)));
    EXPECT_FALSE(result.system);
    EXPECT_EQ(result.diagnostics.size(), 1U);
  }
}

}  // namespace
}  // namespace tactus
