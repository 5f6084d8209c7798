// Plans of the dag family on SMs: the worked schedule, the counterexamples, and a hunt.
#include <gtest/gtest.h>

#include "tactus/simulate/registry.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::simulate {
namespace {

/// One task on `sms` SMs; loads in units, edges as in the file.
System kernels(int sms, const std::string& nodes, const std::string& edges) {
  return read(R"({"tactus":1,"name":"x","time_unit":"unit","platform":{"elements":[
      {"name":"gpu","kind":"gpu","t_min":1,"units":)" +
              std::to_string(sms) + R"(}]},"tasks":[{"name":"g","period":100,"nodes":[)" + nodes +
              R"(],"edges":[)" + edges + "]}]}");
}
std::string node(const std::string& name, int load) {
  return R"({"name":")" + name + R"(","on":"gpu","load":)" + std::to_string(load) + "}";
}

/// Specification, section 8.
TEST(SmPool, RunsTheWorkedExampleStepByStep) {
  const System system = read_file("examples/dag-example.system.json");
  const Schedule expected = {{"v1", {{{0, 1}, 3}}}, {"v2", {{{1, 2}, 2}, {{2, 4}, 1}}},
                             {"v3", {{{1, 2}, 2}}}, {"v4", {{{1, 2}, 2}}},
                             {"v5", {{{2, 4}, 2}}}, {"v6", {{{2, 4}, 2}}},
                             {"v7", {{{4, 5}, 3}}}};
  for (const char* variant : {"safe", "paper"}) {
    for (const char* order : {"fifo", "lifo", "shuffled", "latest"}) {
      const Seen seen = simulate(system, "dag.balanced", order, 1, variant);
      EXPECT_EQ(schedule_of(system, seen.trace), expected) << variant << ", " << order;
      EXPECT_EQ(seen.outcome.tasks[0].longest, Time::from_ms(5));
    }
  }
}
TEST(SmPool, RunsGreedyOneKernelAfterAnother) {
  const System system = read_file("examples/dag-example.system.json");
  const Seen seen = simulate(system, "dag.greedy", "lifo");
  EXPECT_EQ(schedule_of(system, seen.trace), (Schedule{{"v1", {{{0, 1}, 3}}},
                                                       {"v2", {{{1, 2}, 4}}},
                                                       {"v3", {{{2, 3}, 2}}},
                                                       {"v4", {{{3, 4}, 2}}},
                                                       {"v5", {{{4, 5}, 4}}},
                                                       {"v6", {{{5, 6}, 4}}},
                                                       {"v7", {{{6, 7}, 3}}}}));
}
TEST(SmPool, RunsMoreBlocksThanSmsInWaves) {
  const System system = kernels(2, node("a", 5), "");
  const Seen seen = simulate(system, "dag.greedy-unaware", "fifo");
  EXPECT_EQ(schedule_of(system, seen.trace),
            (Schedule{{"a", {{{0, 1}, 2}, {{1, 2}, 2}, {{2, 3}, 1}}}}));
}
/// Blocks of `b` start as soon as an SM is free, before `a` is complete.
TEST(SmPool, LeavesNoSmIdleUnderGraham) {
  const System system = kernels(2, node("a", 3) + "," + node("b", 3), "");
  const Seen seen = simulate(system, "dag.graham", "fifo");
  EXPECT_EQ(schedule_of(system, seen.trace),
            (Schedule{{"a", {{{0, 1}, 2}, {{1, 2}, 1}}}, {"b", {{{1, 2}, 1}, {{2, 3}, 2}}}}));
}
TEST(SmPool, DrawsLengthsAboveTheLeastLoad) {
  System system = kernels(2, R"({"name":"a","on":"gpu","load":4,"load_min":3})", "");
  const Seen seen = simulate(system, "dag.balanced", "uniform", 50);
  ASSERT_EQ(seen.outcome.tasks[0].responses.size(), 50U);
  Time least = Time::max(), most;
  for (const Time response : seen.outcome.tasks[0].responses) {
    least = std::min(least, response);
    most = std::max(most, response);
  }
  EXPECT_GE(least, Time::from_ns(1'500'000));
  EXPECT_LT(least, Time::from_ns(1'600'000));
  EXPECT_GT(most, Time::from_ns(1'900'000));
}

TEST(SmPool, RefusesPlansOfTooManyBlocks) {
  const System system = kernels(2, node("a", 200'000), "");
  const Verdict verdict = analyze(*find_method("dag.graham"), system);
  EXPECT_FALSE(find_policy("dag.graham")->make(system, verdict));
}

struct Example {
  System system;
  const char* scenario;  ///< that breaks the printed bound with some seed
};
std::vector<Example> examples() {
  return {
      {kernels(3, node("s", 1) + "," + node("a", 2) + "," + node("b", 2) + "," + node("t", 1),
               R"(["s","a"],["s","b"],["a","t"],["b","t"])"),
       "worst"},
      {kernels(7,
               node("s", 1) + "," + node("a", 3) + "," + node("b", 3) + "," + node("c", 3) + "," +
                   node("y", 1) + "," + node("z", 1) + "," + node("j", 1) + "," + node("t", 1),
               R"(["s","a"],["s","b"],["s","c"],["s","y"],["s","z"],["a","j"],["b","j"],["c","j"],
                  ["j","t"],["y","t"],["z","t"])"),
       "worst"},
      {kernels(3,
               node("s", 1) + "," + node("a1", 1) + "," + node("a2", 2) + "," + node("a3", 1) +
                   "," + node("b1", 1) + "," + node("b2", 1) + "," + node("b3", 2) + "," +
                   node("t", 1),
               R"(["s","a1"],["a1","a2"],["a2","a3"],["a3","t"],
                  ["s","b1"],["b1","b2"],["b2","b3"],["b3","t"])"),
       "early"},
  };
}

/// Specification, 5.1: E1 and E2 fail whatever the order, E3 after early completions.
TEST(SmPool, BreaksThePrintedBoundsOfE1ToE3AndNotTheSafeOnes) {
  for (const Example& example : examples()) {
    for (const std::string order : {"fifo", "lifo", "shuffled", "latest"}) {
      const std::string scenario = example.scenario + ("," + order);
      EXPECT_TRUE(
          simulate(example.system, "dag.balanced", scenario, 300, "paper").exceeds_a_bound())
          << scenario;
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        EXPECT_FALSE(
            simulate(example.system, "dag.balanced", scenario, 100, kSafe, seed).exceeds_a_bound());
      }
    }
  }
}
TEST(SmPool, TakesAsLongAsTheSpecificationSaysForE1AndE2) {
  const auto all = examples();
  EXPECT_EQ(simulate(all[0].system, "dag.balanced", "worst", 1, "paper").outcome.tasks[0].longest,
            Time::from_ms(4));
  EXPECT_GE(simulate(all[1].system, "dag.balanced", "worst", 1, "paper").outcome.tasks[0].longest,
            Time::from_ms(5));
}

TEST(HuntInSmallGraphs, FindsNothingAgainstTheSafeBounds) {
  for (const char* method : {"dag.balanced", "dag.greedy", "dag.greedy-unaware", "dag.graham"}) {
    const Bag bag = short_hunt(method, "safe", 300);
    EXPECT_EQ(bag.promised, 300U) << method;
    EXPECT_EQ(bag.violations, 0U) << method;
    EXPECT_EQ(bag.broken_rule, "") << method;
  }
}
TEST(HuntInSmallGraphs, FindsViolationsOfThePrintedBoundAndMakesThemSmall) {
  const Bag bag = short_hunt("dag.balanced", "paper", 300);
  EXPECT_GT(bag.violations, 100U);
  ASSERT_EQ(bag.catches.size(), Hunt().most_catches);
  for (const Catch& caught : bag.catches) {
    EXPECT_GT(caught.violation.observed, caught.violation.bound);
    EXPECT_LE(caught.system.tasks[0].nodes.size(), 8U);
  }
}

}  // namespace
}  // namespace tactus::simulate
