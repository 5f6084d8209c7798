// The daemon for boost and its clients, in one process.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>

#include "tactus/arbiter/client/observer.hpp"
#include "tactus/host/clock.hpp"
#include "tests/arbiter/boost_client.hpp"
#include "tests/arbiter/raw_client.hpp"

namespace tactus::arbiter {
namespace {

struct BoostArbiter : testing::Test {
  explicit BoostArbiter(daemon::DaemonOptions options = boost_options())
      : arbiter(std::move(options)) {}
  ~BoostArbiter() override { EXPECT_FALSE(arbiter.logged("invariant")) << arbiter.log(); }

  client::Snapshot look() const {
    auto observer = client::Observer::open(arbiter.socket());
    EXPECT_TRUE(observer);
    auto snapshot = observer->look();
    EXPECT_TRUE(snapshot);
    return *snapshot;
  }

  ArbiterHere arbiter;
};

TEST_F(BoostArbiter, OpensTheGateOfATaskThatIsAloneAndNothingElse) {
  BoostClient task(arbiter.socket());
  ASSERT_TRUE(task.connected) << task.connection.problem();
  for (int job = 0; job < 20; ++job) {
    task.submits(3);
    EXPECT_TRUE(eventually([&] { return task.runs(); }));
    task.finishes();
    EXPECT_TRUE(
        eventually([&] { return task.connection.words().completed.load() == task.segment; }));
  }
  EXPECT_TRUE(eventually([&] { return look().boost.completions == 20; }));
  const client::Snapshot seen = look();
  EXPECT_EQ(seen.boost.starts, 20U);
  EXPECT_EQ(seen.boost.offs + seen.boost.ons, 0U);
  EXPECT_EQ(seen.clients[0].segments, 20U);
}

TEST_F(BoostArbiter, KeepsAGateShutUntilItsSegmentIsSubmitted) {
  BoostClient task(arbiter.socket()), other(arbiter.socket());
  task.segment = task.connection.begin_batch();
  other.submits(1);
  EXPECT_TRUE(eventually([&] { return other.runs(); }));
  EXPECT_FALSE(task.gate_is_open());
  other.finishes();
  task.connection.submit_batch(Urgency::real_time(1), 1, 1, StartSeen::kAtTheGate);
  EXPECT_TRUE(eventually([&] { return task.runs(); }));
}

TEST_F(BoostArbiter, TakesASegmentOffForAMoreUrgentOneAndPutsItBack) {
  BoostClient low(arbiter.socket()), high(arbiter.socket());
  low.submits(1);
  EXPECT_TRUE(eventually([&] { return low.runs(); }));
  high.submits(2);
  EXPECT_TRUE(eventually([&] { return high.runs(); }));
  EXPECT_TRUE(low.off);
  high.finishes();
  EXPECT_TRUE(eventually([&] { return low.runs(); }));
  low.finishes();
  EXPECT_TRUE(eventually([&] { return look().boost.completions == 2; }));
  const BoostSummary costs = look().boost;
  EXPECT_EQ(costs.offs, 1U);
  EXPECT_EQ(costs.ons, 1U);
  EXPECT_GT(costs.off_max_ns, 0);
  EXPECT_GT(costs.on_max_ns, 0);
}

TEST_F(BoostArbiter, LetsASegmentFinishBelowItsThreshold) {
  BoostClient low(arbiter.socket()), high(arbiter.socket()), highest(arbiter.socket());
  low.submits(1, 2);
  EXPECT_TRUE(eventually([&] { return low.runs(); }));
  high.submits(2);
  highest.submits(3);
  EXPECT_TRUE(eventually([&] { return highest.runs(); }));
  EXPECT_TRUE(low.off);
  highest.finishes();
  EXPECT_TRUE(eventually([&] { return low.runs(); }));
  EXPECT_FALSE(high.gate_is_open());
  low.finishes();
  EXPECT_TRUE(eventually([&] { return high.runs(); }));
}

TEST_F(BoostArbiter, NeverTakesOffASegmentOfTheTierHold) {
  BoostClient hold(arbiter.socket(), BoostClient::Kind::kHold), high(arbiter.socket());
  hold.submits(std::nullopt);
  EXPECT_TRUE(eventually([&] { return hold.runs(); }));
  high.submits(9);
  EXPECT_TRUE(eventually([&] { return look().summary.begins == 2; }));
  EXPECT_FALSE(high.gate_is_open());
  hold.finishes();
  EXPECT_TRUE(eventually([&] { return high.runs(); }));
  EXPECT_EQ(look().boost.offs, 0U);
}

TEST_F(BoostArbiter, RunsBestEffortOneAtATimeInTheOrderOfTheirSubmits) {
  BoostClient a(arbiter.socket()), b(arbiter.socket()), c(arbiter.socket());
  a.submits(std::nullopt);
  EXPECT_TRUE(eventually([&] { return a.runs(); }));
  c.submits(std::nullopt);
  EXPECT_TRUE(eventually([&] { return look().summary.begins == 2; }));
  b.submits(std::nullopt);
  EXPECT_TRUE(eventually([&] { return look().summary.begins == 3; }));
  a.finishes();
  EXPECT_TRUE(eventually([&] { return c.runs(); }));
  EXPECT_FALSE(b.gate_is_open());
  c.finishes();
  EXPECT_TRUE(eventually([&] { return b.runs(); }));
}

TEST_F(BoostArbiter, NeedsNoOnForASegmentThatCompletesWhileItIsTakenOff) {
  BoostClient low(arbiter.socket()), high(arbiter.socket());
  low.submits(1);
  EXPECT_TRUE(eventually([&] { return low.runs(); }));
  low.slow = true;
  high.submits(2);
  EXPECT_TRUE(eventually([&] { return low.leaving.load(); }));
  low.marks();
  EXPECT_TRUE(eventually([&] { return arbiter.logged("complete"); }));
  EXPECT_FALSE(high.gate_is_open()) << "an operation is never interrupted";
  low.slow = false;
  EXPECT_TRUE(eventually([&] { return high.runs(); }));
  low.connection.finish_batch();
  EXPECT_FALSE(low.off) << "switched back before its next Submit";
  low.submits(1);
  high.finishes();
  EXPECT_TRUE(eventually([&] { return low.runs(); }));
  EXPECT_EQ(look().boost.ons, 0U);
}

TEST_F(BoostArbiter, GoesOnWhenTheClientThatIsOnDies) {
  BoostClient other(arbiter.socket());
  {
    BoostClient dies(arbiter.socket());
    dies.submits(5);
    EXPECT_TRUE(eventually([&] { return dies.runs(); }));
    other.submits(1);
  }
  EXPECT_TRUE(eventually([&] { return other.runs(); }));
}

TEST_F(BoostArbiter, GoesOnWithoutAClientThatCannotBeTakenOffAndSaysSo) {
  BoostClient stubborn(arbiter.socket()), high(arbiter.socket());
  stubborn.submits(1);
  EXPECT_TRUE(eventually([&] { return stubborn.runs(); }));
  stubborn.refuses = true;
  high.submits(2);
  EXPECT_TRUE(eventually([&] { return high.runs(); }));
  EXPECT_EQ(high.connection.words().shared.load(), 1U);
  EXPECT_EQ(look().summary.shared, 1U);
}

TEST_F(BoostArbiter, OpensAllGatesWhenItEnds) {
  BoostClient on(arbiter.socket()), waits(arbiter.socket()), begun(arbiter.socket());
  on.submits(5);
  EXPECT_TRUE(eventually([&] { return on.runs(); }));
  waits.submits(1);
  begun.segment = begun.connection.begin_batch();
  EXPECT_FALSE(waits.gate_is_open());
  arbiter.stop();
  EXPECT_TRUE(eventually([&] { return waits.runs() && begun.runs(); }));
}

TEST_F(BoostArbiter, TellsClientsOfTheOtherKindWhatIsWrong) {
  FlagClient client(arbiter.socket());
  EXPECT_FALSE(client.connected);
  EXPECT_NE(std::string(client.connection.problem()).find("it speaks boost"), std::string::npos);
  ArbiterHere gcaps;
  BoostClient batch(gcaps.socket());
  EXPECT_FALSE(batch.connected);
  EXPECT_NE(std::string(batch.connection.problem()).find("it speaks gcaps"), std::string::npos);
}

TEST_F(BoostArbiter, SendsAwayWhoeverBreaksTheProtocol) {
  const auto say = [&](const Message& message) {
    RawClient raw(arbiter.socket());
    Message hello{};
    hello.kind = MessageKind::kHello;
    hello.hello = {kMagic, kProtocolVersion, 0, "raw", Protocol::kBoost};
    raw.say(hello);
    EXPECT_EQ(raw.hear().kind, MessageKind::kWelcome);
    raw.say(message);
    return raw.hear().refused.reason;
  };
  Message message{};
  message.kind = MessageKind::kSubmit;
  message.submit = {1, 0, 5, 4, 1, 0, 0, StartSeen::kNever, 0, 0, 0, 0};
  EXPECT_EQ(say(message), Refusal::kMalformed) << "a threshold below the priority";
  message.submit = {1, 0, 5, 5, kMostMarks + 1, 0, 0, StartSeen::kNever, 0, 0, 0, 0};
  EXPECT_EQ(say(message), Refusal::kMalformed) << "too many marks";
  message.submit = {1, 0, 5, 5, 0, 0, 0, StartSeen::kNever, 0, 0, 0, 0};
  EXPECT_EQ(say(message), Refusal::kMalformed) << "no mark, so no end";
  message.kind = MessageKind::kBegin;
  message.segment = {1, 0, 5};
  EXPECT_EQ(say(message), Refusal::kMalformed) << "a segment of gcaps";
}

TEST_F(BoostArbiter, ServesOthersWhateverAClientSays) {
  std::mt19937 random(5);
  BoostClient honest(arbiter.socket());
  for (int round = 0; round < 40; ++round) {
    RawClient raw(arbiter.socket());
    Message message{};
    message.kind = MessageKind::kHello;
    message.hello = {kMagic, kProtocolVersion, 0, "raw", Protocol::kBoost};
    raw.say(message);
    EXPECT_EQ(raw.hear().kind, MessageKind::kWelcome);
    for (int word = 0; word < 20; ++word) {
      message = Message{};
      message.kind = static_cast<MessageKind>(1 + random() % 9);
      // Mostly of the right form, so that not all of them end the conversation.
      message.submit = {static_cast<std::uint32_t>(random() % 3),
                        static_cast<std::uint32_t>(random() % 2),
                        static_cast<std::int32_t>(random() % 5),
                        static_cast<std::int32_t>(5 + random() % 3),
                        static_cast<std::uint32_t>(1 + random() % 3),
                        static_cast<std::uint32_t>(random() % 2),
                        0,
                        static_cast<StartSeen>(random() % 4),
                        static_cast<std::uint32_t>(random() % 3),
                        static_cast<std::uint32_t>(random() % 200),
                        static_cast<std::int64_t>(random()),
                        static_cast<std::uint32_t>(random() % 3)};
      raw.say_bytes(&message, sizeof message);
    }
    honest.submits(9);
    EXPECT_TRUE(eventually([&] { return honest.runs(); }));
    honest.finishes();
  }
}

TEST_F(BoostArbiter, CountsGatesThatClientsOpenThemselves) {
  setenv(kGateLimitVariable, "20", 1);
  BoostClient slow(arbiter.socket());
  unsetenv(kGateLimitVariable);
  slow.segment = slow.connection.begin_batch();
  EXPECT_TRUE(eventually([&] { return slow.runs(); }));
  EXPECT_TRUE(slow.connection.forced());
  EXPECT_EQ(slow.connection.times_forced(), 1U);
  EXPECT_TRUE(eventually([&] { return look().boost.forced == 1; }));
  EXPECT_EQ(look().clients[0].forced, 1U);
  // It is a segment like any other, whose work may be complete before it is started.
  slow.marks();
  slow.connection.submit_batch(Urgency::real_time(1), 1, 1, StartSeen::kAtTheGate);
  EXPECT_TRUE(eventually([&] { return look().boost.completions == 1; }));
}

TEST_F(BoostArbiter, DoesNotShutAGateThatItsClientHasOpenedFurther) {
  BoostClient other(arbiter.socket()), hasty(arbiter.socket());
  other.submits(9);
  EXPECT_TRUE(eventually([&] { return other.runs(); }));
  hasty.submits(1);
  const std::uint32_t first = hasty.segment;
  hasty.segment = hasty.connection.begin_batch();
  hasty.connection.force_gate();
  other.finishes();
  EXPECT_TRUE(eventually([&] {
    return arbiter.logged(fmt::format(R"("open", "client": 2, "segment": {})", first));
  })) << arbiter.log();
  EXPECT_TRUE(hasty.gate_is_open());
}

TEST_F(BoostArbiter, ShowsWhoIsOnAndWhoWaits) {
  BoostClient low(arbiter.socket()), high(arbiter.socket());
  low.submits(1, 7);
  EXPECT_TRUE(eventually([&] { return low.runs(); }));
  high.submits(2);
  EXPECT_TRUE(eventually([&] { return look().clients[1].active == 1; }));
  const client::Snapshot seen = look();
  EXPECT_EQ(seen.summary.rule, kRuleBoost);
  EXPECT_EQ(seen.clients[0].threshold, 7);
  EXPECT_EQ(seen.clients[0].on, 1U);
  EXPECT_EQ(seen.clients[1].on, 0U);
}

/// A whole program: its tier is its gate.
struct Program : FlagClient {
  explicit Program(const std::string& socket) : FlagClient("/nowhere") {
    connection.set_protocol(Protocol::kAny);
    connected = connection.open(socket.c_str(), "program");
  }
};

TEST_F(BoostArbiter, HoldsAProgramWithoutSegmentsByItsTier) {
  BoostClient task(arbiter.socket());
  task.submits(5);
  EXPECT_TRUE(eventually([&] { return task.runs(); }));
  Program program(arbiter.socket());
  ASSERT_TRUE(program.connected) << program.connection.problem();
  EXPECT_EQ(program.begin_best_effort(), client::Outcome::kPending);
  EXPECT_TRUE(program.off);
  task.finishes();
  EXPECT_TRUE(eventually([&] { return !program.off; }));
  task.submits(5);
  EXPECT_TRUE(eventually([&] { return task.runs(); }));
  EXPECT_TRUE(program.off);
  task.finishes();
  EXPECT_TRUE(eventually([&] { return !program.off; }));
}

TEST_F(BoostArbiter, PutsAProgramBackWhenItEnds) {
  BoostClient task(arbiter.socket());
  task.submits(5);
  EXPECT_TRUE(eventually([&] { return task.runs(); }));
  Program program(arbiter.socket());
  program.begin(3);
  EXPECT_TRUE(program.off);
  arbiter.stop();
  EXPECT_TRUE(eventually([&] { return !program.off; }));
}

struct BoostArbiterWithShortSlices : BoostArbiter {
  BoostArbiterWithShortSlices()
      : BoostArbiter(boost_options([](auto& options) { options.slice_ns = 2'000'000; })) {}
};

TEST_F(BoostArbiterWithShortSlices, LetsProgramsTakeTurns) {
  Program a(arbiter.socket()), b(arbiter.socket());
  a.begin_best_effort();
  b.begin_best_effort();
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_TRUE(eventually([&] { return !a.off && b.off; }));
    EXPECT_TRUE(eventually([&] { return a.off && !b.off; }));
  }
}

TEST_F(BoostArbiter, PromisesSharesOnce) {
  Program first(arbiter.socket()), second(arbiter.socket()), third(arbiter.socket());
  first.connection.begin({true, 0, 60}, client::Waiting::kSuspend);
  EXPECT_TRUE(eventually([&] { return look().clients[0].share == 60U; }));
  second.connection.begin({true, 0, 40}, client::Waiting::kSuspend);
  EXPECT_TRUE(eventually([&] { return second.connection.share_refused(); }));
  EXPECT_EQ(look().clients[1].share, 0U);
  EXPECT_EQ(look().clients[1].active, 1U) << "it is best effort without it";
  EXPECT_FALSE(first.connection.share_refused());
  third.connection.begin({true, 0, 35}, client::Waiting::kSuspend);
  EXPECT_TRUE(eventually([&] { return look().clients[2].share == 35U; }));
  // Again, as after an order that was lost: its own share is not in its way.
  first.connection.begin({true, 0, 60}, client::Waiting::kSuspend);
  EXPECT_FALSE(first.connection.share_refused());
}

struct BoostArbiterForRealTimeUsers : BoostArbiter {
  BoostArbiterForRealTimeUsers()
      : BoostArbiter(boost_options(
            [](auto& options) { EXPECT_FALSE(options.permissions.add("*:best-effort")); })) {}
};

TEST_F(BoostArbiterForRealTimeUsers, TakesNoShareFromThemForOthers) {
  Program program(arbiter.socket());
  program.connection.begin({true, 0, 10}, client::Waiting::kSuspend);
  EXPECT_TRUE(eventually([&] { return program.connection.share_refused(); }));
  EXPECT_EQ(look().clients[0].share, 0U);
}

struct ImpatientBoostArbiter : BoostArbiter {
  ImpatientBoostArbiter()
      : BoostArbiter(boost_options([](auto& options) { options.update_timeout_ns = 20'000'000; })) {
  }
};

TEST_F(ImpatientBoostArbiter, GoesOnWithoutAClientThatDoesNotConfirm) {
  BoostClient frozen(arbiter.socket()), high(arbiter.socket());
  frozen.submits(1);
  EXPECT_TRUE(eventually([&] { return frozen.runs(); }));
  frozen.slow = true;
  high.submits(2);
  EXPECT_TRUE(eventually([&] { return high.runs(); }));
  EXPECT_EQ(high.connection.words().shared.load(), 1U);
  EXPECT_EQ(look().summary.late, 1U);
  frozen.slow = false;
  EXPECT_TRUE(eventually([&] { return look().clients[0].silent == 0; }));
}

struct BoostArbiterWithABudget : BoostArbiter {
  BoostArbiterWithABudget()
      : BoostArbiter(boost_options([](auto& options) { options.budget_ns = 1'000'000; })) {}
};

TEST_F(BoostArbiterWithABudget, ReportsASegmentThatHasTheGpuForTooLong) {
  BoostClient task(arbiter.socket()), other(arbiter.socket());
  task.submits(5);
  EXPECT_TRUE(eventually([&] { return look().clients[0].overstays == 1; }));
  other.submits(1);  // to wait is no stay
  task.finishes();
  EXPECT_TRUE(eventually([&] { return other.runs(); }));
  EXPECT_EQ(look().clients[0].overstays, 1U);
}

struct BoostArbiterForFew : BoostArbiter {
  BoostArbiterForFew()
      : BoostArbiter(
            boost_options([](auto& options) { EXPECT_FALSE(options.permissions.add("*:1-5")); })) {}
};

TEST_F(BoostArbiterForFew, ForbidsPrioritiesAndThresholdsOfOthers) {
  BoostClient client(arbiter.socket());
  const auto answer = [&](int priority, int threshold) {
    client.submits(priority, threshold);
    EXPECT_TRUE(eventually([&] {
      return client.runs() || client.connection.words().answered.load() == client.segment;
    }));
    const bool let_in = client.runs();
    client.finishes();
    return let_in;
  };
  EXPECT_FALSE(answer(6, 6));
  EXPECT_FALSE(answer(1, 6));
  EXPECT_TRUE(answer(1, 5));
}

struct BoostArbiterForBestEffort : BoostArbiter {
  BoostArbiterForBestEffort()
      : BoostArbiter([] {
          auto options = boost_options();
          EXPECT_FALSE(options.permissions.add("*:best-effort"));
          return options;
        }()) {}
};

TEST_F(BoostArbiterForBestEffort, ForbidsWorkThatNothingCanTakeOff) {
  for (const auto kind : {BoostClient::Kind::kPreemptable, BoostClient::Kind::kHold}) {
    BoostClient client(arbiter.socket(), kind);
    client.submits({});
    EXPECT_TRUE(eventually([&] {
      return client.runs() || client.connection.words().answered.load() == client.segment;
    }));
    EXPECT_EQ(client.runs(), kind == BoostClient::Kind::kPreemptable);
    client.finishes();
  }
}

TEST_F(BoostArbiter, IsNotConfusedByAClientThatGivesANumberTwice) {
  RawClient twice(arbiter.socket());
  twice.hello(Protocol::kBoost);
  Message submit{};
  submit.kind = MessageKind::kSubmit;
  submit.submit = {1, 0, 1, 1, 1, 0, 0, StartSeen::kAtTheGate, 0, 0, 0, 0};
  twice.say(submit);
  ASSERT_TRUE(eventually([&] { return arbiter.logged("\"open\""); }));
  BoostClient high(arbiter.socket());
  high.submits(9);
  const Message off = twice.hear();
  ASSERT_EQ(off.order.state, OrderState::kOff);
  twice.say(submit);  // while it is being taken off
  twice.confirm(off.order.order);
  EXPECT_TRUE(eventually([&] { return high.runs(); }));
}

}  // namespace
}  // namespace tactus::arbiter
