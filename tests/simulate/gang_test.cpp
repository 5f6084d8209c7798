// Gangs on their shares: the paper's schedules, the counterexamples of the specification, a hunt.
#include <gtest/gtest.h>

#include "tactus/methods/gang/widths.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::simulate {
namespace {

System gangs(const std::string& elements, const std::string& nodes, const std::string& edges) {
  return read(R"({"tactus":1,"name":"x","time_unit":"unit","platform":{"elements":[)" + elements +
              R"(]},"tasks":[{"name":"g","period":100,"nodes":[)" + nodes + R"(],"edges":[)" +
              edges + "]}]}");
}
std::string node(const std::string& name, const std::string& on, int width, int wcet,
                 const std::string& more = "") {
  return R"({"name":")" + name + R"(","on":")" + on + R"(","parallelism":)" +
         std::to_string(width) + R"(,"wcet":)" + std::to_string(wcet) + more + "}";
}

/// Fig. 1 with t3 running 3 units, as in Figs. 4 and 5.
System fig1() {
  System system = read_file("examples/gang-fig1.system.json");
  system.tasks[0].nodes[2].wcet = Time::from_ms(3);
  return system;
}

TEST(Gang, RunsFig4) {
  const System system = fig1();
  const Seen seen = simulate(system, "gang.wc", "fifo");
  EXPECT_EQ(schedule_of(system, seen.trace), (Schedule{{"t1", {{{0, 4}, 1}}},
                                                       {"t2", {{{4, 9}, 3}}},
                                                       {"t3", {{{4, 7}, 2}}},
                                                       {"t4", {{{9, 12}, 4}}},
                                                       {"t5", {{{9, 12}, 1}}},
                                                       {"t6", {{{11, 14}, 3}}},
                                                       {"t7", {{{7, 11}, 3}}},
                                                       {"t8", {{{14, 17}, 2}}},
                                                       {"t9", {{{14, 16}, 3}}},
                                                       {"t10", {{{17, 19}, 1}}}}));
}
/// A fixed order with t4 before t3, and t6, t7, t8 in this order; one of the shuffled ones is it.
TEST(Gang, RunsFig5InSomeOrder) {
  const System system = fig1();
  const Schedule fig5 = {{"t1", {{{0, 4}, 1}}},   {"t2", {{{4, 9}, 3}}},   {"t3", {{{9, 12}, 2}}},
                         {"t4", {{{9, 12}, 4}}},  {"t5", {{{9, 12}, 1}}},  {"t6", {{{12, 15}, 3}}},
                         {"t7", {{{15, 19}, 3}}}, {"t8", {{{19, 22}, 2}}}, {"t9", {{{19, 21}, 3}}},
                         {"t10", {{{22, 24}, 1}}}};
  int swc = 0, wc = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto run = [&](const char* method) {
      return schedule_of(system, simulate(system, method, "shuffled", 1, kSafe, seed).trace);
    };
    swc += run("gang.swc") == fig5 ? 1 : 0;
    wc += run("gang.wc") == fig5 ? 1 : 0;
  }
  EXPECT_GT(swc, 0);
  EXPECT_EQ(wc, 0) << "t3 fits beside t2 and must not wait";
}

/// w does not fit one SM although six lanes are free in all; x, behind it, does.
TEST(Gang, FitsInsideOneUnitWhereUnitsHaveLanes) {
  const System system = gangs(R"({"name":"gpu","kind":"gpu","units":2,"lanes":8})",
                              node("u", "gpu", 5, 4) + "," + node("v", "gpu", 5, 2) + "," +
                                  node("w", "gpu", 6, 3) + "," + node("x", "gpu", 1, 1),
                              "");
  Schedule expected = {
      {"u", {{{0, 4}, 5}}}, {"v", {{{0, 2}, 5}}}, {"w", {{{2, 5}, 6}}}, {"x", {{{0, 1}, 1}}}};
  EXPECT_EQ(schedule_of(system, simulate(system, "gang.wc", "fifo").trace), expected);
  expected["x"] = {{{2, 3}, 1}};
  EXPECT_EQ(schedule_of(system, simulate(system, "gang.swc", "fifo").trace), expected);
}

