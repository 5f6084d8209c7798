#include "tactus/client.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "tactus/arbiter/client/observer.hpp"
#include "tactus/arbiter/client/process_client.hpp"
#include "tactus/host/clock.hpp"
#include "tests/arbiter/arbiter_here.hpp"
#include "tests/arbiter/boost_client.hpp"

namespace tactus::arbiter::client {
namespace {

using client::Outcome;
using client::Waiting;

/// An arbiter that says Welcome and then only what the test says: one that has gone wrong.
class BrokenArbiter {
 public:
  /// @param sealed false: gives out a page that it could take away again
  explicit BrokenArbiter(std::int64_t lease_ns, bool sealed = true)
      : lease_ns_(lease_ns), path_(folder_.file("s")) {
    listening_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listening_, 1), 0);
    thread_ = std::thread([this, sealed] {
      peer_ =
          std::make_unique<daemon::Peer>(7, accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC));
      ASSERT_FALSE(peer_->introduce());
      Message message{};
      recv(peer_->socket, &message, sizeof message, 0);
      message = Message{};
      message.kind = MessageKind::kWelcome;
      message.welcome = {7, 0, lease_ns_, 1'000'000'000, -1, 0, Protocol::kGcaps};
      const int unsealed = memfd_create("unsealed", MFD_CLOEXEC);
      ASSERT_EQ(ftruncate(unsealed, kPageSize), 0);
      const int descriptor = sealed ? peer_->page.file() : unsealed;
      peer_->send(message, &descriptor, 1);
      close(unsealed);
    });
  }
  ~BrokenArbiter() {
    if (thread_.joinable()) thread_.join();
    close(listening_);
  }
  BrokenArbiter(const BrokenArbiter&) = delete;
  BrokenArbiter& operator=(const BrokenArbiter&) = delete;
  const std::string& socket_path() const { return path_; }
  void order(bool off, bool renewal = false) {
    if (thread_.joinable()) thread_.join();
    if (!renewal) ++peer_->order;
    peer_->order_off = off;
    peer_->send_order(renewal);
  }

 private:
  Folder folder_;
  std::int64_t lease_ns_;
  std::string path_;
  int listening_ = -1;
  std::unique_ptr<daemon::Peer> peer_;
  std::thread thread_;
};

TEST(Connection, PutsItsWorkBackWhenTheArbiterFallsSilentAndObeysAgainWhenItWakes) {
  BrokenArbiter arbiter(50'000'000);
  FlagClient client(arbiter.socket_path());
  ASSERT_TRUE(client.connected);
  arbiter.order(true);
  EXPECT_TRUE(eventually([&] { return client.off.load(); }));
  EXPECT_TRUE(eventually([&] { return !client.off; }));  // after a lease of silence
  EXPECT_EQ(client.connection.times_lapsed(), 1U);
  EXPECT_TRUE(client.connection.connected());
  arbiter.order(true, true);  // it was only asleep
  EXPECT_TRUE(eventually([&] { return client.off.load(); }));
  arbiter.order(false);
  EXPECT_TRUE(eventually([&] { return !client.off; }));
}

TEST(Connection, GoesOnUnarbitratedWhenAnAnswerIsLost) {
  for (const Waiting waiting : {Waiting::kSuspend, Waiting::kBusy}) {
    BrokenArbiter arbiter(20'000'000);
    FlagClient client(arbiter.socket_path());
    ASSERT_TRUE(client.connected);
    EXPECT_EQ(client.connection.begin(Urgency::real_time(1), waiting), Outcome::kUnarbitrated);
    EXPECT_FALSE(client.connection.connected());
  }
}

TEST(Connection, SaysWhyThereIsNone) {
  const Folder folder;
  FlagClient client(folder.file("nobody"));
  EXPECT_FALSE(client.connected);
  EXPECT_STREQ(client.connection.problem(), "no arbiter is running");
  EXPECT_EQ(client.begin(1), Outcome::kUnarbitrated);
  EXPECT_FALSE(client.connection.open(std::string(300, 'x').c_str(), "long"));
}

