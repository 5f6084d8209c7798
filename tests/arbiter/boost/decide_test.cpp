#include "tactus/arbiter/boost/decide.hpp"

#include <gtest/gtest.h>

namespace tactus::arbiter::boost {
namespace {

constexpr ClientId kLow = 1, kMiddle = 2, kHigh = 3;

/// An arbiter whose clients have their number as priority, and are preemptable by all above.
struct Arbiter : Turns {
  void submits(ClientId client, std::optional<std::int32_t> threshold = {}) {
    Batch batch;
    batch.client = client;
    batch.segment = ++count;
    batch.urgency = Urgency::real_time(static_cast<std::int32_t>(client));
    batch.threshold = threshold.value_or(static_cast<std::int32_t>(client));
    submit(*this, batch);
  }
  void submits_best_effort(ClientId client, bool stays = false, bool slices = false) {
    Batch batch;
    batch.client = client;
    batch.segment = ++count;
    batch.stays = stays;
    batch.slices = slices;
    submit(*this, batch);
  }
  /// Lets operations begin and end until there is nothing left to do.
  void settles() {
    while (operation || begin_next(*this)) finish(*this);
  }
  void completes(ClientId client) { EXPECT_TRUE(complete(*this, client, find(client)->segment)); }
  /// What begins now, as "start 3"; "" for nothing.
  std::string next() {
    const auto began = begin_next(*this);
    if (!began) return "";
    const char* const move = began->move == Move::kStart ? "start "
                             : began->move == Move::kOff ? "off "
                                                         : "on ";
    return move + std::to_string(began->client);
  }
  ClientId who_is_on() const { return on() == nullptr ? 0 : on()->client; }

