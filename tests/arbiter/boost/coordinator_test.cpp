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