TEST(Connection, KnowsAnArbiterOfAnotherVersionHoweverShortItsMessagesAre) {
  const Folder folder;
  const std::string path = folder.file("s");
  const int listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listening, 1), 0);
  for (const Refusal reason : {Refusal::kVersion, Refusal::kMalformed}) {
    std::thread old([&] {
      const int peer = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
      Message message{};
      recv(peer, &message, sizeof message, 0);
      message = Message{};
      message.kind = MessageKind::kRefused;
      message.refused.reason = reason;
      send(peer, &message, sizeof message - 40, MSG_NOSIGNAL);
      close(peer);
    });
    Connection connection;
    EXPECT_FALSE(connection.open(path.c_str(), "new"));
    EXPECT_STREQ(connection.problem(), "the arbiter speaks another version of the protocol");
    old.join();
  }
  close(listening);
}

TEST(Connection, RefusesAPageThatCouldBeTakenAwayUnderItsFeet) {
  BrokenArbiter arbiter(1'000'000'000, false);
  FlagClient client(arbiter.socket_path());
  EXPECT_FALSE(client.connected);
}

TEST(Connection, DoesNotWaitForEverForAnArbiterThatIsFrozen) {
  const Folder folder;
  const std::string path = folder.file("s");
  const int frozen = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const auto* const where = reinterpret_cast<const sockaddr*>(&address);
  ASSERT_EQ(bind(frozen, where, sizeof address), 0);
  ASSERT_EQ(listen(frozen, 0), 0);
  // Others have come before, until not even that was possible.
  std::vector<int> others;
  do {
    others.push_back(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  } while (connect(others.back(), where, sizeof address) == 0);
  FlagClient client(path);
  EXPECT_FALSE(client.connected);
  EXPECT_STREQ(client.connection.problem(), "the arbiter does not answer");
  const auto observer = Observer::open(path);
  ASSERT_FALSE(observer);
  EXPECT_EQ(observer.error().message, "the arbiter does not answer");
  for (const int other : others) close(other);
  close(frozen);
}

TEST(Connection, AppliesATierThatIsFoundWhileTheWorkIsToBeOff) {
  ArbiterHere arbiter;
  FlagClient high(arbiter.socket()), low(arbiter.socket());
  const Tier flag = [&] {
    Tier tier;
    tier.name = "late-found";
    tier.self = &low;
    tier.take_off = [](void* self, std::int64_t) {
      static_cast<FlagClient*>(self)->off = true;
      return TierResult::kDone;
    };
    tier.put_back = [](void* self) {
      static_cast<FlagClient*>(self)->off = false;
      return TierResult::kDone;
    };
    return tier;
  }();
  low.connection.set_tier(Tier{});
  high.begin(2);
  EXPECT_EQ(low.begin(1), Outcome::kPending);
  EXPECT_FALSE(low.off);  // there was nothing yet to take off
  low.connection.set_tier(flag);
  EXPECT_TRUE(low.off);
  high.connection.end();
  EXPECT_TRUE(eventually([&] { return !low.off; }));
  EXPECT_TRUE(eventually([&] { return arbiter.logged("late-found"); }));
}

TEST(Gate, HoldsThreadsAtTheirCheckpointsAndWaitsForThoseInside) {
  client::Gate gate;
  gate.enter(Waiting::kSuspend);
  EXPECT_EQ(gate.close(host::now_ns() + 1'000'000), TierResult::kLate);  // somebody is inside
  std::atomic<int> passed{0};
  std::thread worker([&] {
    gate.pass(Waiting::kSuspend);
    passed = 1;
    gate.leave();
  });
  EXPECT_EQ(gate.close(host::now_ns() + 30'000'000'000), TierResult::kDone);
  EXPECT_EQ(passed, 0);
  gate.open();
  worker.join();
  EXPECT_EQ(passed, 1);
  EXPECT_EQ(gate.close(host::now_ns()), TierResult::kDone);
  EXPECT_EQ(gate.open(), TierResult::kDone);
}

TEST(Tier, CostIsMeasuredOnlyWhenItWorks) {
  client::Gate gate;
  const TierCost cost = measure_cost(gate.tier(), 20, 1'000'000'000);
  EXPECT_EQ(cost.samples, 20);
  EXPECT_GT(cost.take_off_max, 0);
  EXPECT_GE(cost.put_back_max, cost.put_back_mean);
  gate.enter(Waiting::kSuspend);
  EXPECT_EQ(measure_cost(gate.tier(), 1, 1'000'000).samples, 0);
}

/// The C interface keeps one client a process, so each test has a process of its own.
int in_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(ClientInterface, WorksWithoutAnArbiter) {
  EXPECT_EQ(in_child([] {
              setenv(kSocketVariable, "/nonexistent/socket", 1);
              return tactus_segment_end() == TACTUS_NOT_BEGUN &&
                     tactus_segment_begin(5) == TACTUS_UNARBITRATED &&
                     tactus_checkpoint() == TACTUS_UNARBITRATED &&
                     tactus_segment_begin(5) == TACTUS_NESTED &&
                     tactus_segment_end() == TACTUS_UNARBITRATED &&
                     tactus_segment_end() == TACTUS_NOT_BEGUN &&
                     tactus_checkpoint() == TACTUS_NOT_BEGUN &&
                     std::string(tactus_tier()) == "none";
            }),
            0);
}

TEST(ClientInterface, BeginsAndEndsAndCountsMistakes) {
  ArbiterHere arbiter;
  EXPECT_EQ(in_child([&] {
              setenv(kSocketVariable, arbiter.socket().c_str(), 1);
              const bool right =
                  tactus_segment_begin(5) == TACTUS_RUNNING &&
                  tactus_segment_begin(6) == TACTUS_NESTED &&
                  tactus_checkpoint() == TACTUS_RUNNING && tactus_segment_end() == TACTUS_RUNNING &&
                  tactus_segment_end() == TACTUS_NOT_BEGUN && std::string(tactus_tier()) == "gate";
              { const GpuSegment scope(3); }
              return right && tactus_segment_end() == TACTUS_NOT_BEGUN;
            }),
            0);
}

TEST(ClientInterface, TakesThePriorityThatItWasDeployedWith) {
  daemon::DaemonOptions options;
  options.fast_path = false;
  ArbiterHere arbiter(options);
  const auto begin_with = [&](const char* priority) {
    return in_child([&] {
      setenv(kSocketVariable, arbiter.socket().c_str(), 1);
      if (priority != nullptr) setenv(kSegmentPriorityVariable, priority, 1);
      return tactus_segment_begin(TACTUS_DEPLOYED_PRIORITY) == TACTUS_RUNNING &&
             tactus_segment_end() == TACTUS_RUNNING;
    });
  };
  EXPECT_EQ(begin_with("-37"), 0);
  EXPECT_TRUE(eventually([&] { return arbiter.logged(R"("priority": -37)"); }));
  EXPECT_FALSE(arbiter.logged(R"("best_effort": true)"));
  for (const char* text :
       {static_cast<const char*>(nullptr), "best-effort", "", "7x", "9999999999"}) {
    EXPECT_EQ(begin_with(text), 0);
    EXPECT_TRUE(eventually([&] { return arbiter.logged(R"("best_effort": true)"); }));
    EXPECT_FALSE(arbiter.logged(R"("priority": 7)"));
  }
}

TEST(ClientInterface, IsOneClientForAllThreadsAtTheHighestPriorityInside) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer knows only one new thread in a forked child";
#endif
  daemon::DaemonOptions options;
  options.fast_path = false;
  ArbiterHere arbiter(options);
  FlagClient middle(arbiter.socket());
  int out[2], in[2];
  ASSERT_EQ(pipe(out), 0);
  ASSERT_EQ(pipe(in), 0);
  const pid_t child = fork();
  if (child == 0) {
    setenv(kSocketVariable, arbiter.socket().c_str(), 1);
    char byte = 0;
    client::choose_tier(Tier{});  // nothing to hold back: begin returns although pending
    bool right = tactus_segment_begin(1) == TACTUS_RUNNING;
    [[maybe_unused]] ssize_t done = write(out[1], "1", 1);
    done = read(in[0], &byte, 1);  // `middle` has begun with 5
    std::thread urgent([&] {
      right = tactus_segment_begin(9) == TACTUS_RUNNING && right;
      done = write(out[1], "2", 1);
      done = read(in[0], &byte, 1);
      // exits inside its segment, which ends it for this thread
    });
    urgent.join();
    right = tactus_segment_end() == TACTUS_RUNNING && right;
    done = write(out[1], right ? "3" : "x", 1);
    done = read(in[0], &byte, 1);
    _exit(0);
  }
  close(out[1]);  // so that a child that dies is seen, not waited for
  close(in[0]);
  char byte = 0;
  ASSERT_EQ(read(out[0], &byte, 1), 1);
  EXPECT_EQ(middle.begin(5), Outcome::kRunning);
  ASSERT_EQ(write(in[1], "x", 1), 1);
  ASSERT_EQ(read(out[0], &byte, 1), 1);
  EXPECT_TRUE(eventually([&] { return middle.off.load(); }));
  ASSERT_EQ(write(in[1], "x", 1), 1);
  ASSERT_EQ(read(out[0], &byte, 1), 1);
  EXPECT_EQ(byte, '3');
  EXPECT_TRUE(eventually([&] { return !middle.off; }));
  ASSERT_EQ(write(in[1], "x", 1), 1);
  waitpid(child, nullptr, 0);
  close(out[0]);
  close(in[1]);
}

TEST(ClientInterface, LeavesAForkedChildOutsideAndTheParentInside) {
  ArbiterHere arbiter;
  EXPECT_EQ(in_child([&] {
              setenv(kSocketVariable, arbiter.socket().c_str(), 1);
              client::choose_tier(Tier{});  // the gate would wait for the parent to pass
              tactus_segment_begin(5);
              const int status = in_child([] {
                return tactus_segment_end() == TACTUS_NOT_BEGUN &&
                       tactus_segment_begin(9) == TACTUS_RUNNING &&
                       tactus_segment_end() == TACTUS_RUNNING;
              });
              return status == 0 && tactus_segment_end() == TACTUS_RUNNING;
            }),
            0);
}

TEST(ClientInterface, WaitsAtTheGateForItsTurn) {
  ArbiterHere arbiter;
  FlagClient high(arbiter.socket());
  high.begin(9);
  const pid_t child = fork();
  if (child == 0) {
    setenv(kSocketVariable, arbiter.socket().c_str(), 1);
    _exit(tactus_segment_begin(1) == TACTUS_RUNNING && tactus_segment_end() == TACTUS_RUNNING ? 0
                                                                                              : 1);
  }
  EXPECT_TRUE(eventually([&] { return arbiter.logged(R"("answer": 2)"); }));  // pending
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0);
  high.connection.end();
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ClientInterface, FindsAnArbiterThatIsStartedAgain) {
  const Folder folder;
  EXPECT_EQ(in_child([&] {
              setenv(kSocketVariable, folder.file("own/s").c_str(), 1);
              if (tactus_segment_begin(1) != TACTUS_UNARBITRATED) return false;
              tactus_segment_end();
              daemon::DaemonOptions options;
              options.socket = folder.file("own/s");
              auto daemon = daemon::Daemon::open(options);
              if (!daemon) return false;
              std::thread thread([&] { (*daemon)->run(); });
              // At once: that there was none before costs the next begin nothing.
              const int found = tactus_segment_begin(1);
              tactus_segment_end();
              (*daemon)->stop();
              thread.join();
              daemon->reset();
              const auto is_gone = [] {  // its end is noticed a moment later
                const int result = tactus_segment_begin(1);
                tactus_segment_end();
                return result == TACTUS_UNARBITRATED;
              };
              if (found != TACTUS_RUNNING || !eventually(is_gone)) return false;
              // And neither does one that was found a moment ago, and has ended.
              auto next = daemon::Daemon::open(options);
              if (!next) return false;
              std::thread serving([&] { (*next)->run(); });
              const int again = tactus_segment_begin(1);
              tactus_segment_end();
              (*next)->stop();
              serving.join();
              return again == TACTUS_SHARED;
            }),
            0);
}

/// An arbiter at a place where there may have been others.
class ArbiterAt {
 public:
  ArbiterAt(const std::string& socket, std::int64_t returning_ns,
            Protocol protocol = Protocol::kGcaps) {
    daemon::DaemonOptions options;
    options.socket = socket;
    options.update_timeout_ns = options.lease_ns = ArbiterHere::kPatientNs;
    options.returning_ns = returning_ns;
    options.protocol = protocol;
    auto opened = daemon::Daemon::open(options);
    if (!opened) throw std::runtime_error(opened.error().message);
    daemon_ = std::move(*opened);
    thread_ = std::thread([this] { daemon_->run(); });
  }
  ~ArbiterAt() {
    daemon_->stop();
    thread_.join();
  }
  ArbiterAt(const ArbiterAt&) = delete;
  ArbiterAt& operator=(const ArbiterAt&) = delete;

 private:
  std::unique_ptr<daemon::Daemon> daemon_;
  std::thread thread_;
};

constexpr std::int64_t kHour = 3'600'000'000'000;

TEST(ClientInterface, ComesBackToTheNextArbiterFromInsideItsSegment) {
  const Folder folder;
  const std::string socket = folder.file("own/s");
  EXPECT_EQ(in_child([&] {
              setenv(kSocketVariable, socket.c_str(), 1);
              {
                const ArbiterAt first(socket, kHour);
                if (tactus_segment_begin(70) != TACTUS_RUNNING) return false;
              }
              const ArbiterAt second(socket, kHour);
              // It comes back by itself; whoever is less urgent has to wait for it.
              FlagClient low(socket);
              bool waits = false;
              if (!eventually([&] {
                    waits = low.begin(10) == Outcome::kPending;
                    if (!waits) low.connection.end();
                    return waits;
                  }))
                return false;
              // It was not under an arbiter all the time, and says so.
              if (tactus_segment_end() != TACTUS_UNARBITRATED) return false;
              return eventually([&] { return !low.off; });
            }),
            0);
}

TEST(ClientInterface, TellsTheNextArbiterOfABatchThatItCannotTakeOff) {
  const Folder folder;
  const std::string socket = folder.file("own/s");
  EXPECT_EQ(in_child([&] {
              setenv(kSocketVariable, socket.c_str(), 1);
              {
                const ArbiterAt first(socket, kHour, Protocol::kBoost);
                tactus_segment_begin_host(70, TACTUS_OWN_PRIORITY);
                if (tactus_segment_submit() != TACTUS_RUNNING) return false;
              }
              const ArbiterAt second(socket, 1, Protocol::kBoost);
              BoostClient other(socket);
              const auto is_told_to_be_alone = [&](bool alone) {
                other.submits(10);
                while (!other.gate_is_open()) usleep(100);
                const bool shared = other.connection.words().shared.load() != 0;
                other.finishes();
                return shared != alone;
              };
              if (!eventually([&] { return is_told_to_be_alone(false); })) return false;
              // As long as the segment lasts.
              for (int i = 0; i < 20; ++i)
                if (!is_told_to_be_alone(false)) return false;
              if (tactus_segment_end() != TACTUS_UNARBITRATED) return false;
              return eventually([&] { return is_told_to_be_alone(true); });
            }),
            0);
}

TEST(ClientInterface, IsNotHurtWhenAnotherThreadLooksForTheNextArbiterInsideItsSegment) {
  const Folder folder;
  const std::string socket = folder.file("own/s");
  EXPECT_EQ(in_child([&] {
              setenv(kSocketVariable, socket.c_str(), 1);
              {
                const ArbiterAt first(socket, kHour, Protocol::kBoost);
                if (tactus_segment_begin_host(5, TACTUS_OWN_PRIORITY) != TACTUS_RUNNING)
                  return false;
              }
              std::thread([] { tactus_protocol(); }).join();
              return tactus_segment_end() >= 0;
            }),
            0);
}

TEST(Arbiter, ThatReplacesAnotherSaysThatNobodyIsAloneUntilClientsHadTimeToComeBack) {
  const Folder folder;
  const std::string socket = folder.file("own/s");
  {
    const ArbiterAt first(socket, kHour);
    FlagClient client(socket);
    EXPECT_EQ(client.begin(5), Outcome::kRunning);  // there was none before
  }
  {
    const ArbiterAt second(socket, kHour);
    FlagClient client(socket);
    EXPECT_EQ(client.begin(5), Outcome::kShared);
  }
  const ArbiterAt third(socket, 1);
  FlagClient client(socket);
  EXPECT_TRUE(eventually([&] {
    const Outcome outcome = client.begin(5);
    client.connection.end();
    return outcome == Outcome::kRunning;
  }));
}

TEST(ClientInterface, IsNotDisturbedByTheProgramsTimers) {
  ArbiterHere arbiter;
  EXPECT_EQ(in_child([&] {
              struct sigaction action {};
              action.sa_handler = [](int) {};
              sigaction(SIGALRM, &action, nullptr);
              const itimerval often{{0, 100}, {0, 100}};
              setitimer(ITIMER_REAL, &often, nullptr);
              bool good = true;
              for (int i = 0; i < 200; ++i) {
                FlagClient client(arbiter.socket());
                good = client.connected && client.begin(1) == Outcome::kRunning && good;
                client.connection.end();
              }
              return good;
            }),
            0);
}

TEST(ClientInterface, HasWordsForEveryResult) {
  for (int result : {TACTUS_RUNNING, TACTUS_PENDING, TACTUS_UNARBITRATED, TACTUS_NESTED,
                     TACTUS_NOT_BEGUN, TACTUS_FORBIDDEN})
    EXPECT_STRNE(tactus_result_text(result), "unknown result");
  EXPECT_STREQ(tactus_result_text(99), "unknown result");
}

}  // namespace
}  // namespace tactus::arbiter::client
