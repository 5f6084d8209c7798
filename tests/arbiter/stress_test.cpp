// Fifty real processes with real work, begun, ended and killed at random. What they did is held
// against the rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tactus/arbiter/client/process_tier.hpp"
#include "tactus/host/futex.hpp"
#include "tests/arbiter/arbiter_here.hpp"
#include "tests/arbiter/short_lives.hpp"

namespace tactus::arbiter {
namespace {

using client::Connection;
using client::Outcome;
using client::ProcessTier;
using client::Waiting;

constexpr std::size_t kClients = 50, kLives = 2000;

/// One client process and its worker, from fork to death.
struct Life {
  Urgency urgency;
  std::atomic<std::uint32_t> work_us, worked, unarbitrated;
  std::atomic<std::uint32_t> follows;  ///< the worker dies with its parent from now on
  std::int64_t killed_at;
  SpanLog spans;     ///< when the worker was seen to run
  SpanLog segments;  ///< from begin's return to end's call
};

[[noreturn]] void worker(Life& life, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died first, and that signal will not come
  life.follows.store(1);
  for (;;) {
    while (life.work_us.load() == 0) host::futex_wait(life.work_us, 0);
    const std::int64_t wanted = static_cast<std::int64_t>(life.work_us.exchange(0)) * 1000;
    work_and_note(life.spans, wanted, [] { return false; });
    life.worked.store(1);
    host::futex_wake_all(life.worked);
  }
}

void live(Life& life, const std::string& socket, std::size_t client, unsigned seed,
          const std::atomic<bool>& over) {
  if (client % 5 != 0) life.urgency = Urgency::real_time(static_cast<int>(client % 7));
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) worker(life, self);
  // A worker that is stopped before it follows would outlive everybody.
  while (life.follows.load() == 0) host::nap_ns(100'000);
  std::mt19937 random(seed);
  ProcessTier work(child);
  Connection connection;
  connection.set_tier(work.tier());
  // On a busy machine the arbiter may be slow to answer, which counts as no arbiter; here it does
  // not.
  while (!socket.empty() && !connection.open(socket.c_str(), "stress")) host::nap_ns(1'000'000);
  while (!over.load()) {
    host::nap_ns(std::uniform_int_distribution<std::int64_t>(0, 20'000)(random) * 1000);
    const Outcome outcome = connection.begin(life.urgency, Waiting::kSuspend);
    if (outcome == Outcome::kUnarbitrated) life.unarbitrated.fetch_add(1);
    Span& segment = life.segments.spans[life.segments.used.load() % SpanLog::kMost];
    life.segments.note({host::now_ns(), INT64_MAX});  // if it is killed, until then
    life.worked.store(0);
    life.work_us.store(std::uniform_int_distribution<std::uint32_t>(20, 1000)(random));
    host::futex_wake_all(life.work_us);
    while (life.worked.load() == 0) host::futex_wait(life.worked, 0);
    segment.to = host::now_ns();
    connection.end();
  }
  connection.close();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

/// Calls `pair(a, b)` for every two spans of different lives that overlap, a from the first list.
template <typename Pair>
void for_each_overlap(const std::vector<Seen>& first, const std::vector<Seen>& second,
                      const Pair& pair) {
  std::int64_t longest = 0;
  for (const Seen& s : second) longest = std::max(longest, s.span.to - s.span.from);
  for (const Seen& a : first) {
    const std::int64_t earliest = longest > a.span.from ? 0 : a.span.from - longest;
    auto at = std::lower_bound(second.begin(), second.end(), earliest,
                               [](const Seen& s, std::int64_t t) { return s.span.from < t; });
    for (; at != second.end() && at->span.from < a.span.to; ++at) {
      if (at->life != a.life && at->span.to > a.span.from) pair(a, *at);
    }
  }
}

struct Tally {
  std::size_t segments = 0, stretches = 0, kills = 0;
  std::size_t together = 0;  ///< pairs that ran at once, one of them real-time
  std::size_t inverted = 0;  ///< one ran while a more urgent one was active
  std::size_t unarbitrated = 0, failed = 0;
};

/// @param socket where the arbiter is; empty: there is none, to see that breaches are found
Tally stress(int seconds, const std::string& socket) {
  ShortLives<Life> lives(kClients, kLives);
  lives.run(seconds, 7,
            [&](Life& life, std::size_t client, std::size_t born, const std::atomic<bool>& over) {
              live(life, socket, client, static_cast<unsigned>(born * 1000 + client), over);
            });
  Tally result;
  result.kills = lives.kills();
  result.failed = lives.failed();
  for (std::size_t i = 0; i < lives.size(); ++i) {
    result.segments += lives[i].segments.used;
    result.unarbitrated += lives[i].unarbitrated;
    EXPECT_LT(lives[i].spans.used, SpanLog::kMost);
  }
  const std::vector<Seen> ran = lives.collect(&Life::spans);
  const std::vector<Seen> active = lives.collect(&Life::segments);
  result.stretches = ran.size();
  for_each_overlap(ran, ran, [&](const Seen& a, const Seen& b) {
    const bool shared = lives[a.life].urgency.best_effort && lives[b.life].urgency.best_effort;
    result.together += shared ? 0 : 1;
  });
  for_each_overlap(ran, active, [&](const Seen& running, const Seen& waiting) {
    result.inverted += lives[waiting.life].urgency.above(lives[running.life].urgency) ? 1 : 0;
  });
  return result;
}

TEST(Stress, FiftyProcessesBeginEndAndDieAndNoRuleIsEverBroken) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer knows only one new thread in a forked child";
#endif
  ArbiterHere arbiter;
  const Tally result = stress(std::getenv("TACTUS_FULL") != nullptr ? 60 : 6, arbiter.socket());
  EXPECT_EQ(result.together, 0U);
  EXPECT_EQ(result.inverted, 0U);
  EXPECT_EQ(result.unarbitrated, 0U);
  EXPECT_EQ(result.failed, 0U);  // nobody was left waiting
  EXPECT_FALSE(arbiter.logged("\"late\""));
  EXPECT_GT(result.segments, kClients);
  EXPECT_GT(result.kills, 0U);
  std::printf("%zu segments, %zu stretches of work, %zu kills\n", result.segments, result.stretches,
              result.kills);
}

TEST(Stress, WithoutAnArbiterTheSameCheckFindsBreaches) {
  const Tally result = stress(1, "");
  EXPECT_GT(result.inverted, 0U);
  EXPECT_EQ(result.unarbitrated, result.segments);
}

}  // namespace
}  // namespace tactus::arbiter
