#include "tactus/arbiter/daemon/decision.hpp"

#include <gtest/gtest.h>

namespace tactus::arbiter::daemon {
namespace {

using Ids = std::vector<ClientId>;

constexpr Urgency kBestEffort;
const Urgency kLow = Urgency::real_time(1), kMiddle = Urgency::real_time(2),
              kHigh = Urgency::real_time(3);

Decision after(std::initializer_list<Active> arrivals, Rule rule = Rule::kPriority) {
  Decision decision(rule);
  for (const Active& arrival : arrivals)
    EXPECT_TRUE(decision.begin(arrival.client, arrival.urgency));
  return decision;
}

// A1 .. A7: where Algorithm 1 as printed goes wrong (or right), in the order of docs/errata.md.

TEST(Decision, A1ARealTimeBeginTakesEveryBestEffortClientOff) {
  Decision decision = after({{1, kBestEffort}, {2, kBestEffort}});
  EXPECT_EQ(decision.running(), (Ids{1, 2}));
  decision.begin(3, kHigh);
  EXPECT_EQ(decision.running(), Ids{3});
  EXPECT_EQ(decision.pending(), (Ids{1, 2}));
}

TEST(Decision, A2TheEndOfAPendingClientLeavesTheOwnerAlone) {
  Decision decision = after({{1, kLow}, {2, kMiddle}, {3, kHigh}});
  EXPECT_TRUE(decision.end(1));
  EXPECT_EQ(decision.running(), Ids{3});
  EXPECT_EQ(decision.pending(), Ids{2});
}

TEST(Decision, A3TheEndOfAPendingBestEffortClientLeavesTheOwnerAlone) {
  Decision decision = after({{1, kHigh}, {2, kBestEffort}});
  EXPECT_TRUE(decision.end(2));
  EXPECT_EQ(decision.running(), Ids{1});
  EXPECT_EQ(decision.pending(), Ids{});
}

TEST(Decision, A4TheEndOfOneBestEffortClientLeavesTheOtherRunning) {
  Decision decision = after({{1, kBestEffort}, {2, kBestEffort}});
  EXPECT_TRUE(decision.end(1));
  EXPECT_EQ(decision.running(), Ids{2});
}

TEST(Decision, A5TheFirstToBeginRuns) {
  EXPECT_EQ(Decision().running(), Ids{});
  EXPECT_EQ(after({{1, kLow}}).running(), Ids{1});
}

TEST(Decision, A6EqualPrioritiesAreServedInOrderOfArrival) {
  Decision decision = after({{1, kLow}, {2, kLow}});
  EXPECT_EQ(decision.running(), Ids{1});
  decision.end(1);
  EXPECT_EQ(decision.running(), Ids{2});
}

TEST(Decision, A7WhenTheLastRealTimeClientEndsAllBestEffortClientsShare) {
  Decision decision = after({{1, kHigh}, {2, kBestEffort}, {3, kBestEffort}});
  EXPECT_TRUE(decision.end(1));
  EXPECT_EQ(decision.running(), (Ids{2, 3}));
}

TEST(Decision, RefusesToNestAndToEndWhatDidNotBegin) {
  Decision decision = after({{1, kLow}});
  const Decision before = decision;
  EXPECT_FALSE(decision.begin(1, kHigh));
  EXPECT_FALSE(decision.end(2));
  decision.gone(2);
  EXPECT_EQ(decision, before);
}

TEST(Decision, RaisesAClientInItsPlaceAndNeverLowersOne) {
  Decision decision = after({{1, kLow}, {2, kMiddle}, {3, kHigh}});
  EXPECT_TRUE(decision.raise(1, kHigh));
  EXPECT_EQ(decision.running(), Ids{1});  // arrived before 3
  EXPECT_FALSE(decision.raise(1, kLow));
  EXPECT_FALSE(decision.raise(4, kHigh));
  EXPECT_EQ(decision.running(), Ids{1});
}

TEST(Decision, ServesInOrderOfArrivalAsALock) {
  Decision decision = after({{1, kBestEffort}, {2, kHigh}, {3, kLow}}, Rule::kFifo);
  EXPECT_EQ(decision.running(), Ids{1});
  decision.end(1);
  EXPECT_EQ(decision.running(), Ids{2});
  EXPECT_EQ(decision.pending(), Ids{3});
}

TEST(Decision, TakesNegativePrioritiesAsRealTime) {
  Decision decision = after({{1, kBestEffort}, {2, Urgency::real_time(-5)}});
  EXPECT_EQ(decision.running(), Ids{2});
}

}  // namespace
}  // namespace tactus::arbiter::daemon
