// Plans of the dag family: the worked schedule, the choice of order, and random graphs.
#include <gtest/gtest.h>

#include "tests/runtime/support.hpp"
#include "tests/simulate/support.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::runtime {
namespace {

using simulate::Schedule;
using simulate::schedule_of;

System example() { return simulate::read_file("examples/dag-example.system.json"); }

/// Specification of dag, section 8.
TEST(RunDag, ReplaysTheWorkedExampleJobAfterJob) {
  const System system = example();
  const Ran seen = ran(system, {.method = "dag.balanced", .jobs = 1});
  ASSERT_TRUE(seen.report) << seen.error;
  const Schedule expected = {{"v1", {{{0, 1}, 3}}}, {"v2", {{{1, 2}, 2}, {{2, 4}, 1}}},
                             {"v3", {{{1, 2}, 2}}}, {"v4", {{{1, 2}, 2}}},
                             {"v5", {{{2, 4}, 2}}}, {"v6", {{{2, 4}, 2}}},
                             {"v7", {{{4, 5}, 3}}}};
  EXPECT_EQ(schedule_of(system, seen.trace), expected);
  const Ran many = ran(system, {.method = "dag.balanced", .jobs = 7});
  EXPECT_EQ(many.report->tasks[0].responses, std::vector<Time>(7, Time::from_ms(5)));
  EXPECT_EQ(many.report->tasks[0].bound, Time::from_ms(5));
  EXPECT_EQ(many.report->nodes.size(), 8u);  // seven nodes, one of them cut in two
  EXPECT_TRUE(many.report->good());
}

TEST(RunDag, KeepsGreedyInOrderUnlessAskedNotTo) {
  const System system = simulate::read(R"({"tactus":1,"name":"x","time_unit":"unit",
      "platform":{"elements":[{"name":"gpu","kind":"gpu","t_min":1,"units":2}]},
      "tasks":[{"name":"g","nodes":[{"name":"a","on":"gpu","load":2},
                                    {"name":"b","on":"gpu","load":4}],"edges":[]}]})");
  const Ran planned = ran(system, {.method = "dag.greedy"});
  EXPECT_EQ(schedule_of(system, planned.trace),
            (Schedule{{"a", {{{0, 1}, 2}}}, {"b", {{{1, 3}, 2}}}}));
  EXPECT_EQ(planned.report->tasks[0].bound, Time::from_ms(3));
  const Ran concurrent = ran(system, {.method = "dag.greedy", .strategy = Strategy::kConcurrent});
  EXPECT_FALSE(concurrent.report->tasks[0].bound);
  EXPECT_EQ(concurrent.report->notes.size(), 1u);
  EXPECT_EQ(schedule_of(system, concurrent.trace),
            (Schedule{{"a", {{{0, 1}, 2}}}, {"b", {{{1, 3}, 2}}}}));
}

TEST(RunDag, KeepsThePlanOnStreamsToo) {
  const System system = example();
  const Ran planned = ran(system, {.method = "dag.balanced", .jobs = 5});
  const Ran streams =
      ran(system, {.method = "dag.balanced", .jobs = 5, .strategy = Strategy::kStreams});
  ASSERT_TRUE(streams.report) << streams.error;
  EXPECT_EQ(schedule_of(system, streams.trace), schedule_of(system, planned.trace));
  EXPECT_EQ(streams.report->tasks[0].bound, planned.report->tasks[0].bound);
  EXPECT_EQ(streams.report->notes.size(), planned.report->notes.size() + 1);
  EXPECT_TRUE(streams.report->good());
}

/// Copies are steps of the job before and after its graph, in each direction.
TEST(RunDag, CopiesBeforeAndAfterAllKernels) {
  const System system = simulate::read(R"({"tactus":1,"name":"x","time_unit":"unit",
      "platform":{"elements":[{"name":"copy","kind":"copy","units":1},
                              {"name":"gpu","kind":"gpu","t_min":1,"units":2}]},
      "tasks":[{"name":"g","nodes":[{"name":"in","on":"copy","wcet":3},
                                    {"name":"a","on":"gpu","load":2},
                                    {"name":"out","on":"copy","wcet":1}]}]})");
  for (const Strategy strategy : {Strategy::kPlanned, Strategy::kStreams}) {
    const Ran seen = ran(system, {.method = "dag.balanced", .jobs = 3, .strategy = strategy});
    ASSERT_TRUE(seen.report) << seen.error;
    EXPECT_EQ(seen.report->tasks[0].responses, std::vector<Time>(3, Time::from_ms(5)));
    EXPECT_EQ(seen.report->tasks[0].bound, Time::from_ms(5));
    EXPECT_EQ(seen.report->nodes.size(), 3u);
    EXPECT_TRUE(seen.report->good());
  }
}

