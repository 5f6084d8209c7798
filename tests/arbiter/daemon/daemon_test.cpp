#include "tactus/arbiter/daemon/daemon.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "tactus/arbiter/client/observer.hpp"
#include "tactus/host/clock.hpp"
#include "tests/arbiter/arbiter_here.hpp"

namespace tactus::arbiter::daemon {
namespace {

using client::Outcome;
using client::Waiting;

TEST(Daemon, TakesTheLessUrgentOffAndPutsThemBack) {
  ArbiterHere arbiter;
  FlagClient low(arbiter.socket()), shared(arbiter.socket()), high(arbiter.socket());
  EXPECT_EQ(shared.begin_best_effort(), Outcome::kRunning);
  EXPECT_EQ(low.begin(1), Outcome::kRunning);
  EXPECT_TRUE(shared.off);
  EXPECT_EQ(high.begin(2), Outcome::kRunning);
  EXPECT_TRUE(low.off);
  EXPECT_TRUE(shared.off);
  EXPECT_FALSE(high.off);
  high.connection.end();
  EXPECT_TRUE(eventually([&] { return !low.off; }));
  EXPECT_TRUE(shared.off);
  low.connection.end();
  EXPECT_TRUE(eventually([&] { return !shared.off; }));
}

TEST(Daemon, AnswersALessUrgentBeginWithItsWorkOff) {
  ArbiterHere arbiter;
  FlagClient low(arbiter.socket()), high(arbiter.socket());
  EXPECT_EQ(high.begin(2), Outcome::kRunning);
  EXPECT_EQ(low.begin(1), Outcome::kPending);
  EXPECT_TRUE(low.off);
  low.connection.end();  // what it had to do was done before it was taken off
  EXPECT_TRUE(eventually([&] { return !low.off; }));
  EXPECT_FALSE(high.off);
}

TEST(Daemon, IsNotAskedWhileOneClientIsAlone) {
  ArbiterHere arbiter;
  FlagClient alone(arbiter.socket());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(alone.begin(1), Outcome::kRunning);
    EXPECT_EQ(alone.connection.end(), Outcome::kRunning);
  }
  FlagClient other(arbiter.socket());
  EXPECT_FALSE(arbiter.logged("\"begin\""));
  // Somebody is on the fast path when another comes: it is found there, and preempted.
  EXPECT_EQ(alone.begin(1), Outcome::kRunning);
  EXPECT_EQ(other.begin(2), Outcome::kRunning);
  EXPECT_TRUE(alone.off);
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"adopt\""); }));
  other.connection.end();
  EXPECT_TRUE(eventually([&] { return !alone.off; }));
  alone.connection.end();
  // And when nobody is left, the fast path is open again.
  const auto asked = [&] {
    const std::string log = arbiter.log();
    std::size_t count = 0;
    for (std::size_t at = log.find("\"begin\""); at != std::string::npos;
         at = log.find("\"begin\"", at + 1))
      ++count;
    return count;
  };
  const std::size_t before = asked();
  EXPECT_TRUE(eventually([&] {
    const std::size_t so_far = asked();
    alone.begin(1);
    alone.connection.end();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return asked() == so_far;
  }));
  EXPECT_GE(asked(), before);
}

TEST(Daemon, WorksTheSameWithoutTheFastPath) {
  DaemonOptions options;
  options.fast_path = false;
  ArbiterHere arbiter(options);
  FlagClient alone(arbiter.socket());
  EXPECT_EQ(alone.begin(1), Outcome::kRunning);
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"begin\""); }));
  EXPECT_EQ(alone.begin(1), Outcome::kNested);
  EXPECT_EQ(alone.connection.end(), Outcome::kRunning);
}

TEST(Daemon, LetsAUserHaveOnlyThePrioritiesItMay) {
  DaemonOptions options;
  options.fast_path = false;
  ASSERT_FALSE(options.permissions.add("*:1-50"));
  ArbiterHere arbiter(options);
  FlagClient client(arbiter.socket());
  EXPECT_EQ(client.begin(51), Outcome::kForbidden);
  EXPECT_EQ(client.begin(50), Outcome::kRunning);
  client.connection.end();
  EXPECT_EQ(client.begin_best_effort(), Outcome::kRunning);
}

TEST(Daemon, RunsAForbiddenClaimOfTheFastPathAsBestEffort) {
  DaemonOptions options;
  ASSERT_FALSE(options.permissions.add("*:1-50"));
  ArbiterHere arbiter(options);
  FlagClient greedy(arbiter.socket()), modest(arbiter.socket());
  EXPECT_EQ(greedy.begin(1000), Outcome::kRunning);  // alone, so it harms nobody
  EXPECT_EQ(modest.begin(1), Outcome::kRunning);
  EXPECT_TRUE(greedy.off);
}

TEST(Daemon, PutsEverythingBackWhenItStops) {
  ArbiterHere arbiter;
  FlagClient low(arbiter.socket()), high(arbiter.socket());
  low.begin(1);
  high.begin(2);
  ASSERT_TRUE(low.off);
  arbiter.stop();
  EXPECT_TRUE(eventually([&] { return !low.off; }));
  EXPECT_TRUE(eventually([&] { return !high.connection.connected(); }));
  high.connection.end();
  EXPECT_EQ(high.begin(3), Outcome::kUnarbitrated);
}