/// Section 9 H: the blocks of k start together, its successor waits for all of them.
TEST(Gang, RunsTheBlocksOfAKernel) {
  const System system = gangs(
      R"({"name":"cpu","kind":"cpu","units":2},
               {"name":"gpu","kind":"gpu","units":2,"lanes":4})",
      node("s", "cpu", 1, 1) + "," + node("k", "gpu", 2, 3, R"(,"blocks":3)") + "," +
          node("c", "cpu", 1, 4) + "," + node("k2", "gpu", 4, 2) + "," + node("t", "cpu", 1, 1),
      R"(["s","k"],["s","c"],["s","k2"],["k","t"],["c","t"],["k2","t"])");
  EXPECT_EQ(schedule_of(system, simulate(system, "gang.wc", "fifo").trace),
            (Schedule{{"s", {{{0, 1}, 1}}},
                      {"k", {{{1, 4}, 6}}},
                      {"c", {{{1, 5}, 1}}},
                      {"k2", {{{4, 6}, 4}}},
                      {"t", {{{6, 7}, 1}}}}));
}

TEST(Gang, CountsTheDominantShareOfAnSm) {
  const System system =
      gangs(R"({"name":"gpu","kind":"gpu","units":1,"lanes":4,"sm":{"registers":2}})",
            node("n0", "gpu", 1, 8, R"(,"threads":1,"registers":2)") + "," +
                node("n1", "gpu", 1, 8, R"(,"threads":1,"registers":2)"),
            "");
  EXPECT_EQ(schedule_of(system, simulate(system, "gang.wc", "fifo").trace),
            (Schedule{{"n0", {{{0, 8}, 4}}}, {"n1", {{{8, 16}, 4}}}}));
}

/// Section 3: leaving the node itself out of Eq. 5 would promise 12.
TEST(Gang, TakesThirteenWhereEq5NeedsTheNodeItself) {
  const System system =
      gangs(R"({"name":"c0","kind":"cpu","units":3},{"name":"c1","kind":"cpu","units":7})",
            node("n1", "c0", 2, 3) + "," + node("n0", "c0", 3, 5) + "," + node("n2", "c1", 3, 5),
            R"(["n0","n2"])");
  const Seen seen = simulate(system, "gang.swc", "fifo");
  EXPECT_EQ(schedule_of(system, seen.trace),
            (Schedule{{"n1", {{{0, 3}, 2}}}, {"n0", {{{3, 8}, 3}}}, {"n2", {{{8, 13}, 3}}}}));
  EXPECT_FALSE(seen.exceeds_a_bound());
}

/// Section 9 G: a has 1 CPU and 3 GPU units, b has 2 CPUs of its own.
TEST(Gang, GivesEveryTaskItsShare) {
  const System system = read(R"({"tactus":1,"name":"g","time_unit":"unit","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":4},{"name":"gpu","kind":"gpu","units":4}]},"tasks":[
      {"name":"a","period":10,"nodes":[{"name":"c","on":"cpu","wcet":2},
       {"name":"g1","on":"gpu","parallelism":2,"wcet":3},{"name":"g2","on":"gpu","parallelism":1,"wcet":4}],
       "edges":[["c","g1"],["c","g2"]]},
      {"name":"b","period":12,"nodes":[{"name":"x","on":"cpu","wcet":5},
       {"name":"y","on":"cpu","wcet":5},{"name":"z","on":"cpu","wcet":5}],"edges":[]}]})");
  const Seen seen = simulate(system, "gang.wc", "fifo");
  EXPECT_EQ(schedule_of(system, seen.trace), (Schedule{{"c", {{{0, 2}, 1}, {{10, 12}, 1}}},
                                                       {"g1", {{{2, 5}, 2}}},
                                                       {"g2", {{{2, 6}, 1}}},
                                                       {"x", {{{0, 5}, 1}}},
                                                       {"y", {{{0, 5}, 1}}},
                                                       {"z", {{{5, 10}, 1}}}}));
  for (const trace::Interval& piece : seen.trace.intervals) {
    if (piece.element != 0) continue;
    EXPECT_EQ(piece.unit == 0, piece.task == 0);
  }
}

TEST(Gang, HasNothingToRunWithoutShares) {
  const System system = read(R"({"tactus":1,"name":"g","time_unit":"unit","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1}]},"tasks":[
      {"name":"a","period":9,"nodes":[{"name":"c","on":"cpu","wcet":2}]},
      {"name":"b","period":9,"nodes":[{"name":"c","on":"cpu","wcet":2}]}]})");
  const Verdict verdict = analyze(*find_method("gang.wc"), system);
  EXPECT_FALSE(find_policy("gang.wc")->make(system, verdict));
}

