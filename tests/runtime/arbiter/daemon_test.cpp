#include "tactus/runtime/arbiter/daemon.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <random>

#include "tactus/runtime/arbiter/observer.hpp"
#include "tests/runtime/arbiter/arbiter_here.hpp"

namespace tactus::arbiter {
namespace {

using client::Outcome;
using client::Waiting;

/// Says what it is told to, and nothing else: a client that misbehaves.
class RawClient {
 public:
  explicit RawClient(const std::string& path) {
    socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~RawClient() { close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  void hello() {
    Message message{};
    message.kind = Kind::kHello;
    message.hello = {kMagic, kProtocolVersion, 0, "raw"};
    say(message);
    EXPECT_EQ(hear().kind, Kind::kWelcome);
  }
  void say(const Message& message) {
    EXPECT_EQ(send(socket_, &message, sizeof message, MSG_NOSIGNAL),
              static_cast<ssize_t>(sizeof message));
  }
  void say_bytes(const void* bytes, std::size_t size) { send(socket_, bytes, size, MSG_NOSIGNAL); }
  void begin(int priority) {
    Message message{};
    message.kind = Kind::kBegin;
    message.segment = {1, 0, priority};
    say(message);
  }
  Message hear() {
    Message message{};
    const ssize_t got = recv(socket_, &message, sizeof message, 0);
    ended_ = got == 0;
    return message;
  }
  bool ended() const { return ended_; }

 private:
  int socket_;
  bool ended_ = false;
};

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

TEST(Daemon, GoesOnWithoutAClientThatDoesNotConfirm) {
  DaemonOptions options;
  options.update_timeout_ns = 10'000'000;
  ArbiterHere arbiter(options);
  RawClient frozen(arbiter.socket());
  frozen.hello();
  frozen.begin(1);
  ASSERT_TRUE(eventually([&] { return arbiter.logged("\"answer\""); }));
  FlagClient high(arbiter.socket());
  EXPECT_EQ(high.begin(2), Outcome::kRunning);
  EXPECT_TRUE(eventually([&] { return arbiter.logged(R"("event": "late", "client": 1)"); }));
}

TEST(Daemon, GoesOnWithoutAClientWhoseTierFailsAndSaysSo) {
  ArbiterHere arbiter;
  FlagClient broken(arbiter.socket()), high(arbiter.socket());
  Tier tier;
  tier.name = "broken";
  tier.take_off = [](void*, std::int64_t) { return TierResult::kFailed; };
  tier.put_back = [](void*) { return TierResult::kDone; };
  broken.connection.set_tier(tier);
  auto observer = Observer::open(arbiter.socket());
  ASSERT_TRUE(observer) << observer.error().message;
  // Its name is on the way on a socket of its own.
  ASSERT_TRUE(
      eventually([&] { return observer->look()->clients[0].tier == std::string_view("broken"); }));
  EXPECT_EQ(broken.begin(1), Outcome::kRunning);
  EXPECT_EQ(high.begin(2), Outcome::kRunning);
  const auto snapshot = observer->look();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  ASSERT_EQ(snapshot->clients.size(), 2U);
  EXPECT_EQ(snapshot->clients[0].late, 1U);
  EXPECT_EQ(snapshot->clients[0].preemptions, 1U);
  EXPECT_EQ(snapshot->summary.late, 1U);
}

TEST(Observer, SeesMoreClientsThanFitIntoOneAnswer) {
  ArbiterHere arbiter;
  std::vector<std::unique_ptr<FlagClient>> clients;
  for (int i = 0; i < 150; ++i) clients.push_back(std::make_unique<FlagClient>(arbiter.socket()));
  auto observer = Observer::open(arbiter.socket());
  ASSERT_TRUE(observer);
  EXPECT_EQ(observer->look()->clients.size(), 150U);
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
  DaemonOptions options;
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
  EXPECT_EQ(high.begin(2), Outcome::kRunning);
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
  DaemonOptions options;
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
  end.kind = Kind::kEnd;
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
  EXPECT_EQ(message.kind, Kind::kOrder);
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
    message.kind = static_cast<Kind>(77);
    c.say(message);
  }));
  EXPECT_TRUE(hung_up_after([](RawClient& c) {
    Message message{};
    message.kind = Kind::kHello;
    message.hello = {kMagic, 999, 0, "old"};
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
      message.kind = static_cast<Kind>(random() % 9);
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

TEST(Daemon, ReportsOwnersThatOverstayTheirBudget) {
  DaemonOptions options;
  options.budget_ns = 1'000'000;
  options.lease_ns = 40'000'000;
  ArbiterHere arbiter(options);
  FlagClient slow(arbiter.socket());
  slow.begin(1);
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"overstay\""); }));
}

TEST(ListeningSocket, IsPrivateAndReplacesAStaleOne) {
  const Folder folder;
  const std::string path = folder.file("own/tactus.sock");
  struct stat found {};
  {
    auto socket = ListeningSocket::open(path, std::nullopt);
    ASSERT_TRUE(socket) << socket.error().message;
    ASSERT_EQ(stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600U);
    ASSERT_EQ(stat(folder.file("own").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0700U);
    const auto second = ListeningSocket::open(path, std::nullopt);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find("another arbiter is running"), std::string::npos);
  }
  EXPECT_NE(stat(path.c_str(), &found), 0);
  const int left_over = socket(AF_UNIX, SOCK_SEQPACKET, 0);  // as by an arbiter that was killed
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(left_over, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(left_over);
  EXPECT_TRUE(ListeningSocket::open(path, std::nullopt));
}

TEST(ListeningSocket, RemovesNothingButASocket) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("own"));
  chmod(folder.file("own").c_str(), 0700);
  const std::string path = folder.file("own/thesis.tex");
  std::ofstream(path) << "years of work";
  EXPECT_FALSE(ListeningSocket::open(path, std::nullopt));
  EXPECT_EQ(std::filesystem::file_size(path), 13U);
}

TEST(ListeningSocket, RefusesAFolderThatOthersCanWrite) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("open"));
  chmod(folder.file("open").c_str(), 0777);
  EXPECT_FALSE(ListeningSocket::open(folder.file("open/tactus.sock"), std::nullopt));
  EXPECT_FALSE(ListeningSocket::open("tactus.sock", std::nullopt));
  EXPECT_FALSE(ListeningSocket::open(folder.file(std::string(200, 'x') + "/s"), std::nullopt));
}

TEST(Permissions, AreReadAndRefused) {
  Permissions permissions;
  EXPECT_TRUE(permissions.allows(1, Urgency::real_time(99)));
  EXPECT_FALSE(permissions.add("4242:10-20"));
  EXPECT_FALSE(permissions.add("*:best-effort"));
  EXPECT_FALSE(permissions.add("4243:-5--1"));
  EXPECT_TRUE(permissions.allows(4242, Urgency::real_time(10)));
  EXPECT_FALSE(permissions.allows(4242, Urgency::real_time(21)));
  EXPECT_TRUE(permissions.allows(4243, Urgency::real_time(-3)));
  EXPECT_FALSE(permissions.allows(1, Urgency::real_time(1)));
  EXPECT_TRUE(permissions.allows(1, Urgency{}));
  for (const char* wrong : {"", "x", "4242:", "4242:a-b", "4242:5-1", ":1-2", "no-such-user:1-2"})
    EXPECT_TRUE(permissions.add(wrong)) << wrong;
}

}  // namespace
}  // namespace tactus::arbiter