TEST(Observer, SeesMoreClientsThanFitIntoOneAnswer) {
  ArbiterHere arbiter;
  std::vector<std::unique_ptr<FlagClient>> clients;
  for (int i = 0; i < 150; ++i) clients.push_back(std::make_unique<FlagClient>(arbiter.socket()));
  auto observer = client::Observer::open(arbiter.socket());
  ASSERT_TRUE(observer);
  EXPECT_EQ(observer->look()->clients.size(), 150U);
}

TEST(Daemon, ReportsOwnersThatOverstayTheirBudget) {
  DaemonOptions options;
  options.budget_ns = 1'000'000;
  options.lease_ns = 40'000'000;
  ArbiterHere arbiter(options);
  FlagClient slow(arbiter.socket());
  slow.begin(1);
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"overstay\""); }));
}

TEST(Daemon, MeasuresAStayByItsOwnClock) {
  // A client in a time namespace has another CLOCK_MONOTONIC.
  constexpr std::int64_t kHour = 3'600'000'000'000;
  for (const std::int64_t ahead : {-kHour, kHour}) {
    DaemonOptions options;
    options.budget_ns = 20'000'000;
    ArbiterHere arbiter(options);
    FlagClient elsewhere(arbiter.socket());
    ASSERT_EQ(elsewhere.begin(1), Outcome::kRunning);
    elsewhere.connection.words().claimed_since_ns.store(host::now_ns() + ahead);
    ASSERT_TRUE(eventually([&] { return arbiter.logged("\"overstay\""); }, 5)) << ahead;
    const std::string log = arbiter.log();
    EXPECT_LT(std::stoll(log.substr(log.find("\"for_ns\": ") + 10)), kHour / 2) << ahead;
  }
}

TEST(Daemon, ReportsAnOverstayThatEndedBeforeItsNextTick) {
  DaemonOptions options;
  options.budget_ns = 1'000'000;
  options.fast_path = false;
  ArbiterHere arbiter(options);  // with a long lease, so that ticks are rare
  FlagClient slow(arbiter.socket());
  slow.begin(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  slow.connection.end();
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"overstay\""); }, 3));
}

TEST(Daemon, DemotesAnOwnerThatOverstaysForTheRestOfItsSegment) {
  for (const bool fast_path : {true, false}) {
    DaemonOptions options;
    options.budget_ns = 5'000'000;
    options.on_overstay = Overstay::kDemote;
    options.fast_path = fast_path;
    ArbiterHere arbiter(options);
    FlagClient greedy(arbiter.socket()), modest(arbiter.socket());
    ASSERT_EQ(greedy.begin(99), Outcome::kRunning);
    ASSERT_TRUE(eventually([&] { return arbiter.logged("\"demote\""); }));
    EXPECT_FALSE(greedy.off);  // nobody else wants it
    EXPECT_EQ(modest.begin(1), Outcome::kRunning);
    EXPECT_TRUE(greedy.off);
    // It cannot raise itself again, but its next segment is as urgent as it says.
    EXPECT_EQ(greedy.connection.raise(Urgency::real_time(99), Waiting::kSuspend),
              Outcome::kPending);
    greedy.connection.end();
    EXPECT_TRUE(eventually([&] { return !greedy.off; }));
    EXPECT_EQ(greedy.begin(99), Outcome::kRunning);
    EXPECT_TRUE(modest.off);
  }
}

TEST(Daemon, KillsAnOwnerThatOverstays) {
  DaemonOptions options;
  options.budget_ns = 50'000'000;
  options.on_overstay = Overstay::kKill;
  options.lease_ns = 200'000'000;
  ArbiterHere arbiter(options);
  for (const bool obeys : {true, false}) {
    const pid_t owner = fork();
    if (owner == 0) {
      if (!obeys) signal(SIGTERM, SIG_IGN);
      FlagClient greedy(arbiter.socket());
      greedy.begin(99);
      for (;;) pause();
    }
    int status = 0;
    ASSERT_EQ(waitpid(owner, &status, 0), owner);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), obeys ? SIGTERM : SIGKILL);
  }
}

TEST(Daemon, KillsAnOwnerThatOverstaysAlsoWhenItHangsUpAndGoesOn) {
  DaemonOptions options;
  options.budget_ns = 50'000'000;
  options.on_overstay = Overstay::kKill;
  options.lease_ns = 200'000'000;
  ArbiterHere arbiter(options);
  const pid_t owner = fork();
  if (owner == 0) {
    static std::atomic<bool> told{false};
    signal(SIGTERM, [](int) { told = true; });
    {
      FlagClient greedy(arbiter.socket());
      greedy.begin(99);
      while (!told) usleep(1000);
    }
    for (;;) pause();  // with the GPU, and without an arbiter
  }
  int status = 0;
  ASSERT_EQ(waitpid(owner, &status, 0), owner);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(Daemon, ServesTheSameWhileItLooksInsteadOfSleeping) {
  DaemonOptions options;
  options.spin_ns = 60'000'000'000;
  ArbiterHere arbiter(options);
  FlagClient low(arbiter.socket()), high(arbiter.socket());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(low.begin(1), Outcome::kRunning);
    EXPECT_EQ(high.begin(2), Outcome::kRunning);
    EXPECT_TRUE(low.off);
    high.connection.end();
    EXPECT_TRUE(eventually([&] { return !low.off; }));
    low.connection.end();
  }
  arbiter.stop();  // notices at once
}

}  // namespace
}  // namespace tactus::arbiter::daemon