/// A bound covers a job, not the queue of jobs that builds up beyond the period.
TEST(Gang, DoesNotCountTheJobsBeforeAgainstABound) {
  System system = gangs(R"({"name":"cpu","kind":"cpu","units":1})", node("n", "cpu", 1, 5), "");
  system.tasks[0].period = system.tasks[0].deadline = Time::from_ms(3);
  const Seen seen = simulate(system, "gang.wc", "fifo", 4);
  EXPECT_EQ(seen.verdict.tasks[0].bound, Time::from_ms(5));
  EXPECT_EQ(seen.outcome.tasks[0].longest, Time::from_ms(11));
  EXPECT_EQ(seen.outcome.tasks[0].longest_covered, Time::from_ms(5));
  EXPECT_FALSE(seen.exceeds_a_bound());
}

TEST(Gang, LetsNothingPassAGangThatDoesNotFitOnlyUnderSwc) {
  const System system =
      gangs(R"({"name":"p","kind":"cpu","units":10})",
            node("a", "p", 1, 9) + "," + node("b", "p", 10, 9) + "," + node("c", "p", 9, 9), "");
  const Seen wc = simulate(system, "gang.wc", "fifo"), swc = simulate(system, "gang.swc", "fifo");
  EXPECT_EQ(wc.outcome.tasks[0].longest, Time::from_ms(18));
  EXPECT_EQ(swc.outcome.tasks[0].longest, Time::from_ms(27));
}

/// The newest first: b arrives at 1 and takes a's units, a comes back when b has ended.
TEST(Gang, IsTakenOffOnlyWhereTheScenarioPreempts) {
  const System system =
      gangs(R"({"name":"p","kind":"cpu","units":3})",
            node("a", "p", 2, 4) + "," + node("c", "p", 1, 1) + "," + node("b", "p", 2, 2),
            R"(["c","b"])");
  for (const char* method : {"gang.wc", "gang.swc"}) {
    EXPECT_EQ(schedule_of(system, simulate(system, method, "lifo").trace),
              (Schedule{{"a", {{{0, 4}, 2}}}, {"c", {{{0, 1}, 1}}}, {"b", {{{4, 6}, 2}}}}));
    EXPECT_EQ(
        schedule_of(system, simulate(system, method, "lifo,preemptive").trace),
        (Schedule{{"a", {{{0, 1}, 2}, {{3, 6}, 2}}}, {"c", {{{0, 1}, 1}}}, {"b", {{{1, 3}, 2}}}}));
    EXPECT_EQ(schedule_of(system, simulate(system, method, "fifo,preemptive").trace),
              (Schedule{{"a", {{{0, 4}, 2}}}, {"c", {{{0, 1}, 1}}}, {"b", {{{4, 6}, 2}}}}));
  }
}

/// x takes the first SM, where w was; there is room for w in the second.
TEST(Gang, MovesBetweenUnitsWithLanesWhenItIsTakenOff) {
  const System system =
      gangs(R"({"name":"cpu","kind":"cpu","units":1},
               {"name":"gpu","kind":"gpu","units":2,"lanes":4})",
            node("w", "gpu", 3, 4) + "," + node("s", "cpu", 1, 2) + "," + node("x", "gpu", 3, 3),
            R"(["s","x"])");
  const Seen seen = simulate(system, "gang.wc", "latest,preemptive");
  EXPECT_EQ(
      schedule_of(system, seen.trace),
      (Schedule{{"w", {{{0, 2}, 3}, {{2, 4}, 3}}}, {"s", {{{0, 2}, 1}}}, {"x", {{{2, 5}, 3}}}}));
}

TEST(Gang, StartsTheLatestOfTheGraphFirstWhenAsked) {
  const System system = gangs(R"({"name":"p","kind":"cpu","units":1})",
                              node("a", "p", 1, 2) + "," + node("b", "p", 1, 3), "");
  EXPECT_EQ(schedule_of(system, simulate(system, "gang.wc", "latest").trace),
            (Schedule{{"a", {{{3, 5}, 1}}}, {"b", {{{0, 3}, 1}}}}));
}

std::string measured(const std::string& name, const std::string& times,
                     const std::string& more = "") {
  return R"({"name":")" + name + R"(","on":"gpu","times":[)" + times + "]" + more + "}";
}

