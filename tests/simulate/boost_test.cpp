#include <gtest/gtest.h>

#include "tactus/methods/gcaps/boost/boost_plan.hpp"
#include "tactus/methods/gcaps/family.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/hunt.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/methods/gcaps/boost/naive.hpp"
#include "tests/methods/gcaps/support.hpp"
#include "tests/simulate/mutated_boost.hpp"
#include "tests/support/scaled.hpp"

/// The simulated gates of gcaps.boost, the search for runs that exceed its bounds, and that the search
/// would find one: bounds with a term removed are exceeded.
namespace tactus::simulate {
namespace {

using gcaps::boost::BoostPlan;
using gcaps::boost::naive::Forget;
using gcaps::tests::ms;
using gcaps::tests::Sketch;

/// The longest response of a task at the file's offsets.
Time longest(const System& system, std::string_view method, std::size_t task,
             std::string_view scenario = "offsets,worst,fifo") {
  const Verdict verdict = analyze(*find_method(method), system);
  const auto policy = find_policy(method)->make(system, verdict);
  EXPECT_TRUE(policy);
  Until until;
  until.jobs = 10;
  until.audit = true;
  const trace::Observed seen = run(system, **policy, *trace::parse_scenario(scenario, 1), until);
  EXPECT_EQ(seen.broken_rule, "");
  return seen.tasks[task].longest;
}

Sketch with_costs(int cores, std::string_view off, std::string_view on, std::string_view start) {
  Sketch sketch(cores);
  return sketch.cost("preempt_cost", off).cost("resume_cost", on).cost("start_cost", start);
}

TEST(Gates, CostATaskThatIsAloneNothingButItsStarts) {
  const System system =
      with_costs(1, "5", "5", "0.5").task("a", 1, "40", "2, 1+3, 1, 0+2, 1").system();
  EXPECT_EQ(longest(system, "gcaps.boost.suspend", 0), ms(11));
}

TEST(Gates, LetAMoreUrgentTaskTakeALowerOneOffAndPutItBack) {
  // b submits at 1 and is on from 1.5; a submits at 3: b is off at 4, a runs in [4.5, 6.5), b is back
  // on at 8.5 and has 8.5 of its 10 ms left.
  const System system = with_costs(2, "1", "2", "0.5")
                            .task("a", 1, "100", "3, 0+2", R"("offset":0)")
                            .task("b", 2, "100", "1, 0+10", R"("offset":0)")
                            .system();
  EXPECT_EQ(longest(system, "gcaps.boost.suspend", 0), ms(6, 500));
  EXPECT_EQ(longest(system, "gcaps.boost.suspend", 1), ms(17));
}

TEST(Gates, LetAProtectedSegmentFinish) {
  std::string text = with_costs(2, "1", "2", "0.5")
                         .task("a", 1, "100", "3, 0+2")
                         .task("b", 2, "100", "1, 0+10")
                         .text();
  const std::string last = R"("wcet":10)";
  text.insert(text.rfind(last), R"("gpu_threshold":100,)");
  const System system = support::read(text);
  EXPECT_EQ(longest(system, "gcaps.boost.suspend", 1), ms(11, 500));
  EXPECT_EQ(longest(system, "gcaps.boost.suspend", 0), ms(14)) << "and then start the other one";
}

TEST(Gates, StartALaterHigherSubmitFirstThatComesWhileALowerOneIsTakenOff) {
  // c is taken off from 2 on for b; a submits at 3, before c is off at 4: a is started first.
  const System system = with_costs(3, "2", "1", "1")
                            .task("a", 1, "100", "3, 0+2")
                            .task("b", 2, "100", "2, 0+2")
                            .task("c", 3, "100", "0+20")
                            .system();
  EXPECT_EQ(longest(system, "gcaps.boost.suspend", 0), ms(7));
  EXPECT_EQ(longest(system, "gcaps.boost.suspend", 1), ms(10));
}

TEST(Gates, GiveAnOrderThatInvertsThatOfTheCoreNoDeadlock) {
  // a spins on the core and waits for b, whose GPU work needs no core.
  const System system = with_costs(1, "0", "0", "0")
                            .task("a", 1, "100", "1, 0+2, 1", R"("gpu_priority":1,"offset":2)")
                            .task("b", 1, "100", "1, 0+9, 1", R"("gpu_priority":2,"offset":0)")
                            .system();
  EXPECT_EQ(longest(system, "gcaps.boost.busy", 0), ms(11)) << "from 2 on, b has the GPU until 10";
}

TEST(Gates, ServeBestEffortWorkOneAtATimeAndAlwaysTakeItOff) {
  const System system = with_costs(2, "1", "1", "1")
                            .task("a", 1, "100", "10, 0+2")
                            .best_effort("x", 2, "100", "0+50")
                            .best_effort("y", 2, "100", "0+50")
                            .system();
  EXPECT_EQ(longest(system, "gcaps.boost.suspend", 0), ms(14)) << "off, start, work";
}

TEST(Gates, ReachTheExamplesThatRefuteWeakerAnalyses) {
  const System empty =
      support::read_file("tests/data/cases/boost/11-zero-length-segment.system.json");
  EXPECT_LE(longest(empty, "gcaps.boost.suspend", 1, "sync,worst,fifo"), ms(9, 1));
  System shared =
      support::read_file("tests/data/cases/boost/12-arbiter-start-is-cpu-time.system.json");
  shared.tasks[1].offset = ms(1);
  EXPECT_EQ(longest(shared, "gcaps.boost.suspend", 1), ms(4)) << "start(b) has the core in [1, 3)";
}

TEST(Gates, OfWorkThatIsDoneOpenTheNextOneLaterButNoLaterThanTheirCost) {
  // a is done at 3.5; the arbiter sees it at 4 at the latest, and then needs no more than st less
  // what it took to see it: b is on at 4 either way, and done at 6.
  const System system = with_costs(2, "1", "2", "0.5")
                            .task("a", 1, "100", "1, 0+2", R"("offset":0)")
                            .task("b", 2, "100", "2, 0+2", R"("offset":0)")
                            .system();
  const Verdict verdict = analyze(*find_method("gcaps.boost.suspend"), system);
  for (const Seeing seeing : {Seeing::kAtOnce, Seeing::kLate, Seeing::kLateUncharged}) {
    const auto policy = find_policy("gcaps.boost.suspend")->make(system, verdict);
    Until until;
    until.jobs = 1;
    until.audit = true;
    until.completions = seeing;
    const trace::Observed seen =
        run(system, **policy, *trace::parse_scenario("offsets,worst,fifo", 1), until);
    EXPECT_EQ(seen.broken_rule, "");
    EXPECT_EQ(seen.tasks[0].longest, ms(3, 500)) << "who is done does not wait for the arbiter";
    EXPECT_EQ(seen.tasks[1].longest, seeing == Seeing::kLateUncharged ? ms(6, 500) : ms(6));
  }
}

Hunt on(const Method& method, std::string_view recipe, Search search, std::uint64_t systems,
        std::uint64_t runs) {
  Hunt hunt;
  hunt.method = &method;
  hunt.options.terms = false;
  hunt.recipe = find_recipe(recipe);
  hunt.search = search;
  hunt.systems = systems;
  hunt.runs = runs;
  hunt.jobs = 6;
  return hunt;
}

void expect_no_violation(std::string_view recipe, Search search, std::uint64_t systems,
                         std::uint64_t runs) {
  for (const std::string_view id : {"gcaps.boost.suspend", "gcaps.boost.busy",
                                    "gcaps.boost.suspend.prio", "gcaps.boost.busy.prio"}) {
    const Bag bag = hunt(on(*find_method(id), recipe, search, support::scaled(systems), runs));
    EXPECT_EQ(bag.violations, 0U) << id;
    EXPECT_EQ(bag.broken_rule, "") << id;
    EXPECT_GT(bag.promised, systems / 4) << id;
    EXPECT_GT(bag.runs, bag.promised) << id;
  }
}

TEST(BoostHunt, FindsNothingAmongSmallSystems) {
  expect_no_violation("boost-small", Search::kRandom, 150, 10);
}
TEST(BoostHunt, FindsNothingByClimbingAmongSystemsBuiltForCarryIn) {
  expect_no_violation("boost-carry-in", Search::kClimb, 20, 60);
}
TEST(BoostHunt, FindsNothingAmongAllOffsetsOfTinySystems) {
  expect_no_violation("boost-tiny", Search::kOffsets, 20, 600);
}

/// Each of the four methods, with an arbiter that sees completions late.
void expect_no_violation_when_seen_late(std::string_view recipe, Search search,
                                        std::uint64_t systems, std::uint64_t runs) {
  for (const std::string_view id : {"gcaps.boost.suspend", "gcaps.boost.busy",
                                    "gcaps.boost.suspend.prio", "gcaps.boost.busy.prio"}) {
    Hunt wanted = on(*find_method(id), recipe, search, support::scaled(systems), runs);
    wanted.completions = Seeing::kLate;
    const Bag bag = hunt(wanted);
    EXPECT_EQ(bag.violations, 0U) << id;
    EXPECT_EQ(bag.broken_rule, "") << id;
    EXPECT_GT(bag.promised, systems / 4) << id;
  }
}

TEST(BoostHunt, FindsNothingWhenCompletionsAreSeenAsLateAsTheCostsAllow) {
  expect_no_violation_when_seen_late("boost-small", Search::kRandom, 100, 10);
  expect_no_violation_when_seen_late("boost-carry-in", Search::kClimb, 15, 60);
  expect_no_violation_when_seen_late("boost-tiny", Search::kOffsets, 10, 600);
}

/// How many of these systems show that something is forgotten.
std::uint64_t caught(const Method& method, std::string_view recipe, Search search,
                     std::uint64_t systems, std::uint64_t runs,
                     Seeing completions = Seeing::kAtOnce) {
  std::uint64_t found = 0;
  Hunt wanted = on(method, recipe, search, systems, runs);
  wanted.completions = completions;
  // In blocks, so that a test ends once it has seen enough.
  for (std::uint64_t seed = 1; seed <= 12 && found == 0; ++seed) {
    wanted.seed = seed;
    wanted.systems = systems;
    const Bag bag = hunt(wanted);
    EXPECT_EQ(bag.broken_rule, "");
    found += bag.violations;
  }
  return found;
}

TEST(BoostMutants, AreNotCaughtWhenNothingIsForgotten) {
  EXPECT_EQ(caught(mutated<Forget::kNothing, false>(), "boost-tiny", Search::kOffsets, 4, 300), 0U);
  EXPECT_EQ(caught(mutated<Forget::kNothing, true>(), "boost-tiny", Search::kOffsets, 4, 300), 0U);
}

template <Forget kForget>
void expect_caught(std::string_view recipe, Search search, std::uint64_t systems,
                   std::uint64_t runs) {
  EXPECT_GT(caught(mutated<kForget, false>(), recipe, search, systems, runs), 0U) << "suspend";
  EXPECT_GT(caught(mutated<kForget, true>(), recipe, search, systems, runs), 0U) << "busy";
}

TEST(BoostMutants, WithoutBlockingAreCaught) {
  expect_caught<Forget::kBlocking>("boost-carry-in", Search::kClimb, 20, 60);
}
TEST(BoostMutants, WithoutThePairOfOperationsAreCaught) {
  expect_caught<Forget::kPair>("boost-carry-in", Search::kClimb, 20, 100);
}
TEST(BoostMutants, WithoutJittersOnTheGpuAreCaught) {
  expect_caught<Forget::kGpuJitters>("boost-carry-in", Search::kClimb, 40, 200);
}
TEST(BoostMutants, WithWindowsOfOneNanosecondAreCaught) {
  expect_caught<Forget::kGpuWindows>("boost-carry-in", Search::kClimb, 20, 150);
}
TEST(BoostMutants, WithHalfOfTheirWindowsOnTheGpuAreCaught) {
  expect_caught<Forget::kHalfOfGpuWindows>("boost-carry-in", Search::kClimb, 30, 150);
}
TEST(BoostMutants, WithHalfOfTheirWindowsOnTheCpuAreCaught) {
  EXPECT_GT(caught(mutated<Forget::kHalfOfCpuWindows, false>(), "boost-long-phases", Search::kClimb,
                   30, 100),
            0U);
}
TEST(BoostMutants, WithoutJittersOnTheCpuAreCaught) {
  EXPECT_GT(
      caught(mutated<Forget::kCpuJitters, false>(), "boost-carry-in", Search::kClimb, 60, 200), 0U);
}
TEST(BoostMutants, InWhichEmptyPiecesDoNotWaitAreCaught) {
  expect_caught<Forget::kEmptyPieces>("boost-tiny", Search::kOffsets, 60, 600);
}
TEST(BoostMutants, InWhichTheArbitersStartsTakeNoCpuTimeAreCaught) {
  expect_caught<Forget::kArbiterStart>("boost-small", Search::kClimb, 100, 40);
}

TEST(BoostMutants, InWhichSeeingACompletionLateCostsTimeOfItsOwnAreCaught) {
  // Nothing is forgotten in the analysis: the arbiter is slower than its costs say.
  for (const Method& method :
       {mutated<Forget::kNothing, false>(), mutated<Forget::kNothing, true>()}) {
    EXPECT_GT(caught(method, "boost-tiny", Search::kOffsets, 60, 600, Seeing::kLateUncharged), 0U)
        << method.id;
  }
}

}  // namespace
}  // namespace tactus::simulate
