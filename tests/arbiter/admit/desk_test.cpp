// Programs that reserve, keep to it or not, die and come back, under a daemon that serves them.
#include "tactus/arbiter/admit/desk.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <random>

#include "tactus/arbiter/client/ask.hpp"
#include "tactus/arbiter/client/observer.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/shared_memory.hpp"
#include "tests/arbiter/boost_client.hpp"
#include "tests/arbiter/raw_client.hpp"
#include "tests/support/read.hpp"

namespace tactus::arbiter::admit {
namespace {

System platform() {
  return support::read(
      R"({"tactus":1,"name":"robot","time_unit":"ms","platform":{"elements":[)"
      R"({"name":"cpu","kind":"cpu","units":64},{"name":"gpu","kind":"gpu","units":1,)"
      R"("preempt_cost":0.5,"resume_cost":0.5,"start_cost":0.5}]},"tasks":[]})");
}

/// An arbiter that admits. A slow machine must not look like many requests.
class ArbiterThatAdmits {
 public:
  explicit ArbiterThatAdmits(const std::string& state = "", bool limited = false,
                             bool trusts = false)
      : arbiter_(boost_options(), [&](daemon::Daemon& daemon) {
          DeskOptions options;
          options.rules.cores_shared = options.rules.cpu_trusted = trusts;
          if (trusts) options.highest_cpu_priority = kHighest;
          options.rules.most_analyses = 200;
          options.state = state;
          if (!limited) options.allowance.per_second = options.allowance.at_once = 1'000'000;
          auto desk = Desk::open(platform(), std::move(options), told);
          if (!desk) throw std::runtime_error(desk.error().message);
          EXPECT_FALSE(daemon.admit(std::move(*desk)));
        }) {}

  std::string socket() const { return arbiter_.socket(); }
  std::string log() const { return arbiter_.log(); }
  bool logged(const std::string& part) const { return arbiter_.logged(part); }
  client::AskedAnswer ask(const std::string& request) const {
    return client::ask_arbiter(socket().c_str(), request.data(), request.size());
  }
  std::string says(const std::string& request) const {
    const client::AskedAnswer answer = ask(request);
    return answer.problem != nullptr ? answer.problem : answer.word;
  }
  std::string list() const { return ask(R"({"ask":"list"})").text; }

  std::vector<std::string> told;
  static constexpr int kHighest = 20;