/// a waits for both units that its plan says, although one is free, on which it has a time too.
TEST(Gang, RunsMeasuredKernelsOnTheWidthsOfTheVerdict) {
  const System system = gangs(R"({"name":"gpu","kind":"gpu","units":2})",
                              measured("b", R"({"units":1,"wcet":1})") + "," +
                                  measured("a", R"({"units":1,"wcet":3},{"units":2,"wcet":1})"),
                              "");
  const Seen seen = simulate(system, "gang.wc", "fifo");
  EXPECT_EQ(schedule_of(system, seen.trace),
            (Schedule{{"b", {{{0, 1}, 1}}}, {"a", {{{1, 2}, 2}}}}));
  EXPECT_FALSE(seen.exceeds_a_bound());
}

TEST(Gang, RunsALaunchOnACoreBeforeItsKernel) {
  const System system = gangs(
      R"({"name":"cpu","kind":"cpu","units":1},{"name":"gpu","kind":"gpu","units":4})",
      node("s", "cpu", 1, 2) + "," + measured("k", R"({"units":3,"wcet":5})", R"(,"launch":2)") +
          "," + measured("l", R"({"units":1,"wcet":4})", R"(,"launch":1)"),
      R"(["s","k"],["s","l"])");
  const Seen seen = simulate(system, "gang.swc", "fifo");
  // One core: the launches come one after the other.
  EXPECT_EQ(schedule_of(system, seen.trace), (Schedule{{"s", {{{0, 2}, 1}}},
                                                       {"k", {{{2, 4}, 1}, {{4, 9}, 3}}},
                                                       {"l", {{{4, 5}, 1}, {{5, 9}, 1}}}}));
  for (const trace::Interval& piece : seen.trace.intervals) {
    const bool launch = piece.activity == trace::Activity::kLaunch;
    EXPECT_EQ(launch, piece.element == 0 && piece.node != 0);
  }
}

/// How many of many small systems (a: 1 or 2 of 2 units, b: 1 unit) are seen to exceed a bound when a
/// runs on the entry that `choose` takes, whatever the verdict says.
template <typename Choose>
int broken_by(Choose choose) {
  int violated = 0;
  for (int narrow = 1; narrow <= 6; ++narrow) {
    for (int wide = 1; wide <= narrow; ++wide) {
      for (int other = 1; other <= 6; ++other) {
        const System system =
            gangs(R"({"name":"gpu","kind":"gpu","units":2})",
                  measured("a", R"({"units":1,"wcet":)" + std::to_string(narrow) +
                                    R"(},{"units":2,"wcet":)" + std::to_string(wide) + "}") +
                      "," + measured("b", R"({"units":1,"wcet":)" + std::to_string(other) + "}"),
                  "");
        Options options;
        options.plan = false;
        Verdict verdict = analyze(*find_method("gang.wc"), system, options);
        gang::Widths widths = gang::noted_widths(verdict, system);
        widths[0][0].units = choose(widths[0][0].units);
        verdict.figures.clear();
        gang::note_widths(verdict, system, widths);
        for (const char* order : {"fifo", "lifo"}) {
          const auto policy = find_policy("gang.wc")->make(system, verdict);
          Until until;
          until.jobs = 1;
          const auto seen = run(system, **policy, *trace::parse_scenario(order, 1), until);
          violated += seen.tasks[0].longest_covered > *verdict.tasks[0].bound ? 1 : 0;
        }
      }
    }
  }
  return violated;
}

/// The run time must not choose: both ways to know better are noticed.
TEST(MutantsAmongGangs, ThatChooseOtherEntriesBreakBounds) {
  EXPECT_EQ(broken_by([](std::int64_t planned) { return planned; }), 0);
  EXPECT_GT(broken_by([](std::int64_t) { return 1; }), 0) << "always the narrower";
  EXPECT_GT(broken_by([](std::int64_t) { return 2; }), 0) << "always the faster";
}

TEST(HuntAmongGangs, FindsNothingAgainstTheBounds) {
  for (const char* method : {"gang.wc", "gang.swc"}) {
    const Bag bag = short_hunt(method, "safe", 500);
    EXPECT_GT(bag.promised, 350U) << method;
    EXPECT_EQ(bag.violations, 0U) << method;
    EXPECT_EQ(bag.broken_rule, "") << method;
  }
}

}  // namespace
}  // namespace tactus::simulate
