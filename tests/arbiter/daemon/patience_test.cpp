#include "tactus/arbiter/daemon/patience.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tactus/arbiter/daemon/coordinator.hpp"

namespace tactus::arbiter::daemon {
namespace {

constexpr std::int64_t kTimeout = 100'000;

/// A coordinator in a time of its own, with clients that confirm each order after a while.
class Clock {
 public:
  explicit Clock(int percent) : coordinator_(Rule::kPriority, kTimeout, percent) {}

  void slow(ClientId client, std::int64_t after) { slow_[client] = after; }
  std::int64_t now() const { return now_; }
  void request(Request::Kind kind, ClientId client, int priority = 0) {
    Request request;
    request.kind = kind;
    request.client = client;
    request.since_ns = now_;
    if (priority != 0) request.urgency = Urgency::real_time(priority);
    coordinator_.request(request, now_);
    take();
  }
  /// How long a begin takes until its answer.
  std::int64_t begin(ClientId client, int priority) {
    const std::int64_t start = now_;
    request(Request::Kind::kBegin, client, priority);
    while (!answered_.contains(client)) step();
    answered_.erase(client);
    return now_ - start;
  }
  /// Lets time pass; confirmations arrive, patience ends.
  void pass(std::int64_t time) {
    const std::int64_t end = now_ + time;
    while (next() <= end) step();
    now_ = end;
  }
  const Coordinator& coordinator() const { return coordinator_; }

 private:
  std::int64_t next() const {
    std::int64_t at = coordinator_.deadline().value_or(INT64_MAX);
    for (const auto& [client, when] : confirms_) at = std::min(at, when);
    return at;
  }
  void step() {
    now_ = std::max(now_, next());
    for (auto c = confirms_.begin(); c != confirms_.end();) {
      const auto [client, when] = *c;
      if (when > now_) {
        ++c;
        continue;
      }
      c = confirms_.erase(c);
      coordinator_.done(client, now_);
      take();
      c = confirms_.begin();
    }
    coordinator_.expire(now_);
    take();
  }
  void take() {
    for (const Action& action : coordinator_.take_actions()) {
      if (action.kind == Action::Kind::kOrder) {
        const auto slow = slow_.find(action.client);
        // A control thread does one thing after the other, and confirms what it was told last.
        const std::int64_t after = slow == slow_.end() ? 10 : slow->second;
        if (after != INT64_MAX) confirms_[action.client] = now_ + after;
      }
      if (action.kind == Action::Kind::kAnswer) answered_[action.client] = action.answer;
    }
  }

  Coordinator coordinator_;
  std::int64_t now_ = 1;
  std::map<ClientId, std::int64_t> slow_, confirms_;
  std::map<ClientId, Answer> answered_;
};

std::int64_t median_begin_beside_a_slow_client(int percent) {
  Clock clock(percent);
  clock.slow(1, kTimeout - kTimeout / 20);  // just in time, always
  clock.request(Request::Kind::kBegin, 1);
  std::vector<std::int64_t> waits;
  for (int i = 0; i < 200; ++i) {
    waits.push_back(clock.begin(2, 5));
    clock.pass(1000);
    clock.request(Request::Kind::kEnd, 2);
    clock.pass(1000);
  }
  std::sort(waits.begin(), waits.end());
  return waits[waits.size() / 2];
}

TEST(Patience, IsNotLostOnAClientThatAlwaysConfirmsAtTheLastMoment) {
  EXPECT_GT(median_begin_beside_a_slow_client(100), kTimeout / 2);  // without accounts
  EXPECT_LE(median_begin_beside_a_slow_client(25), kTimeout / 20 + 1);
}

TEST(Patience, IsThereForAClientThatIsSlowNowAndThen) {
  Clock clock(25);
  clock.slow(1, kTimeout / 4);
  clock.request(Request::Kind::kBegin, 1);
  for (int i = 0; i < 50; ++i) {
    EXPECT_GE(clock.begin(2, 5), kTimeout / 4);  // until it is off, and not a moment less
    EXPECT_FALSE(clock.coordinator().silent(1));
    clock.pass(kTimeout);
    clock.request(Request::Kind::kEnd, 2);
    clock.pass(2 * kTimeout);
  }
}

TEST(Patience, WithEverybodyTogetherEndsForOneBegin) {
  constexpr ClientId kMute = 300;
  const auto wait_behind = [](int percent) {
    Clock clock(percent);
    for (ClientId c = 1; c <= kMute; ++c) clock.slow(c, INT64_MAX);
    // Each takes the GPU from the one before, which never goes; all of it at the same time.
    for (ClientId c = 1; c <= kMute; ++c)
      clock.request(Request::Kind::kBegin, c, static_cast<int>(1000 + c));
    return clock.begin(kMute + 1, 1);
  };
  const std::int64_t most = 2 * kTimeout + (kMute + 2) * (kTimeout / 20 + 1);
  EXPECT_LE(wait_behind(25), most);
  EXPECT_LE(wait_behind(100), most);
}

TEST(Patience, FillsUpWithTheShareOfTheTimeThatPasses) {
  Patience patience(1000, 25);
  EXPECT_EQ(patience.with(1, 0), 1000);
  patience.spend(1, 900, 1000);
  EXPECT_EQ(patience.with(1, 1000), 100);
  EXPECT_EQ(patience.with(1, 1400), 200);
  EXPECT_EQ(patience.with(1, 1'000'000), 1000);
  EXPECT_EQ(patience.with(1, INT64_MAX / 2), 1000);  // nothing overflows
  patience.spend(1, 5000, 2'000'000);
  EXPECT_EQ(patience.with(1, 2'000'000), patience.least());
  EXPECT_EQ(patience.with(2, 2'000'000), 1000);  // another's account is another's
  patience.forget(1);
  EXPECT_EQ(patience.with(1, 2'000'000), 1000);
}

}  // namespace
}  // namespace tactus::arbiter::daemon