 private:
  ArbiterHere arbiter_;
};

constexpr char kMine[] =
    R"({"ask":"reserve","name":"mine","period":100000,"gpu":10000,"declared":true})";

TEST(AdmittedClient, HasThePlaceOfItsReservationWhateverItSays) {
  ArbiterThatAdmits arbiter;
  ASSERT_EQ(arbiter.says(kMine), "admitted");
  BoostClient client(arbiter.socket());
  client.connection.begin_job(host::now_ns());
  client.submits(7);
  EXPECT_TRUE(eventually([&] { return client.runs(); }));
  auto observer = client::Observer::open(arbiter.socket());
  ASSERT_TRUE(observer);
  const auto snapshot = observer->look();
  ASSERT_TRUE(snapshot);
  ASSERT_EQ(snapshot->clients.size(), 1U);
  EXPECT_EQ(snapshot->clients[0].reserved, 1U);
  EXPECT_EQ(snapshot->clients[0].best_effort, 0U);
  EXPECT_EQ(snapshot->clients[0].priority, 0);
  client.finishes();
  EXPECT_EQ(client.connection.demotions(), 0U);
  EXPECT_TRUE(eventually([&] {
    return std::string(arbiter.ask(R"({"ask":"list"})").json).find("\"jobs\": 1") !=
           std::string::npos;
  })) << "it is counted";
}

TEST(AdmittedClient, IsDemotedAndToldForASegmentMoreThanItAskedFor) {
  ArbiterThatAdmits arbiter;
  ASSERT_EQ(arbiter.says(kMine), "admitted");
  BoostClient client(arbiter.socket());
  client.connection.begin_job(host::now_ns());
  for (int k = 0; k < 2; ++k) {
    client.submits(7);
    EXPECT_TRUE(eventually([&] { return client.runs(); }));
    client.finishes();
  }
  EXPECT_TRUE(eventually([&] { return client.connection.demotions() == 1; }));
  EXPECT_TRUE(eventually([&] { return arbiter.logged("not one of those admitted"); }));
}

TEST(AdmittedClient, IsDemotedForBeingTooLong) {
  ArbiterThatAdmits arbiter;
  ASSERT_EQ(
      arbiter.says(R"({"ask":"reserve","period":100000,"deadline":50000,"gpu":1,"declared":true})"),
      "admitted");
  BoostClient client(arbiter.socket());
  client.connection.begin_job(host::now_ns());
  client.submits(7);
  EXPECT_TRUE(eventually([&] { return client.connection.demotions() == 1; }));
  EXPECT_TRUE(client.runs()) << "nobody else wants the GPU";
  client.finishes();
}

TEST(AdmittedClient, TakenOffMoreSlowlyThanTheFileSaysIsCounted) {
  ArbiterThatAdmits arbiter;
  ASSERT_EQ(arbiter.says(kMine), "admitted");
  BoostClient other(arbiter.socket());
  other.submits(1);
  EXPECT_TRUE(eventually([&] { return other.runs(); }));
  other.slow = true;
  BoostClient client(arbiter.socket());
  client.connection.begin_job(host::now_ns());
  client.submits(7);
  EXPECT_TRUE(eventually([&] { return other.leaving.load(); }));
  usleep(5'000);  // the file says 0.5 ms
  other.slow = false;
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"beyond\""); }));
  EXPECT_NE(arbiter.list().find("no bound covers that"), std::string::npos) << arbiter.list();
  EXPECT_TRUE(eventually([&] { return client.runs(); }));
  client.finishes();
  other.finishes();
}

TEST(AdmittedClient, WaitsForThePeriodAfterItsLastJob) {
  ArbiterThatAdmits arbiter;
  ASSERT_EQ(
      arbiter.says(
          R"({"ask":"reserve","period":100000,"deadline":90000,"gpu":10000,"declared":true})"),
      "admitted");
  BoostClient client(arbiter.socket());
  for (int k = 0; k < 2; ++k) {
    client.connection.begin_job(host::now_ns());
    client.submits(7);
    if (k > 0) break;
    EXPECT_TRUE(eventually([&] { return client.runs(); }));
    client.finishes();
  }
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"keep\""); }));
  EXPECT_FALSE(client.runs());
  EXPECT_EQ(arbiter.says(R"({"ask":"release"})"), "done");
  EXPECT_TRUE(eventually([&] { return client.runs(); })) << "it is best effort now";
  client.finishes();
}

TEST(AdmittedClient, WhoseWorkCannotLeaveWaitsUntilNobodyReliesOnThat) {
  ArbiterThatAdmits arbiter;
  ASSERT_EQ(arbiter.says(kMine), "admitted");
  BoostClient client(arbiter.socket(), BoostClient::Kind::kHold);
  client.submits(7);
  EXPECT_TRUE(eventually([&] { return arbiter.logged("nothing can take it off"); }));
  EXPECT_FALSE(client.runs());
  EXPECT_EQ(arbiter.says(R"({"ask":"release"})"), "done");
  EXPECT_TRUE(eventually([&] { return client.runs(); }));
  client.finishes();
}

TEST(AdmittedClient, WithoutAReservationIsBestEffortWhateverItSays) {
  ArbiterThatAdmits arbiter;
  BoostClient client(arbiter.socket());
  client.submits(99);
  EXPECT_TRUE(eventually([&] { return client.runs(); }));
  auto observer = client::Observer::open(arbiter.socket());
  ASSERT_TRUE(observer);
  const auto snapshot = observer->look();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->clients.at(0).best_effort, 1U);
  EXPECT_EQ(snapshot->clients.at(0).reserved, 0U);
  client.finishes();
}

