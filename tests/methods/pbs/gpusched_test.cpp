#include "gpusched.hpp"

#include <gtest/gtest.h>

#include "random_systems.hpp"
#include "reference.hpp"
#include "systems.hpp"

/// The printed algorithm is wrong on F1 and F2, half-repaired ones on F3 and F4, as
/// docs/use/methods/pbs.md says; each repair mends its finding, and pbs.graph is right on all of them.
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

TEST(RepairedGpuSched, IsRightOnRandomTables) {
  for (int i = 0; i < scaled(1000); ++i) {
    Random random(58'000, static_cast<std::uint64_t>(i));
    SystemText text = random_system(random);
    for (TaskText& task : text.tasks) {
      task.offset = 0;
      task.more.clear();
    }
    text.gpu = "\"units\": 8";
    text.more = ", \"interference\": {\"model\": \"table\"}";
    const System system = make(text);
    if (text.tasks.size() > 4) continue;
    const bool truth = Reference(system).tables() > 0;
    EXPECT_EQ(gpusched(system, kByTime, {true, true, true, true}), truth) << to_json(text);
  }
}

}  // namespace
}  // namespace tactus::pbs::testing
