#include "gpusched.hpp"

#include <gtest/gtest.h>

#include "random_systems.hpp"
#include "reference.hpp"
#include "systems.hpp"
#include "tactus/methods/pbs/settings.hpp"

/// The printed algorithm is wrong on F1 and F2, half-repaired ones on F3 and F4, as
/// tactus/methods/pbs/theory.md says; each repair mends its finding, and pbs.graph is right on all of them.
namespace tactus::pbs::testing {
namespace {

constexpr Expansion kFifo = Expansion::kFirstInFirstOut, kLifo = Expansion::kLastInFirstOut,
                    kByTime = Expansion::kByTime;

void expect_truth(const System& system, bool truth) {
  EXPECT_EQ(Reference(system).tables() > 0, truth);
  EXPECT_EQ(schedulable(kGraph, system), truth);
  EXPECT_EQ(gpusched(system, kByTime, {true, true, true, true}), truth);
}

TEST(PrintedGpuSched, AgreesOnFigure1) {
  EXPECT_TRUE(gpusched(make(figure_1()), kFifo));
  EXPECT_TRUE(gpusched(make(figure_1()), kLifo));
}

TEST(PrintedGpuSched, F1AcceptsATableThatIdlesWithReadyJobs) {
  const System system = make(finding(1));
  for (const Expansion order : {kFifo, kLifo, kByTime}) {
    EXPECT_TRUE(gpusched(system, order)) << "Deltas never meet a deadline again";
  }
  EXPECT_FALSE(gpusched(system, kFifo, {.recheck_deadlines = true}));
  expect_truth(system, false);
}

TEST(PrintedGpuSched, F2LosesADominatedState) {
  const System system = make(finding(2));
  for (const Expansion order : {kFifo, kByTime}) {
    EXPECT_FALSE(gpusched(system, order)) << "the Deltas of a merged vertex are forgotten";
  }
  EXPECT_TRUE(gpusched(system, kLifo)) << "the paper leaves the order open";
  EXPECT_TRUE(gpusched(system, kFifo, {.pass_on_deltas = true}));
  expect_truth(system, true);
}

/// The printed algorithm, unrepaired, is right in every order.
void expect_printed_is_right(const System& system, bool truth) {
  for (const Expansion order : {kFifo, kLifo, kByTime}) {
    EXPECT_EQ(gpusched(system, order), truth);
  }
}

TEST(HalfRepairedGpuSched, F3InventsStatesThatNoScheduleReaches) {
  const System system = make(finding(3));
  expect_printed_is_right(system, false);
  Repairs repairs = {.recheck_deadlines = true, .pass_on_deltas = true};
  EXPECT_TRUE(gpusched(system, kFifo, repairs)) << "Deltas of a split vertex add up";
  repairs.split_beside = true;
  EXPECT_FALSE(gpusched(system, kFifo, repairs));
  expect_truth(system, false);
}

TEST(HalfRepairedGpuSched, F4DiscardsASubgraphThatDominatesOthers) {
  const System system = make(finding(4));
  expect_printed_is_right(system, true);
  const Repairs all_but_order = {true, true, true, true};
  EXPECT_FALSE(gpusched(system, kLifo, all_but_order)) << "a replaced vertex had absorbed others";
  EXPECT_TRUE(gpusched(system, kByTime, all_but_order));
  expect_truth(system, true);
}

/// The systems that the literal algorithm takes: a table of completions, no blocks, no offsets.
SystemText random_table(std::uint64_t number) {
  Random random(58'000, number);
  SystemText text = random_system(random);
  for (TaskText& task : text.tasks) {
    task.offset = 0;
    task.more.clear();
  }
  text.gpu = "\"units\": 8";
  text.more = ", \"interference\": {\"model\": \"table\"}";
  return text;
}

Options printed(Expansion order) {
  Options options = with({{"order", order == kFifo ? "fifo" : order == kLifo ? "lifo" : "time"}});
  options.variant = kPaper;
  return options;
}

/// What `--variant paper` does, against the literal algorithm.
TEST(PaperVariant, AnswersAsTheLiteralAlgorithm) {
  int yes = 0, wrong = 0;
  const auto compare = [&](const SystemText& text) {
    const System system = make(text);
    const bool truth = Reference(system).tables() > 0;
    for (const Expansion order : {kFifo, kLifo, kByTime}) {
      const Verdict verdict = run(kGraph, system, printed(order));
      const bool answer = verdict.status == Status::kSchedulable;
      EXPECT_EQ(answer, gpusched(system, order)) << to_json(text);
      EXPECT_EQ(verdict.warnings.size(), 1U);
      yes += answer;
      wrong += answer != truth;
    }
  };
  for (int number = 1; number <= 4; ++number) compare(finding(number));
  for (int i = 0; i < scaled(2000); ++i) {
    const SystemText text = random_table(static_cast<std::uint64_t>(i));
    if (text.tasks.size() <= 4) compare(text);
  }
  EXPECT_GT(yes, 0);
  EXPECT_GE(wrong, 5);
}

/// A split leaves the GPU idle in the path: a yes is wrong about PBS, but its table meets every
/// deadline if it is played at its times.
TEST(PaperVariant, ItsTablesHoldWhereIdlingIsAllowed) {
  int tables = 0;
  for (int i = 0; i < scaled(2000); ++i) {
    Random random(59'000, static_cast<std::uint64_t>(i));
    const System system = make(random_system(random));
    Verdict verdict = run(kGraph, system, printed(kFifo));
    if (verdict.status != Status::kSchedulable) continue;
    ++tables;
    verdict.method = kIdling;
    EXPECT_EQ(check_own_plan(kGraph, system, verdict), std::vector<std::string>());
  }
  EXPECT_GT(tables, 20);
}

TEST(PaperVariant, TheCheckerSeesThatTheTableOfF1Idles) {
  const System system = make(finding(1));
  const Verdict verdict = run(kGraph, system, printed(kFifo));
  const auto problems = check_own_plan(kGraph, system, verdict);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems.front(), "frame 4: starts at 18, but a job is ready at 17");
  EXPECT_EQ(shown(system, table_of(verdict)),
            "a+b [0,5], a [6,10], b [10,13], a [13,17], a+b [18,23]");
}

TEST(PaperVariant, TakesNoOptionsOfTheExactSearch) {
  const System system = make(finding(1));
  for (const char* name : {"idle", "all"}) {
    Options options = printed(kFifo);
    options.settings[name] = "on";
    EXPECT_NE(run(kGraph, system, options).reason.find("as printed"), std::string::npos);
  }
  EXPECT_NE(run(kGraph, system, with({{"order", "lifo"}})).reason.find("--variant paper"),
            std::string::npos);
}

TEST(PaperVariant, StopsAtALimit) {
  Options options = printed(kFifo);
  options.settings["state-limit"] = "3";
  EXPECT_EQ(run(kGraph, make(finding(2)), options).status, Status::kUndecided);
}

TEST(RepairedGpuSched, IsRightOnRandomTables) {
  for (int i = 0; i < scaled(1000); ++i) {
    const SystemText text = random_table(static_cast<std::uint64_t>(i));
    const System system = make(text);
    if (text.tasks.size() > 4) continue;
    const bool truth = Reference(system).tables() > 0;
    EXPECT_EQ(gpusched(system, kByTime, {true, true, true, true}), truth) << to_json(text);
  }
}

}  // namespace
}  // namespace tactus::pbs::testing