/// A process that reserves and then waits to be killed.
pid_t reserve_in_a_process(const std::string& socket, const std::string& request) {
  const pid_t process = fork();
  if (process != 0) return process;
  const auto answer = client::ask_arbiter(socket.c_str(), request.data(), request.size());
  if (answer.problem != nullptr || !answer.says("admitted")) _exit(1);
  for (;;) pause();
}
void kill_it(pid_t process) {
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

TEST(AdmittedProcess, ThatIsKilledHasNoReservation) {
  ArbiterThatAdmits arbiter;
  const pid_t process = reserve_in_a_process(arbiter.socket(), kMine);
  EXPECT_TRUE(eventually([&] { return arbiter.list().find("mine") != std::string::npos; }));
  EXPECT_EQ(arbiter.says(kMine), "error") << "there is one of this name";
  EXPECT_NE(std::string(arbiter.ask(R"({"ask":"list"})").json).find("\"task\": \"mine\""),
            std::string::npos);
  kill_it(process);
  EXPECT_TRUE(eventually([&] { return arbiter.list().find("mine") == std::string::npos; }));
  EXPECT_EQ(arbiter.says(kMine), "admitted");
}

TEST(AdmittedProcess, OnASharedCoreHasThePriorityOfItsPlace) {
  sched_param low{};
  low.sched_priority = 1;
  if (pid_t probe = fork(); probe == 0) {
    _exit(sched_setscheduler(0, SCHED_FIFO, &low) == 0 ? 0 : 1);
  } else {
    int status = 0;
    waitpid(probe, &status, 0);
    if (WEXITSTATUS(status) != 0) GTEST_SKIP() << "no real-time priorities here";
  }
  ArbiterThatAdmits arbiter("", false, true);
  const auto priority = [](pid_t process) {
    sched_param now{};
    return sched_getparam(process, &now) == 0 ? now.sched_priority : -1;
  };
  const pid_t slow = reserve_in_a_process(
      arbiter.socket(), R"({"ask":"reserve","name":"slow","period":100000,"cpu":10,"core":1})");
  EXPECT_TRUE(eventually([&] { return priority(slow) == ArbiterThatAdmits::kHighest; }));
  const pid_t quick = reserve_in_a_process(
      arbiter.socket(), R"({"ask":"reserve","name":"quick","period":50000,"cpu":10,"core":1})");
  EXPECT_TRUE(eventually([&] {
    return priority(quick) == ArbiterThatAdmits::kHighest &&
           priority(slow) == ArbiterThatAdmits::kHighest - 1;
  })) << priority(quick)
      << ' ' << priority(slow);
  kill_it(quick);
  EXPECT_TRUE(eventually([&] { return priority(slow) == ArbiterThatAdmits::kHighest; }));
  kill_it(slow);
}

TEST(AdmittedProcess, KeepsItsReservationUnderTheNextArbiter) {
  const Folder folder;
  const std::string state = folder.file("state");
  pid_t process = 0;
  {
    ArbiterThatAdmits arbiter(state);
    process = reserve_in_a_process(arbiter.socket(), kMine);
    EXPECT_TRUE(eventually([&] { return arbiter.list().find("mine") != std::string::npos; }));
  }
  struct stat about {};
  ASSERT_EQ(stat(state.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600U);
  {
    ArbiterThatAdmits arbiter(state);
    EXPECT_TRUE(arbiter.told.empty());
    EXPECT_NE(arbiter.list().find("mine"), std::string::npos);
    kill_it(process);
    EXPECT_TRUE(eventually([&] { return arbiter.list().find("mine") == std::string::npos; }));
  }
}

TEST(AdmittedProcess, IsForgottenWithALineWhereTheStateIsNotOurs) {
  const Folder folder;
  const std::string state = folder.file("state");
  const auto line_after = [&](const std::string& text, mode_t mode) {
    std::ofstream(state) << text;
    chmod(state.c_str(), mode);
    ArbiterThatAdmits arbiter(state);
    return arbiter.told.empty() ? std::string() : arbiter.told[0];
  };
  EXPECT_NE(line_after("{", 0600).find("it is damaged"), std::string::npos);
  EXPECT_NE(line_after("{}", 0644).find("others may read or write it"), std::string::npos);
  EXPECT_EQ(line_after(R"({"kind":"kept-reservations"})", 0600).find("starts without earlier"), 0U);
  unlink(state.c_str());
  symlink("/etc/passwd", state.c_str());
  EXPECT_EQ(line_after("", 0600).find("starts without earlier"), 0U);
}

TEST(AdmittingArbiter, AnswersWhoeverBreaksTheProtocolByHangingUp) {
  ArbiterThatAdmits arbiter;
  for (const auto& [whole, length] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {0, 0}, {10, 0}, {10, 153}, {10, 11}, {Text::kMost + 1, 100}, {UINT32_MAX, 152}}) {
    RawClient raw(arbiter.socket());
    Message message{};
    message.kind = MessageKind::kHello;
    message.hello = {kMagic, kProtocolVersion, 1, "raw", Protocol::kAny};
    raw.say(message);
    EXPECT_EQ(raw.hear().kind, MessageKind::kWelcome);
    message = {};
    message.kind = MessageKind::kAsk;
    message.text.whole = whole;
    message.text.length = length;
    raw.say(message);
    EXPECT_EQ(raw.hear().kind, MessageKind::kRefused) << whole << ' ' << length;
    raw.hear();
    EXPECT_TRUE(raw.ended());
  }
  EXPECT_EQ(arbiter.says(kMine), "admitted");
}

TEST(AdmittingArbiter, RefusesAFloodOfRequests) {
  ArbiterThatAdmits arbiter("", true);
  int refused = 0;
  for (int k = 0; k < 200; ++k) refused += arbiter.says(R"({"ask":"list"})") == "error" ? 1 : 0;
  EXPECT_GT(refused, 0);
}

TEST(AdmittingArbiter, AnswersOthersWhileOneUserFloodsIt) {
  ArbiterThatAdmits arbiter;
  // Each of its requests is sent and not waited for.
  std::vector<std::unique_ptr<RawClient>> flood;
  int refused = 0;
  for (int k = 0; k < 60; ++k) {
    auto& raw = *flood.emplace_back(std::make_unique<RawClient>(arbiter.socket()));
    Message message{};
    message.kind = MessageKind::kHello;
    message.hello = {kMagic, kProtocolVersion, 1, "raw", Protocol::kAny};
    raw.say(message);
    EXPECT_EQ(raw.hear().kind, MessageKind::kWelcome);
    constexpr char kList[] = R"({"ask":"list"})";
    message = {};
    message.kind = MessageKind::kAsk;
    message.text.whole = message.text.length = sizeof kList - 1;
    memcpy(message.text.bytes, kList, sizeof kList - 1);
    for (int more = 0; more < 20; ++more) raw.say(message);
  }
  for (auto& raw : flood) {
    for (int more = 0; more < 20; ++more) refused += raw->hear().kind == MessageKind::kTold ? 0 : 1;
  }
  EXPECT_EQ(refused, 0) << "each has an answer, if only that too many wait";
  EXPECT_EQ(arbiter.says(kMine), "admitted");
}

TEST(AdmittingArbiter, EndsWhileSomebodyIsLeaving) {
  for (int round = 0; round < 40; ++round) {
    ArbiterThatAdmits arbiter;
    const pid_t process = reserve_in_a_process(arbiter.socket(), kMine);
    ASSERT_TRUE(eventually([&] { return arbiter.list().find("mine") != std::string::npos; }));
    kill_it(process);
    usleep(static_cast<unsigned>(round) * 5);
  }
}

TEST(OtherArbiter, SaysThatItAdmitsNobody) {
  ArbiterHere arbiter(boost_options());
  const auto answer = client::ask_arbiter(arbiter.socket().c_str(), kMine, sizeof kMine - 1);
  EXPECT_TRUE(answer.says("error"));
  EXPECT_NE(std::string(answer.text).find("admits nobody"), std::string::npos);
}

/// What the lives of the programs below have seen.
struct Seen {
  std::atomic<int> admitted{0}, refused{0}, honest_demoted{0}, liars_demoted{0}, jobs{0};
};

/// Reserves, does some jobs, honestly or not, and ends in some way. Times are far from what is admitted,
/// so that a slow machine does not look like a lie.
[[noreturn]] void live(const std::string& socket, unsigned seed, Seen& seen) {
  std::mt19937 random(seed);
  const auto some = [&](int least, int most) {
    return std::uniform_int_distribution<>(least, most)(random);
  };
  const bool liar = some(0, 1) == 1;
  const std::string request =
      liar
          ? R"({"ask":"reserve","name":"t","name_may_vary":true,"period":1000000,"deadline":900000,"gpu":1,"declared":true})"
          : R"({"ask":"reserve","name":"t","name_may_vary":true,"period":1000000,"deadline":900000,"gpu":20000,"declared":true})";
  const auto answer = client::ask_arbiter(socket.c_str(), request.data(), request.size());
  if (answer.problem != nullptr) _exit(1);
  (answer.says("admitted") ? seen.admitted : seen.refused)++;
  if (!answer.says("admitted")) _exit(0);
  {
    BoostClient client(socket);
    if (!client.connected) _exit(2);
    client.connection.begin_job(host::now_ns());
    client.submits(1);
    while (!client.runs()) usleep(200);
    if (some(0, 4) == 0) _exit(0);  // dies at work
    if (liar) {
      for (int k = 0; k < 30'000 && client.connection.demotions() == 0; ++k) usleep(1000);
    }
    client.finishes();
    ++seen.jobs;
    if (liar && client.connection.demotions() > 0) ++seen.liars_demoted;
    if (!liar && client.connection.demotions() > 0) ++seen.honest_demoted;
    if (some(0, 1) == 0) {
      constexpr char kRelease[] = R"({"ask":"release"})";
      const auto done = client::ask_arbiter(socket.c_str(), kRelease, sizeof kRelease - 1);
      if (done.problem != nullptr || !done.says("done")) _exit(3);
    }
  }
  _exit(0);
}

TEST(AdmittingArbiter, SurvivesHundredsOfProgramsThatLieAndDie) {
  constexpr int kLives = 300, kAtOnce = 8;
  ArbiterThatAdmits arbiter;
  const host::SharedMemory memory("seen", sizeof(Seen), host::SharedMemory::For::kForked);
  Seen& seen = *new (memory.at()) Seen();
  int running = 0, failed = 0;
  const auto reap = [&] {
    int status = 0;
    wait(&status);
    --running;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    ++failed;
    std::printf("a life ended with %d\n", status);
  };
  for (int life = 0; life < kLives; ++life) {
    if (running == kAtOnce) reap();
    ++running;
    if (fork() == 0) live(arbiter.socket(), static_cast<unsigned>(life), seen);
  }
  while (running > 0) reap();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(seen.honest_demoted.load(), 0);
  EXPECT_GT(seen.liars_demoted.load(), 20);
  EXPECT_GT(seen.admitted.load(), 100);
  EXPECT_TRUE(eventually([&] {
    return arbiter.ask(R"({"ask":"list"})").text == std::string("Nobody has a reservation.\n") ||
           arbiter.list().starts_with("Nobody has");
  })) << arbiter.list();
  EXPECT_FALSE(arbiter.logged("invariant"));
  std::printf("%d admitted, %d refused, %d jobs, %d liars demoted\n", seen.admitted.load(),
              seen.refused.load(), seen.jobs.load(), seen.liars_demoted.load());
}

}  // namespace
}  // namespace tactus::arbiter::admit