  std::uint32_t count = 0;
};

TEST(BoostDecide, StartsATaskThatIsAloneAndDoesNothingElse) {
  Arbiter arbiter;
  for (int job = 0; job < 3; ++job) {
    arbiter.submits(kLow);
    EXPECT_EQ(arbiter.next(), "start 1");
    finish(arbiter);
    EXPECT_EQ(arbiter.next(), "");
    arbiter.completes(kLow);
    EXPECT_EQ(arbiter.next(), "");
  }
}

TEST(BoostDecide, TakesABatchOffForAMoreUrgentOneAndPutsItBackAfterwards) {
  Arbiter arbiter;
  arbiter.submits(kLow);
  arbiter.settles();
  arbiter.submits(kHigh);
  EXPECT_EQ(arbiter.next(), "off 1");
  finish(arbiter);
  EXPECT_EQ(arbiter.next(), "start 3");
  finish(arbiter);
  EXPECT_EQ(arbiter.next(), "");
  arbiter.completes(kHigh);
  EXPECT_EQ(arbiter.next(), "on 1");
  finish(arbiter);
  EXPECT_EQ(arbiter.who_is_on(), kLow);
}

TEST(BoostDecide, StartsALaterHigherSubmitFirstWhenItComesDuringOff) {
  Arbiter arbiter;
  arbiter.submits(kLow);
  arbiter.settles();
  arbiter.submits(kMiddle);
  EXPECT_EQ(arbiter.next(), "off 1");
  arbiter.submits(kHigh);
  EXPECT_EQ(arbiter.next(), "");  // one operation at a time
  finish(arbiter);
  EXPECT_EQ(arbiter.next(), "start 3");
}

TEST(BoostDecide, NeedsNoOnForABatchThatCompletesDuringOff) {
  Arbiter arbiter;
  arbiter.submits(kLow);
  arbiter.settles();
  arbiter.submits(kHigh);
  EXPECT_EQ(arbiter.next(), "off 1");
  arbiter.completes(kLow);
  finish(arbiter);
  EXPECT_EQ(arbiter.next(), "start 3");
  finish(arbiter);
  arbiter.completes(kHigh);
  EXPECT_EQ(arbiter.next(), "");
}

/// The client of the operation completes its segment and submits the next one before it ends.
void completes_and_submits_during(Arbiter& arbiter) {
  const Operation during = *arbiter.operation;
  arbiter.completes(during.client);
  arbiter.submits(during.client);
  EXPECT_EQ(arbiter.next(), "");
  finish(arbiter);
  EXPECT_EQ(arbiter.find(during.client)->state, State::kFresh);
}

TEST(BoostDecide, TakesTheNextSegmentForFreshAfterACompletionDuringAnyOperation) {
  Arbiter during_start;
  during_start.submits(kLow);
  EXPECT_EQ(during_start.next(), "start 1");
  completes_and_submits_during(during_start);
  EXPECT_EQ(during_start.next(), "start 1");

  Arbiter during_off;
  during_off.submits(kLow);
  during_off.settles();
  during_off.submits(kHigh);
  EXPECT_EQ(during_off.next(), "off 1");
  completes_and_submits_during(during_off);
  EXPECT_EQ(during_off.next(), "start 3");

  Arbiter during_on = during_off;
  during_on.settles();
  during_on.completes(kHigh);
  during_on.settles();
  during_on.submits(kHigh);
  during_on.settles();
  during_on.completes(kHigh);
  EXPECT_EQ(during_on.next(), "on 1");
  completes_and_submits_during(during_on);
  EXPECT_EQ(during_on.next(), "start 1");
}

TEST(BoostDecide, DoesNotTakeOffABatchForAPriorityThatIsNotAboveItsThreshold) {
  Arbiter arbiter;
  arbiter.submits(kLow, kMiddle);
  arbiter.settles();
  arbiter.submits(kMiddle);
  EXPECT_EQ(arbiter.next(), "");
  arbiter.submits(kHigh);
  EXPECT_EQ(arbiter.next(), "off 1");
  finish(arbiter);
  arbiter.settles();
  arbiter.completes(kHigh);
  EXPECT_EQ(arbiter.next(), "on 1");  // started before the middle one, and not below it
}

TEST(BoostDecide, NeverTakesOffABatchThatIsProtected) {
  Arbiter arbiter;
  arbiter.submits(kLow, INT32_MAX);
  arbiter.settles();
  arbiter.submits(kHigh);
  EXPECT_EQ(arbiter.next(), "");
  Arbiter holding;
  holding.submits_best_effort(kLow, true);
  holding.settles();
  holding.submits(kHigh);
  EXPECT_EQ(holding.next(), "");
}

TEST(BoostDecide, RunsBestEffortOneAtATimeInTheOrderOfTheirSubmits) {
  Arbiter arbiter;
  for (const ClientId client : {7U, 5U, 6U}) arbiter.submits_best_effort(client);
  for (const ClientId client : {7U, 5U, 6U}) {
    arbiter.settles();
    EXPECT_EQ(arbiter.who_is_on(), client);
    arbiter.completes(client);
  }
}

TEST(BoostDecide, PutsTheBestEffortBatchThatWasStartedBackFirst) {
  Arbiter arbiter;
  arbiter.submits_best_effort(7);
  arbiter.settles();
  arbiter.submits_best_effort(8);
  arbiter.submits(kLow);
  arbiter.settles();
  EXPECT_EQ(arbiter.who_is_on(), kLow);
  arbiter.completes(kLow);
  EXPECT_EQ(arbiter.next(), "on 7");
}

TEST(BoostDecide, LetsTheNextOneGoWhenAClientDies) {
  Arbiter arbiter;
  arbiter.submits(kLow);
  arbiter.settles();
  arbiter.submits(kHigh);
  EXPECT_EQ(arbiter.next(), "off 1");
  gone(arbiter, kHigh);
  finish(arbiter);
  EXPECT_EQ(arbiter.next(), "on 1");
  finish(arbiter);
  gone(arbiter, kLow);
  EXPECT_EQ(arbiter.next(), "");
  EXPECT_TRUE(arbiter.batches.empty());
}

TEST(BoostDecide, TakesASubmitForTheCompletionOfTheSegmentBefore) {
  Arbiter arbiter;
  arbiter.submits(kLow);
  arbiter.settles();
  arbiter.submits(kLow);
  EXPECT_EQ(arbiter.batches.size(), 1U);
  EXPECT_EQ(arbiter.next(), "start 1");
}

TEST(BoostDecide, LetsWholeProgramsTakeTurnsWhileThereIsNoRealTimeWork) {
  Arbiter arbiter;
  arbiter.submits_best_effort(7, false, true);
  arbiter.settles();
  EXPECT_FALSE(begin_rotation(arbiter));  // it is alone
  arbiter.submits_best_effort(8, false, true);
  arbiter.settles();
  EXPECT_EQ(arbiter.who_is_on(), 7U);
  EXPECT_TRUE(begin_rotation(arbiter));
  arbiter.settles();
  EXPECT_EQ(arbiter.who_is_on(), 8U);
  EXPECT_EQ(arbiter.find(7)->state, State::kFresh);
  arbiter.submits(kLow);
  arbiter.settles();
  EXPECT_FALSE(begin_rotation(arbiter));
  EXPECT_EQ(arbiter.who_is_on(), kLow);
}

TEST(BoostDecide, PrefersABestEffortBatchThatWaits) {
  Arbiter arbiter;
  for (ClientId client : {7U, 8U, 9U}) arbiter.submits_best_effort(client, false, true);
  prefer(arbiter, 9);
  arbiter.settles();
  EXPECT_EQ(arbiter.who_is_on(), 9U);
  prefer(arbiter, 8);
  arbiter.settles();
  EXPECT_EQ(arbiter.who_is_on(), 9U) << "one that is on is not taken off for it";
  EXPECT_TRUE(begin_rotation(arbiter));
  arbiter.settles();
  EXPECT_EQ(arbiter.who_is_on(), 8U);
  arbiter.submits(kLow);
  prefer(arbiter, 7);
  arbiter.settles();
  EXPECT_EQ(arbiter.who_is_on(), kLow) << "real-time work comes first";
  prefer(arbiter, kLow);
  prefer(arbiter, 99);
  EXPECT_EQ(broken_invariant(arbiter), nullptr);
}

TEST(BoostDecide, SaysWhichInvariantIsBroken) {
  Arbiter arbiter;
  arbiter.submits(kLow);
  arbiter.submits(kHigh);
  EXPECT_EQ(broken_invariant(arbiter), nullptr);
  for (Batch& batch : arbiter.batches) batch.state = State::kOn;
  EXPECT_STREQ(broken_invariant(arbiter), "two batches are on");
  arbiter.batches[1].state = State::kOff;
  EXPECT_NE(broken_invariant(arbiter), nullptr);
}

TEST(BoostDecide, KeepsAnOperationFromABatchThatHasTheNumberOfTheLast) {
  Arbiter arbiter;
  arbiter.submits(kLow);
  arbiter.settles();
  arbiter.submits(kHigh);
  ASSERT_EQ(arbiter.next(), "off 1");
  Batch again = *arbiter.find(kLow);
  submit(arbiter, again);
  EXPECT_EQ(broken_invariant(arbiter), nullptr);
  finish(arbiter);
  EXPECT_EQ(arbiter.find(kLow)->state, State::kFresh);
  EXPECT_EQ(arbiter.next(), "start 3");
}

}  // namespace
}  // namespace tactus::arbiter::boost
