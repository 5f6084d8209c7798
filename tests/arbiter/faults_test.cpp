// Clients that die, freeze, do not listen, lie or talk nonsense: the others go on.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstring>
#include <random>

#include "tactus/arbiter/client/observer.hpp"
#include "tactus/host/clock.hpp"
#include "tests/arbiter/arbiter_here.hpp"
#include "tests/arbiter/raw_client.hpp"

namespace tactus::arbiter {
namespace {

using client::Outcome;

TEST(Daemon, GoesOnWithoutAClientWhoseTierFailsAndSaysSo) {
  ArbiterHere arbiter;
  FlagClient broken(arbiter.socket()), high(arbiter.socket());
  Tier tier;
  tier.name = "broken";
  tier.take_off = [](void*, std::int64_t) { return TierResult::kFailed; };
  tier.put_back = [](void*) { return TierResult::kDone; };
  broken.connection.set_tier(tier);
  auto observer = client::Observer::open(arbiter.socket());
  ASSERT_TRUE(observer) << observer.error().message;
  // Its name is on the way on a socket of its own.
  ASSERT_TRUE(
      eventually([&] { return observer->look()->clients[0].tier == std::string_view("broken"); }));
  EXPECT_EQ(broken.begin(1), Outcome::kRunning);
  EXPECT_EQ(high.begin(2), Outcome::kShared) << "the other is still there";
  EXPECT_EQ(high.connection.turn(), Outcome::kShared);
  const auto snapshot = observer->look();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  ASSERT_EQ(snapshot->clients.size(), 2U);
  EXPECT_EQ(snapshot->clients[0].late, 1U);
  EXPECT_EQ(snapshot->clients[0].preemptions, 1U);
  EXPECT_EQ(snapshot->summary.late, 1U);
  EXPECT_EQ(snapshot->summary.shared, 1U);
  EXPECT_EQ(snapshot->clients[1].shared, 1U);
  EXPECT_TRUE(eventually([&] { return arbiter.logged(R"("event": "shared", "client": 2)"); }));
}

TEST(Daemon, LearnsWhenAClientThatLeftTooLateHasLeft) {
  daemon::DaemonOptions options;
  options.update_timeout_ns = 10'000'000;
  ArbiterHere arbiter(options);
  FlagClient slow(arbiter.socket()), high(arbiter.socket());
  client::Gate& gate = slow.connection.gate();
  slow.connection.set_tier(gate.tier());
  EXPECT_EQ(slow.begin(1), Outcome::kRunning);
  gate.enter(client::Waiting::kSuspend);  // a launch that takes longer than the timeout
  EXPECT_EQ(high.begin(2), Outcome::kShared);
  high.connection.end();
  EXPECT_TRUE(eventually([&] { return !slow.connection.off(); }));
  EXPECT_EQ(high.begin(2), Outcome::kShared) << "it is still inside";
  gate.leave();
  // Its control thread looks again, and says that it has left: seen by whoever begins next.
  ASSERT_TRUE(
      eventually([&] { return arbiter.logged(R"("event": "off", "client": 1, "result": 0)"); }));
  EXPECT_EQ(high.connection.raise(Urgency::real_time(3), client::Waiting::kSuspend),
            Outcome::kRunning);
}

TEST(Daemon, CountsAnOrderThatWasCarriedOutTooLateOnce) {
  daemon::DaemonOptions options;
  options.update_timeout_ns = 10'000'000;
  ArbiterHere arbiter(options);
  FlagClient slow(arbiter.socket()), high(arbiter.socket());
  Tier tier;
  tier.name = "slow";
  tier.take_off = [](void*, std::int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return TierResult::kLate;
  };
  tier.put_back = [](void*) { return TierResult::kDone; };
  slow.connection.set_tier(tier);
  EXPECT_EQ(slow.begin(1), Outcome::kRunning);
  EXPECT_EQ(high.begin(2), Outcome::kShared);
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"late\""); }));
  ASSERT_TRUE(eventually([&] { return arbiter.logged("\"event\": \"off\""); }));
  EXPECT_EQ(client::Observer::open(arbiter.socket())->look()->clients[0].late, 1U);
}

