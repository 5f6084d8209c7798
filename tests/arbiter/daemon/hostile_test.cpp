// Clients that want to keep others out, hold them up or wear the arbiter out.
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstring>

#include "tactus/arbiter/client/observer.hpp"
#include "tests/arbiter/arbiter_here.hpp"
#include "tests/arbiter/raw_client.hpp"

namespace tactus::arbiter::daemon {
namespace {

using client::Outcome;

constexpr uid_t kOther = 65534;
constexpr gid_t kFriends = 4242;

/// Says hello as a client does, whatever comes back. @return the connection
int knock(const std::string& path) {
  const int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  Message message{};
  message.kind = MessageKind::kHello;
  message.hello = {kMagic, kProtocolVersion, 0, "crowd", Protocol::kGcaps};
  send(connection, &message, sizeof message, MSG_NOSIGNAL);
  return connection;
}

/// Runs `holds` as another user, in a process of its own. @return its exit code
int as_other(gid_t group, const std::vector<gid_t>& more, const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) {
    if (setgroups(more.size(), more.data()) != 0 || setgid(group) != 0 || setuid(kOther) != 0)
      _exit(2);
    _exit(holds() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

void let_others_in(const ArbiterHere& arbiter) {
  chmod(std::filesystem::path(arbiter.socket()).parent_path().parent_path().c_str(), 0755);
}

TEST(Daemon, HangsUpOnAClientThatDoesNotListenAnyMore) {
  DaemonOptions options;
  options.update_timeout_ns = 30'000'000'000;  // it does not wait for that: it hangs up at once
  ArbiterHere arbiter(options);
  RawClient deaf(arbiter.socket());
  deaf.hello();
  deaf.begin(1);
  ASSERT_TRUE(eventually([&] { return arbiter.logged("\"answer\""); }));
  shutdown(deaf.descriptor(), SHUT_RD);
  FlagClient high(arbiter.socket());
  EXPECT_EQ(high.begin(2), Outcome::kRunning);  // the deaf one is told to go
  // To wait for room in a queue that nobody empties would keep the arbiter busy for ever.
  EXPECT_TRUE(eventually([&] { return arbiter.logged(R"("event": "gone", "client": 1)"); }));
}

TEST(Daemon, IsNotFullForOthersWhenOneUserTakesAllItCan) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be somebody else";
  DaemonOptions options;
  options.group = kFriends;
  ArbiterHere arbiter(options);
  let_others_in(arbiter);
  std::vector<int> crowd;
  for (int i = 0; i < 1100; ++i) crowd.push_back(knock(arbiter.socket()));
  FlagClient one_more(arbiter.socket());
  EXPECT_FALSE(one_more.connected);
  EXPECT_STREQ(one_more.connection.problem(), "the arbiter is full");
  const auto observer = client::Observer::open(arbiter.socket());
  ASSERT_FALSE(observer);
  EXPECT_EQ(observer.error().message, "the arbiter is full");
  EXPECT_EQ(as_other(kFriends, {},
                     [&] {
                       FlagClient other(arbiter.socket());
                       return other.connected && other.begin(1) == Outcome::kRunning;
                     }),
            0);
  for (const int connection : crowd) close(connection);
  EXPECT_TRUE(eventually([&] { return FlagClient(arbiter.socket()).connected; }));
}

TEST(Daemon, KeepsPlacesForUsersThatMayBeRealTime) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be somebody else";
  DaemonOptions options;
  options.group = kFriends;
  options.limits = {.clients = 8, .per_user = 8};
  ASSERT_FALSE(options.permissions.add("*:best-effort"));
  ASSERT_FALSE(options.permissions.add("0:1-99"));
  ArbiterHere arbiter(options);
  let_others_in(arbiter);
  EXPECT_EQ(as_other(kFriends, {},
                     [&] {
                       std::vector<std::unique_ptr<FlagClient>> crowd;
                       std::size_t in = 0;
                       for (int i = 0; i < 8; ++i) {
                         crowd.push_back(std::make_unique<FlagClient>(arbiter.socket()));
                         in += crowd.back()->connected ? 1 : 0;
                       }
                       return in == 6;
                     }),
            0);
  FlagClient first(arbiter.socket()), second(arbiter.socket());
  EXPECT_TRUE(first.connected);
  EXPECT_TRUE(second.connected);
}

TEST(Daemon, LetsAClientInWherePlacesAreTakenByThoseWhoSayNothing) {
  DaemonOptions options;
  options.limits.per_user = 20;
  ArbiterHere arbiter(options);
  std::vector<std::unique_ptr<RawClient>> mute;
  for (int i = 0; i < 60; ++i) mute.push_back(std::make_unique<RawClient>(arbiter.socket()));
  FlagClient honest(arbiter.socket());
  EXPECT_TRUE(honest.connected) << honest.connection.problem();
}

TEST(Daemon, LetsInAMemberOfTheGroupHoweverManyOtherGroupsItIsIn) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be somebody else";
  DaemonOptions options;
  options.group = kFriends;
  ArbiterHere arbiter(options);
  let_others_in(arbiter);
  std::vector<gid_t> many;
  for (gid_t g = 0; g < 400; ++g) many.push_back(100'000 + g);
  const auto connects = [&] { return FlagClient(arbiter.socket()).connected; };
  EXPECT_EQ(as_other(kOther, many, connects), 1);
  many.push_back(kFriends);
  EXPECT_EQ(as_other(kOther, many, connects), 0);
}

TEST(Daemon, ServesWhileOthersConnectAndHangUpAllTheTime) {
  ArbiterHere arbiter;
  FlagClient low(arbiter.socket()), high(arbiter.socket());
  ASSERT_EQ(low.begin(1), Outcome::kRunning);
  std::atomic<bool> over{false};
  std::thread flood([&] {
    while (!over) close(knock(arbiter.socket()));
  });
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(high.begin(2), Outcome::kRunning);
    high.connection.end();
  }
  over = true;
  flood.join();
}

TEST(Daemon, ServesABeginBeforeItLooksAroundForAllWhoAsk) {
  const Folder folder;
  DaemonOptions options;
  options.socket = folder.file("private/tactus.sock");
  const auto daemon = Daemon::open(options);
  ASSERT_TRUE(daemon);
  // All of them have said what they have to say before the arbiter looks for the first time.
  constexpr int kObservers = 40, kQuestions = 8;
  std::vector<std::unique_ptr<RawClient>> observers;
  Message hello{};
  hello.kind = MessageKind::kHello;
  hello.hello = {kMagic, kProtocolVersion, 1, "eye", Protocol::kGcaps};
  Message question{};
  question.kind = MessageKind::kSnapshot;
  for (int i = 0; i < kObservers; ++i) {
    observers.push_back(std::make_unique<RawClient>(options.socket));
    observers.back()->say(hello);
    for (int k = 0; k < kQuestions; ++k) observers.back()->say(question);
  }
  RawClient urgent(options.socket);
  hello.hello.observer = 0;
  urgent.say(hello);
  urgent.begin(70);
  std::thread serving([&] { (*daemon)->run(); });
  int before = 0;
  for (const auto& observer : observers) {
    for (int k = 0; k < kQuestions;) {
      const Message heard = observer->hear();
      if (heard.kind != MessageKind::kSummary) continue;
      ++k;
      if (heard.summary.begins == 0) ++before;
    }
  }
  // In each round four are let in, and one answer is given.
  EXPECT_LE(before, kObservers / 4 + 1) << "answers before the begin was served";
  (*daemon)->stop();
  serving.join();
}

TEST(Daemon, LooksAroundForObserversOnly) {
  ArbiterHere arbiter;
  RawClient curious(arbiter.socket());
  curious.hello();
  Message question{};
  question.kind = MessageKind::kSnapshot;
  curious.say(question);
  const Message heard = curious.hear();
  ASSERT_EQ(heard.kind, MessageKind::kRefused);
  EXPECT_EQ(heard.refused.reason, Refusal::kMalformed);
}

TEST(Daemon, DoesNotWaitForeverForManyClientsThatNeverConfirm) {
  DaemonOptions options;
  options.update_timeout_ns = 200'000'000;
  options.lease_ns = 2'000'000'000;  // an answer within two of these, or the client goes on without
  ArbiterHere arbiter(options);
  std::vector<std::unique_ptr<RawClient>> mute;
  for (int i = 0; i < 200; ++i) {
    mute.push_back(std::make_unique<RawClient>(arbiter.socket()));
    mute.back()->hello();
    mute.back()->begin(i);  // each takes the GPU from the one before, which does not go
  }
  FlagClient honest(arbiter.socket());
  ASSERT_TRUE(honest.connected) << honest.connection.problem();
  EXPECT_NE(honest.begin(1), Outcome::kUnarbitrated);
}

TEST(Daemon, TellsAClientOfAnotherVersionWhatItIsHoweverLongItsMessagesAre) {
  ArbiterHere arbiter;
  Message hello{};
  hello.kind = MessageKind::kHello;
  hello.hello = {kMagic, kProtocolVersion - 1, 0, "old", Protocol::kGcaps};
  std::vector<char> longer(sizeof hello + 100);
  std::memcpy(longer.data(), &hello, sizeof hello);
  for (const std::size_t size : {sizeof hello, sizeof hello - 40, longer.size()}) {
    RawClient old(arbiter.socket());
    old.say_bytes(longer.data(), size);
    const Message heard = old.hear();
    EXPECT_EQ(heard.kind, MessageKind::kRefused) << size;
    EXPECT_EQ(heard.refused.reason, Refusal::kVersion) << size;
  }
  EXPECT_TRUE(eventually([&] { return arbiter.logged("it speaks another version"); }));
}

TEST(Daemon, ArbitratesOneGpuBesideAnotherArbiterForAnother) {
  ArbiterHere one;
  ArbiterHere other;
  FlagClient first(one.socket()), second(other.socket());
  EXPECT_EQ(first.begin(1), Outcome::kRunning);
  EXPECT_EQ(second.begin(9), Outcome::kRunning);
  one.stop();
  EXPECT_TRUE(eventually([&] { return !first.connection.connected(); }));
  FlagClient third(other.socket());
  EXPECT_EQ(third.begin(5), Outcome::kPending);
  EXPECT_EQ(second.connection.end(), Outcome::kRunning);
}

}  // namespace
}  // namespace tactus::arbiter::daemon
