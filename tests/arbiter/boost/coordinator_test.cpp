// What the arbiter orders and what it says that took, with a clock of the test.
#include "tactus/arbiter/daemon/boost_coordinator.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tactus::arbiter::daemon {
namespace {

constexpr std::int64_t kTimeoutNs = 1'000'000;

class BoostCoordination : public testing::Test {
 protected:
  void submits(ClientId client, int priority, StartSeen seen = StartSeen::kAtTheGate) {
    boost::Batch batch;
    batch.client = client;
    batch.segment = ++segments[client];
    batch.urgency = Urgency::real_time(priority);
    batch.threshold = priority;
    coordinator.submit(batch, false, seen, now);
  }
  void completes(ClientId client, std::int64_t outstanding) {
    coordinator.complete(client, segments[client], outstanding, now);
  }
  /// What was ordered or opened since the last time; the last of it.
  BoostAction last() {
    const auto actions = coordinator.take_actions();
    const auto at = std::find_if(actions.rbegin(), actions.rend(), [](const BoostAction& action) {
      return action.kind == BoostAction::Kind::kOpenGate ||
             action.kind == BoostAction::Kind::kOrder;
    });
    return at == actions.rend() ? BoostAction{} : *at;
  }
  bool is_on(ClientId client) const {
    const boost::Batch* const on = coordinator.turns().on();
    return on != nullptr && on->client == client;
  }

  BoostCoordinator coordinator{kTimeoutNs, 25};
  std::map<ClientId, std::uint32_t> segments;
  std::int64_t now = 1000;
};

// Three programs, one with 60 %; real-time work takes some of each slice, and counts for nobody.
TEST_F(BoostCoordination, GivesProgramsTheirSharesOfWhatRealTimeWorkLeaves) {
  constexpr std::int64_t kMs = 1'000'000, kSlice = 100 * kMs;
  const auto obey = [&] {
    for (bool more = true; more;) {
      more = false;
      for (const BoostAction& action : coordinator.take_actions()) {
        if (action.kind != BoostAction::Kind::kOrder) continue;
        now += 1000;
        coordinator.done(action.client, now, true);
        more = true;
      }
    }
  };
  for (const ClientId client : {1U, 2U, 3U}) {
    boost::Batch batch;
    batch.client = client;
    batch.segment = 1;
    batch.slices = true;
    batch.urgency.share = client == 1 ? 60 : 0;
    coordinator.submit(batch, true, StartSeen::kAtTheGate, now);
    obey();
  }
  std::map<ClientId, std::int64_t> got;
  for (int turn = 0; turn < 500; ++turn) {
    const ClientId on = coordinator.turns().on()->client;
    const std::int64_t alone = (10 + turn * 7 % 80) * kMs;
    now += alone;
    submits(9, 5);
    obey();
    EXPECT_TRUE(is_on(9));
    now += 5 * kMs;
    completes(9, now);
    obey();
    EXPECT_TRUE(is_on(on)) << "who was taken off for real-time work goes on";
    now += kSlice - alone;
    got[on] += kSlice;
    coordinator.rotate(now);
    const bool nobody_moved = !coordinator.has_actions();
    obey();
    EXPECT_EQ(nobody_moved, is_on(on)) << "who goes on is not taken off";
    EXPECT_GE(got[1], (turn + 1) * kSlice * 6 / 10 - kSlice - (turn + 1) * 10'000) << turn;
  }
  EXPECT_NEAR(static_cast<double>(got[1]), 0.6 * 500 * kSlice, kSlice * 1.0);
  EXPECT_NEAR(static_cast<double>(got[2]), static_cast<double>(got[3]), kSlice * 2.0);
}

TEST_F(BoostCoordination, CountsAStartFromWhenTheSegmentBeforeWasLastSeenUnfinished) {
  submits(1, 1);
  submits(2, 1);
  now = 5000;
  completes(1, 4000);
  EXPECT_TRUE(is_on(2));
  EXPECT_EQ(coordinator.costs().start.max_ns, 1000);
  EXPECT_EQ(coordinator.costs().late.max_ns, 1000);
  EXPECT_EQ(coordinator.costs().starts, 2U);
}

TEST_F(BoostCoordination, CountsAStartUntilTheGpuSaysSo) {
  submits(1, 1, StartSeen::kByAWord);
  EXPECT_TRUE(coordinator.starting(1));
  EXPECT_EQ(coordinator.costs().start.count, 0U);
  now += 700;
  coordinator.started(1, 1, now);
  EXPECT_EQ(coordinator.costs().start.max_ns, 700);
  EXPECT_EQ(coordinator.costs().gate.max_ns, 700);
}

TEST_F(BoostCoordination, CountsOffAndOnUntilTheirConfirmations) {
  submits(1, 1);
  submits(2, 2);
  EXPECT_EQ(last().move, boost::Move::kOff);
  now += 300;
  coordinator.done(1, now, true);
  EXPECT_TRUE(is_on(2));
  now += 50;
  completes(2, now);
  EXPECT_EQ(last().move, boost::Move::kOn);
  now += 400;
  coordinator.done(1, now, true);
  EXPECT_TRUE(is_on(1));
  EXPECT_EQ(coordinator.costs().off.max_ns, 300);
  EXPECT_EQ(coordinator.costs().on.max_ns, 400);
}

TEST_F(BoostCoordination, SaysThatTheGpuIsSharedAsLongAsWhoHadToLeaveIsThere) {
  submits(1, 1);
  submits(2, 2);
  now = *coordinator.deadline();
  coordinator.expire(now);
  EXPECT_TRUE(is_on(2));
  EXPECT_TRUE(coordinator.silent(1));
  EXPECT_TRUE(last().shared);
  submits(3, 3);
  coordinator.done(2, now, true);
  EXPECT_TRUE(last().shared);
  completes(1, now);  // it ran on to its end
  submits(4, 4);
  coordinator.done(3, now, true);
  EXPECT_TRUE(is_on(4));
  EXPECT_FALSE(last().shared);
}

TEST_F(BoostCoordination, SaysThatTheGpuIsSharedWithAClientThatRefusesToLeave) {
  submits(1, 1);
  submits(2, 2);
  coordinator.done(1, now, false);
  EXPECT_TRUE(last().shared);
  EXPECT_EQ(coordinator.costs().off.count, 0U);
}

}  // namespace
}  // namespace tactus::arbiter::daemon