TEST(Daemon, PutsTheOthersBackWhenTheOwnerIsKilled) {
  ArbiterHere arbiter;
  FlagClient low(arbiter.socket());
  low.begin(1);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    FlagClient high(arbiter.socket());
    high.begin(2);
    [[maybe_unused]] const ssize_t told = write(ready[1], "x", 1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(low.off);
  kill(owner, SIGKILL);
  EXPECT_TRUE(eventually([&] { return !low.off; }));
  waitpid(owner, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST(Daemon, ServesOthersWhileTheOwnerIsFrozen) {
  daemon::DaemonOptions options;
  options.update_timeout_ns = 10'000'000;
  ArbiterHere arbiter(options);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    FlagClient low(arbiter.socket(), "frozen");
    low.begin(1);
    [[maybe_unused]] ssize_t told = write(ready[1], "x", 1);
    while (!low.off) usleep(1000);  // after it is thawed, it obeys
    told = write(ready[1], "y", 1);
    while (low.off) usleep(1000);
    told = write(ready[1], "z", 1);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(owner, SIGSTOP);
  ASSERT_EQ(waitpid(owner, nullptr, WUNTRACED), owner);
  FlagClient high(arbiter.socket());
  EXPECT_EQ(high.begin(2), Outcome::kShared);
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"late\""); }));
  kill(owner, SIGCONT);
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  high.connection.end();
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'z');
  waitpid(owner, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST(Daemon, KeepsAnOrderForAClientWhoseQueueIsFull) {
  daemon::DaemonOptions options;
  options.update_timeout_ns = 1'000'000;
  options.lease_ns = 8'000'000;  // renewals every 2 ms fill the queue
  ArbiterHere arbiter(options);
  RawClient deaf(arbiter.socket());
  deaf.hello();
  deaf.begin(1);
  ASSERT_TRUE(eventually([&] { return arbiter.logged("\"answer\""); }));
  RawClient high(arbiter.socket());
  high.hello();
  Message end{};
  end.kind = MessageKind::kEnd;
  // Sooner or later there is one order more than fits, and it must arrive all the same.
  EXPECT_TRUE(eventually([&] {
    high.begin(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    high.say(end);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return arbiter.logged("socket-full");
  }));
  Message message{};
  do {
    message = deaf.hear();
  } while (!deaf.ended() && message.order.state != OrderState::kOn);
  EXPECT_EQ(message.kind, MessageKind::kOrder);
}

TEST(Daemon, HangsUpOnWhoeverBreaksTheProtocol) {
  ArbiterHere arbiter;
  const auto hung_up_after = [&](const std::function<void(RawClient&)>& mistake) {
    RawClient client(arbiter.socket());
    mistake(client);
    while (!client.ended()) client.hear();
    return true;
  };
  EXPECT_TRUE(hung_up_after([](RawClient& c) { c.begin(1); }));  // no Hello
  EXPECT_TRUE(hung_up_after([](RawClient& c) { c.say_bytes("short", 5); }));
  EXPECT_TRUE(hung_up_after([](RawClient& c) {
    c.hello();
    Message message{};
    message.kind = static_cast<MessageKind>(77);
    c.say(message);
  }));
  EXPECT_TRUE(hung_up_after([](RawClient& c) {
    Message message{};
    message.kind = MessageKind::kHello;
    message.hello = {kMagic, 999, 0, "old", Protocol::kGcaps};
    c.say(message);
  }));
  FlagClient fine(arbiter.socket());
  EXPECT_EQ(fine.begin(1), Outcome::kRunning);
}

TEST(Daemon, OutlivesClientsThatTalkNonsense) {
  ArbiterHere arbiter;
  std::mt19937 random(11);
  for (int life = 0; life < 200; ++life) {
    RawClient client(arbiter.socket());
    if (life % 4 != 0) client.hello();
    for (int i = 0; i < 20; ++i) {
      Message message{};
      auto* bytes = reinterpret_cast<unsigned char*>(&message);
      for (std::size_t b = 0; b < sizeof message; ++b)
        bytes[b] = static_cast<unsigned char>(random());
      message.kind = static_cast<MessageKind>(random() % 9);
      client.say_bytes(&message, random() % 10 == 0 ? random() % sizeof message : sizeof message);
    }
  }
  FlagClient fine(arbiter.socket());
  ASSERT_TRUE(fine.connected);
  // Nonsense has begun segments of any priority; they ended with those who talked it.
  EXPECT_TRUE(eventually([&] {
    const Outcome outcome = fine.begin(1);
    fine.connection.end();
    return outcome == Outcome::kRunning;
  }));
}

TEST(Daemon, GoesOnWithoutAClientThatDoesNotConfirmAndWaitsForItOnlyOnce) {
  daemon::DaemonOptions options;
  options.update_timeout_ns = 10'000'000;
  ArbiterHere arbiter(options);
  RawClient frozen(arbiter.socket());
  frozen.hello();
  frozen.begin(1);
  ASSERT_TRUE(eventually([&] { return arbiter.logged("\"answer\""); }));
  FlagClient high(arbiter.socket());
  auto observer = client::Observer::open(arbiter.socket());
  ASSERT_TRUE(observer) << observer.error().message;
  constexpr int kRounds = 5;
  for (int i = 0; i < kRounds; ++i) {
    EXPECT_EQ(high.begin(2), Outcome::kShared);
    high.connection.end();
  }
  EXPECT_TRUE(eventually([&] { return observer->look()->clients[0].on != 0; }));
  EXPECT_EQ(observer->look()->clients[0].late, 1U);
  EXPECT_EQ(observer->look()->clients[0].silent, 1U);
  EXPECT_TRUE(eventually([&] { return arbiter.logged(R"("event": "late", "client": 1)"); }));
  // It thaws, finds all the orders, and confirms the last one.
  Message confirmation{};
  confirmation.kind = MessageKind::kDone;
  for (int i = 0; i < 2 * kRounds; ++i) confirmation.done.order = frozen.hear().order.order;
  frozen.say(confirmation);
  EXPECT_TRUE(eventually([&] { return observer->look()->clients[0].silent == 0; }));
}

TEST(Daemon, BelievesNoClientThatItsWorkTakesLongerThanItWasWaitedFor) {
  ArbiterHere arbiter;
  RawClient liar(arbiter.socket());
  liar.hello();
  Message report{};
  report.kind = MessageKind::kTier;
  report.tier.cost.take_off_max = INT64_MAX;
  report.tier.cost.put_back_max = INT64_MIN;
  report.tier.cost.samples = 1;
  liar.say(report);
  ASSERT_TRUE(eventually([&] { return arbiter.logged("\"tier\""); }));
  const auto seen = client::Observer::open(arbiter.socket())->look();
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_LE(seen->summary.take_off_max_ns, ArbiterHere::kPatientNs);
  EXPECT_EQ(seen->summary.put_back_max_ns, 0);
}

TEST(Daemon, BelievesNoConfirmationThatClaimsMoreTimeThanHasPassed) {
  ArbiterHere arbiter;
  RawClient liar(arbiter.socket());
  liar.hello();
  liar.begin(1);
  ASSERT_TRUE(eventually([&] { return arbiter.logged("\"answer\""); }));
  const std::int64_t before = host::now_ns();
  RawClient high(arbiter.socket());
  high.hello();
  high.begin(2);
  Message done{};
  done.kind = MessageKind::kDone;
  done.done = {liar.hear().order.order, TierResult::kDone, 3'000'000'000'000, 0};
  liar.say(done);
  ASSERT_TRUE(eventually([&] { return arbiter.logged("\"event\": \"off\""); }));
  const auto seen = client::Observer::open(arbiter.socket())->look();
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_LE(seen->summary.take_off_max_ns, host::now_ns() - before);
}

TEST(Daemon, CountsTheWaitForWorkThatLeavesByItselfApartFromTheUpdate) {
  ArbiterHere arbiter;
  RawClient low(arbiter.socket());
  low.hello();
  Message report{};
  report.kind = MessageKind::kTier;
  std::strcpy(report.tier.name, "any");
  report.tier.leaves_by_itself = 1;
  low.say(report);
  low.begin(1);
  ASSERT_TRUE(eventually([&] { return arbiter.logged("\"answer\""); }));
  RawClient high(arbiter.socket());
  high.hello();
  high.begin(2);
  Message done{};
  done.kind = MessageKind::kDone;
  constexpr std::int64_t kLaunchNs = 5'000'000;
  done.done = {low.hear().order.order, TierResult::kDone, kLaunchNs, 0};
  const std::int64_t start = host::now_ns();
  while (host::now_ns() < start + kLaunchNs) continue;  // the launch under way ends
  low.say(done);
  ASSERT_TRUE(eventually([&] { return arbiter.logged("\"event\": \"updated\""); }));
  const auto seen = client::Observer::open(arbiter.socket())->look();
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->summary.leave_max_ns, kLaunchNs);
  EXPECT_EQ(seen->summary.take_off_max_ns, 0);
  EXPECT_EQ(seen->summary.prompt_update_max_ns, seen->summary.update_max_ns - kLaunchNs);
  EXPECT_EQ(seen->leaving.updates[0], 1U);
  EXPECT_EQ(seen->leaving.max_ns[0], seen->summary.prompt_update_max_ns);
  EXPECT_EQ(seen->leaving.updates[1], 0U);
}

TEST(Faults, AnUpdateIsCountedByHowManyLeft) {
  ArbiterHere arbiter;
  FlagClient one(arbiter.socket()), other(arbiter.socket()), urgent(arbiter.socket());
  one.begin_best_effort();
  other.begin_best_effort();
  urgent.begin(5);
  EXPECT_TRUE(one.off && other.off);
  const auto seen = client::Observer::open(arbiter.socket())->look();
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->leaving.updates[0], 0U);
  EXPECT_EQ(seen->leaving.updates[1], 1U);
  EXPECT_GT(seen->leaving.max_ns[1], 0);
  EXPECT_EQ(seen->leaving.max_ns[1], seen->summary.prompt_update_max_ns);
}