TEST(RunDag, RefusesMoreStreamsThanTheHardwareHasQueuesFor) {
  std::string nodes;
  for (int i = 0; i < 40; ++i) {
    nodes += (i == 0 ? "" : ",") + std::string(R"({"name":"n)") + std::to_string(i) +
             R"(","on":"gpu","load":1})";
  }
  const System system = simulate::read(R"({"tactus":1,"name":"x","time_unit":"unit",
      "platform":{"elements":[{"name":"gpu","kind":"gpu","t_min":1,"units":64}]},
      "tasks":[{"name":"g","nodes":[)" +
                                       nodes + R"(],"edges":[]}]})");
  EXPECT_TRUE(ran(system, {.method = "dag.balanced"}).report);
  const Ran streams = ran(system, {.method = "dag.balanced", .strategy = Strategy::kStreams});
  EXPECT_NE(streams.error.find("this plan needs 40 streams"), std::string::npos) << streams.error;
}

TEST(RunDag, RunsKernelsSideBySideWhenConcurrent) {
  const System system = simulate::read(R"({"tactus":1,"name":"x","time_unit":"unit",
      "platform":{"elements":[{"name":"gpu","kind":"gpu","t_min":1,"units":3}]},
      "tasks":[{"name":"g","nodes":[{"name":"a","on":"gpu","load":1},
                                    {"name":"b","on":"gpu","load":2}],"edges":[]}]})");
  EXPECT_EQ(ran(system, {.method = "dag.greedy"}).report->end, Time::from_ms(2));
  EXPECT_EQ(ran(system, {.method = "dag.greedy", .strategy = Strategy::kConcurrent}).report->end,
            Time::from_ms(1));
}

TEST(RunDag, TakesPartOfALargerGpu) {
  const Ran seen = ran(example(), {.method = "dag.balanced", .sms = 132, .partition_step = 8});
  ASSERT_TRUE(seen.report) << seen.error;
  ASSERT_EQ(seen.report->shares.size(), 1u);
  EXPECT_EQ(seen.report->shares[0].asked, 6);
  EXPECT_EQ(seen.report->shares[0].got, 8);
  EXPECT_TRUE(seen.report->good());
}

TEST(RunDag, RefusesAGpuWithFewerSmsThanThePlanNeeds) {
  const Ran seen = ran(example(), {.method = "dag.balanced", .sms = 4});
  EXPECT_FALSE(seen.report);
  EXPECT_EQ(seen.error, "the plan needs 6 SMs; the emulator has 4");
}

TEST(RunDag, RefusesOtherWidthsUnderStrict) {
  const Ran seen =
      ran(example(), {.method = "dag.balanced", .sms = 132, .partition_step = 8, .strict = true});
  EXPECT_FALSE(seen.report);
  EXPECT_EQ(seen.error, "asked for 6 SMs, got 8, and --strict accepts no other number");
}

TEST(RunDag, RefusesAStrategyOfAnotherFamily) {
  const Ran seen = ran(example(), {.method = "dag.balanced", .strategy = Strategy::kReclaim});
  EXPECT_EQ(seen.error,
            "a graph is run as `planned`, `concurrent` or `streams`; there is no other strategy");
}

/// The printed edges are too few: with early completions the printed bound does not hold (E3).
TEST(RunDag, ShowsThatThePrintedEdgesAreTooFew) {
  const System system = simulate::read(R"({"tactus":1,"name":"e3","time_unit":"unit",
      "platform":{"elements":[{"name":"gpu","kind":"gpu","t_min":1,"units":3}]},
      "tasks":[{"name":"g","nodes":[
        {"name":"s","on":"gpu","load":1},{"name":"a1","on":"gpu","load":1},
        {"name":"a2","on":"gpu","load":2},{"name":"a3","on":"gpu","load":1},
        {"name":"b1","on":"gpu","load":1},{"name":"b2","on":"gpu","load":1},
        {"name":"b3","on":"gpu","load":2},{"name":"t","on":"gpu","load":1}],
       "edges":[["s","a1"],["a1","a2"],["a2","a3"],["a3","t"],
                ["s","b1"],["b1","b2"],["b2","b3"],["b3","t"]]}]})");
  const auto seen = [&](std::string_view variant) {
    return ran(system,
               {.method = "dag.balanced", .scenario = "early", .jobs = 300, .variant = variant});
  };
  EXPECT_TRUE(seen("paper").report->tasks[0].exceeds_bound());
  EXPECT_FALSE(seen("safe").report->tasks[0].exceeds_bound());
}

TEST(RunDag, AgreesWithTheSimulator) {
  for (const char* method : {"dag.balanced", "dag.greedy", "dag.greedy-unaware", "dag.graham"}) {
    for (int seed = 0; seed < support::scaled(60); ++seed) {
      const System system = drawn(method, static_cast<std::uint64_t>(seed));
      const Ran seen = ran(system, {.method = method, .jobs = 2});
      const auto simulated = simulate::simulate(system, method, "offsets,worst,fifo", 2);
      ASSERT_TRUE(seen.report) << seen.error;
      expect_same_responses(*seen.report, simulated.outcome,
                            std::string(method) + " " + std::to_string(seed));
    }
  }
}

TEST(RunDag, KeepsBoundsWidthsAndOrderOnRandomGraphs) {
  for (const char* method : {"dag.balanced", "dag.greedy", "dag.greedy-unaware", "dag.graham"}) {
    for (int seed = 0; seed < support::scaled(100); ++seed) {
      const System system = drawn(method, static_cast<std::uint64_t>(seed));
      for (const char* scenario : {"worst", "early", "uniform"}) {
        const Ran seen = ran(system, {.method = method, .scenario = scenario, .jobs = 4});
        expect_sound(system, seen, std::string(method) + " " + std::to_string(seed));
      }
    }
  }
}

}  // namespace
}  // namespace tactus::runtime
