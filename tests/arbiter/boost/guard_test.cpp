#include "tactus/arbiter/boost/guard.hpp"

#include <gtest/gtest.h>

#include "tactus/arbiter/boost/decide.hpp"

namespace tactus::arbiter::boost {
namespace {

Held two_segments() { return {.period = 100, .lengths = {10, 20}, .undeclared = {}}; }

TEST(Guard, AJobArrivesAPeriodAfterTheLastWhateverIsClaimed) {
  Guard guard(two_segments());
  guard.arrive(5, 7);
  EXPECT_EQ(guard.arrival(), 5);
  guard.arrive(20, 30);
  EXPECT_EQ(guard.arrival(), 105);
  EXPECT_EQ(guard.submit(40).from, 105) << "it is kept back until then";
  guard.arrive(500, 300);
  EXPECT_EQ(guard.arrival(), 300) << "not in the future";
}

TEST(Guard, HoldsEachSegmentToItsOwnLength) {
  Guard guard(two_segments());
  guard.arrive(0, 0);
  EXPECT_EQ(guard.submit(1).length, 10);
  const Permit second = guard.submit(2);
  EXPECT_EQ(second.length, 20);
  EXPECT_EQ(second.index, 1U);
}

TEST(Guard, DemotesWhatIsBeyondTheJobOrOutsideOfOne) {
  Guard guard(two_segments());
  EXPECT_TRUE(guard.submit(0).demoted) << "before any job";
  guard.arrive(0, 0);
  EXPECT_FALSE(guard.submit(1).demoted);
  EXPECT_FALSE(guard.submit(2).demoted);
  EXPECT_TRUE(guard.submit(3).demoted) << "surplus";
  guard.arrive(100, 100);
  guard.end();
  EXPECT_TRUE(guard.submit(101).demoted) << "after its end";
}

TEST(Guard, AnUndeclaredJobThatIsLateDoesNotDelayTheNext) {
  Guard guard({.period = 100, .lengths = {10}, .undeclared = 30});
  EXPECT_EQ(guard.submit(30).arrival, 0);
  // The second came at 100 and submits as late as it may, the third at once.
  EXPECT_EQ(guard.submit(130).arrival, 100);
  const Permit third = guard.submit(200);
  EXPECT_EQ(third.arrival, 200);
  EXPECT_LE(third.from, 200) << "counted from its Submit, the second would keep it back";
}

TEST(Guard, AnUndeclaredJobThatMustBeOverIs) {
  Guard guard({100, {7, 8}, 5});
  EXPECT_EQ(guard.submit(1'000, 60).index, 0U);
  EXPECT_EQ(guard.submit(1'054, 60).index, 1U) << "995 and 60";
  EXPECT_EQ(guard.submit(1'100, 60).index, 0U);
  EXPECT_EQ(guard.submit(1'155, 60).index, 0U) << "it has left out its second one";
  EXPECT_EQ(guard.arrival(), 1'195);
}

TEST(Guard, HasNoJobBeforeTheFirstMayArrive) {
  Guard guard({100, {7}, {}, 2'000});
  guard.arrive(1'500, 1'500);
  EXPECT_EQ(guard.submit(1'500).from, 2'000);
}

TEST(Guard, GivesNothingForAClaimThatNoClockCanMake) {
  Guard guard(two_segments());
  guard.arrive(INT64_MIN, 5000);
  EXPECT_EQ(guard.arrival(), 0);
  guard.arrive(INT64_MAX, 6000);
  EXPECT_EQ(guard.arrival(), 6000);
  Guard once({.period = INT64_MAX, .lengths = {10}, .undeclared = {}});
  once.arrive(5, 5);
  once.arrive(6, 6);
  EXPECT_EQ(once.submit(6).from, INT64_MAX) << "its next job never comes";
  EXPECT_EQ(on_before(INT64_MAX, 10, 3, 4), INT64_MAX - 7);
}

Batch reserved(ClientId client, std::int32_t priority, std::int64_t on_before) {
  Batch batch;
  batch.client = client;
  batch.segment = 1;
  batch.urgency = Urgency::real_time(priority);
  batch.threshold = priority;
  batch.on_before_ns = on_before;
  return batch;
}

TEST(Demotion, OfWhatCouldNotBeTakenOffInTimeComesBeforeItsStart) {
  Turns turns;
  submit(turns, reserved(1, 9, 100));
  submit(turns, reserved(2, 1, 1000));
  const auto next = begin_next(turns, 96, 5, 7);  // 96 + 5 > 100
  ASSERT_TRUE(next);
  EXPECT_EQ(next->client, 2U);
  EXPECT_GT(turns.find(1)->demoted, 0U);
  Turns in_time;
  submit(in_time, reserved(1, 9, 100));
  EXPECT_EQ(begin_next(in_time, 95, 5, 7)->client, 1U);
  EXPECT_EQ(in_time.find(1)->demoted, 0U);
}

TEST(Demotion, OfWhatShouldHaveBeenOffBeforeTheClockBegan) {
  Turns turns;
  submit(turns, reserved(1, 9, INT64_MIN));
  ASSERT_TRUE(begin_next(turns, 96, 5, 7));
  EXPECT_GT(turns.find(1)->demoted, 0U);
}

TEST(Demotion, ComesBeforePuttingBackOnToo) {
  Turns turns;
  submit(turns, reserved(1, 1, 100));
  begin_next(turns, 0, 5, 7);
  finish(turns);
  submit(turns, reserved(2, 9, 1000));
  begin_next(turns, 10, 5, 7);  // off
  finish(turns);
  begin_next(turns, 20, 5, 7);  // start of the other
  finish(turns);
  complete(turns, 2, 1);
  EXPECT_EQ(begin_next(turns, 94, 5, 7)->move, Move::kOn) << "the only one: demoted, and put on";
  EXPECT_GT(turns.find(1)->demoted, 0U);
}

TEST(Demotion, OfTheOneThatIsOnLetsBestEffortGoFirst) {
  Turns turns;
  submit(turns, reserved(1, 5, 1000));
  begin_next(turns, 0, 5, 7);
  finish(turns);
  demote(turns, 1);
  EXPECT_FALSE(decide(turns)) << "nobody else is there";
  Batch best_effort;
  best_effort.client = 2;
  best_effort.segment = 1;
  submit(turns, best_effort);
  EXPECT_EQ(decide(turns)->move, Move::kOff);
}

}  // namespace
}  // namespace tactus::arbiter::boost