TEST(Peer, HasHadTheGpuForAsLongAsItsWorkWasNotOff) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  daemon::Peer peer(1, ends[0]);
  ASSERT_FALSE(peer.introduce());
  peer.off_before_ns = 1000;  // of segments before
  peer.begins(100, 100);
  EXPECT_EQ(peer.held_ns(150), 50);
  peer.order_off = true;
  peer.ordered_ns = 160;
  EXPECT_EQ(peer.held_ns(500), 60);
  peer.off_before_ns = peer.off_ns(500);
  peer.order_off = false;
  EXPECT_EQ(peer.held_ns(510), 70);
  auto& claimed = peer.shared().claimed_since_ns;
  claimed = 400;
  EXPECT_EQ(peer.claimed_since(500), 400);
  EXPECT_EQ(peer.claimed_since(600), 400);
  std::int64_t now = 700;
  for (const std::int64_t nonsense :
       {INT64_MIN, std::int64_t{-1}, std::int64_t{650}, std::int64_t{5000}, INT64_MAX}) {
    peer.claims_nothing(now);
    claimed = nonsense;
    EXPECT_EQ(peer.claimed_since(now + 10), now + 10);  // not before it was seen
    EXPECT_EQ(peer.claimed_since(now + 50), now + 10);  // and then it lasts
    now += 100;
  }
  close(ends[1]);
}

}  // namespace
}  // namespace tactus::arbiter
