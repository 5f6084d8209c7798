// One record of a run: what counts as a job, a miss and a violation.
#include "tactus/trace/observed.hpp"

#include <gtest/gtest.h>

#include "tests/support/read.hpp"

namespace tactus::trace {
namespace {

Time ms(std::int64_t value) { return Time::from_ms(value); }

/// `a` with a deadline of 10, and `rest`, which has one but is best-effort.
System two_tasks() {
  System system = support::read(R"({"tactus":1,"name":"two","time_unit":"ms",
    "platform":{"elements":[{"name":"cpu","kind":"cpu","units":2,"lanes":2}]},"tasks":[
    {"name":"a","period":20,"deadline":10,"nodes":[{"name":"n","on":"cpu","wcet":1}]},
    {"name":"rest","best_effort":true,"period":20,
     "nodes":[{"name":"n","on":"cpu","wcet":1}]}]})");
  system.tasks[1].deadline = ms(10);  // of which the reader warns
  return system;
}

TEST(Observed, MissesADeadlineOnlyBeyondIt) {
  Observed observed(two_tasks());
  observed.book({.task = 0, .job = 0, .release = ms(0), .begin = ms(0), .end = ms(10)});
  EXPECT_EQ(observed.tasks[0].misses, 0U);
  EXPECT_TRUE(observed.good());
  observed.book({.task = 0, .job = 1, .release = ms(20), .begin = ms(20), .end = ms(31)});
  EXPECT_EQ(observed.tasks[0].misses, 1U);
  EXPECT_EQ(observed.tasks[0].responses, (std::vector<Time>{ms(10), ms(11)}));
  EXPECT_EQ(observed.tasks[0].longest, ms(11));
  EXPECT_FALSE(observed.good());
}

TEST(Observed, HoldsBestEffortWorkToNoDeadline) {
  Observed observed(two_tasks());
  observed.book({.task = 1, .job = 0, .release = ms(0), .begin = ms(0), .end = ms(50)});
  EXPECT_EQ(observed.tasks[1].misses, 0U);
  EXPECT_FALSE(observed.tasks[1].deadline);
  EXPECT_TRUE(observed.good());
}

TEST(Observed, CountsAJobThatHasNotEndedWithWhatItHasTaken) {
  Observed observed(two_tasks());
  observed.tasks[0].bound = ms(9);
  observed.book(
      {.task = 0, .job = 0, .release = ms(0), .begin = ms(0), .end = ms(9), .ended = false});
  EXPECT_TRUE(observed.good());
  observed.book(
      {.task = 0, .job = 0, .release = ms(0), .begin = ms(0), .end = ms(12), .ended = false});
  EXPECT_TRUE(observed.tasks[0].responses.empty());
  EXPECT_EQ(observed.tasks[0].longest, ms(12));
  EXPECT_EQ(observed.tasks[0].misses, 1U);
  EXPECT_TRUE(observed.tasks[0].exceeds_bound());
}

TEST(Observed, DoesNotHoldWaitingForTheJobBeforeAgainstABound) {
  Observed observed(two_tasks());
  observed.tasks[0].bound = ms(25);
  observed.book({.task = 0, .job = 0, .release = ms(0), .begin = ms(0), .end = ms(25)});
  observed.book({.task = 0, .job = 1, .release = ms(20), .begin = ms(25), .end = ms(50)});
  EXPECT_EQ(observed.tasks[0].longest, ms(30));
  EXPECT_EQ(observed.tasks[0].longest_covered, ms(25));
  EXPECT_TRUE(violations(observed).empty());
}

TEST(Observed, DoesNotHoldDisturbedJobsAgainstABound) {
  Observed observed(two_tasks());
  observed.tasks[0].bound = ms(5);
  observed.book(
      {.task = 0, .job = 0, .release = ms(0), .begin = ms(0), .end = ms(8), .disturbed = true});
  observed.book({.task = 0, .job = 1, .release = ms(20), .begin = ms(20), .end = ms(25)});
  EXPECT_EQ(observed.tasks[0].disturbed, 1U);
  EXPECT_EQ(observed.tasks[0].longest, ms(8));
  EXPECT_EQ(observed.tasks[0].longest_covered, ms(5));
  EXPECT_TRUE(observed.good());
}

TEST(Observed, NamesEveryTaskThatTookLongerThanItsBound) {
  Observed observed(two_tasks());
  observed.tasks[0].bound = ms(5);
  observed.book({.task = 0, .job = 0, .release = ms(0), .begin = ms(0), .end = ms(6)});
  observed.book({.task = 1, .job = 0, .release = ms(0), .begin = ms(0), .end = ms(6)});
  const auto found = violations(observed);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].task, 0U);
  EXPECT_EQ(found[0].observed, ms(6));
  EXPECT_EQ(found[0].bound, ms(5));
}

TEST(Observed, PassesOnEveryJobWithItsDeadline) {
  Observed observed(two_tasks());
  trace::Trace trace;
  observed.book({.task = 0, .job = 0, .release = ms(0), .begin = ms(0), .end = ms(11)}, &trace);
  observed.book(
      {.task = 0, .job = 1, .release = ms(20), .begin = ms(20), .end = ms(21), .ended = false},
      &trace);
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_TRUE(trace.jobs[0].missed);
  EXPECT_EQ(trace.jobs[0].deadline, observed.tasks[0].deadline);
  EXPECT_FALSE(trace.jobs[1].ended);
  EXPECT_EQ(observed.tasks[0].responses.size(), 1U);
}

TEST(Observed, KeepsTheFirstFailuresAndCountsAll) {
  Observed observed(two_tasks());
  for (int i = 0; i < 30; ++i) observed.fail("lost");
  EXPECT_EQ(observed.failed, 30U);
  EXPECT_EQ(observed.failures.size(), 20U);
  EXPECT_FALSE(observed.good());
}

TEST(Observed, SharesTheTimeInUseByUnitsAndLanes) {
  const System system = two_tasks();
  Observed observed(system);
  observed.end = ms(10);
  observed.busy = {ms(10)};  // of 2 units with 2 lanes each
  EXPECT_EQ(observed.utilisation(system, 0), 250);
}

}  // namespace
}  // namespace tactus::trace
