// Fifty real processes with real work, begun, ended and killed at random. What they did is taken
// from their own logs, in memory the arbiter knows nothing of, and held against the rule.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tactus/arbiter/client/process_tier.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tests/arbiter/arbiter_here.hpp"

namespace tactus::arbiter {
namespace {

using client::Connection;
using client::Outcome;
using client::ProcessTier;
using client::Waiting;

constexpr std::size_t kClients = 50;
constexpr std::size_t kLives = 2000;  ///< a killed client is replaced, and lives again
constexpr std::size_t kMostSpans = 8192;
/// A worker looks at the clock all the time; a longer gap means that it did not run.
constexpr std::int64_t kGapNs = 5'000;

struct Span {
  std::int64_t from, to;
};

/// One client process and its worker, from fork to death.
struct Life {
  Urgency urgency;
  std::atomic<std::uint32_t> span_count, segment_count;
  std::atomic<std::uint32_t> work_us, worked, unarbitrated;
  std::atomic<std::uint32_t> follows;  ///< the worker dies with its parent from now on
  std::int64_t killed_at;
  Span spans[kMostSpans];     ///< when the worker was seen to run
  Span segments[kMostSpans];  ///< from begin's return to end's call
};

void sleep_us(std::int64_t us) {
  const timespec nap{0, static_cast<long>(us * 1000)};
  nanosleep(&nap, nullptr);
}

[[noreturn]] void worker(Life& life, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died first, and that signal will not come
  life.follows.store(1);
  for (;;) {
    while (life.work_us.load() == 0) host::futex_wait(life.work_us, 0);
    const std::int64_t wanted = static_cast<std::int64_t>(life.work_us.exchange(0)) * 1000;
    std::int64_t from = host::now_ns(), last = from, worked = 0;
    while (worked < wanted) {
      const std::int64_t now = host::now_ns();
      if (now - last > kGapNs) {
        const std::uint32_t at = life.span_count.load();
        life.spans[at % kMostSpans] = {from, last};
        life.span_count.store(at + 1);
        from = now;
      } else {
        worked += now - last;
      }
      last = now;
    }
    const std::uint32_t at = life.span_count.load();
    life.spans[at % kMostSpans] = {from, last};
    life.span_count.store(at + 1);
    life.worked.store(1);
    host::futex_wake_all(life.worked);
  }
}

[[noreturn]] void live(Life& life, const std::string& socket, unsigned seed,
                       const std::atomic<bool>& over) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) worker(life, self);
  // A worker that is stopped before it follows would outlive everybody.
  while (life.follows.load() == 0) sleep_us(100);
  std::mt19937 random(seed);
  ProcessTier work(child);
  Connection connection;
  connection.set_tier(work.tier());
  // On a busy machine the arbiter may be slow to answer, which counts as no arbiter; here it does
  // not.
  while (!socket.empty() && !connection.open(socket.c_str(), "stress")) sleep_us(1000);
  while (!over.load()) {
    sleep_us(std::uniform_int_distribution<>(0, 20'000)(random));
    const Outcome outcome = connection.begin(life.urgency, Waiting::kSuspend);
    if (outcome == Outcome::kUnarbitrated) life.unarbitrated.fetch_add(1);
    const std::uint32_t at = life.segment_count.load();
    Span& segment = life.segments[at % kMostSpans];
    segment = {host::now_ns(), INT64_MAX};
    life.segment_count.store(at + 1);
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
  _exit(0);
}

struct Seen {
  Span span;
  std::size_t life;
};

std::vector<Seen> collect(const std::vector<const Life*>& lives, Span (Life::*spans)[kMostSpans],
                          std::atomic<std::uint32_t> Life::*count) {
  std::vector<Seen> all;
  for (std::size_t i = 0; i < lives.size(); ++i) {
    const Life& life = *lives[i];
    const std::int64_t end = life.killed_at != 0 ? life.killed_at : INT64_MAX;
    for (std::uint32_t s = 0; s < std::min<std::uint32_t>((life.*count).load(), kMostSpans); ++s) {
      Span span = (life.*spans)[s];
      span.to = std::min(span.to, end);
      if (span.from < span.to) all.push_back({span, i});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Seen& a, const Seen& b) { return a.span.from < b.span.from; });
  return all;
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
  auto* lives = static_cast<Life*>(mmap(nullptr, kLives * sizeof(Life), PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  auto* over = static_cast<std::atomic<bool>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  Tally result;
  std::mt19937 random(7);
  std::size_t born = 0;
  std::vector<pid_t> processes(kClients);
  std::vector<std::size_t> life_of(kClients);
  const auto give_life = [&](std::size_t client) {
    Life& life = lives[born];
    if (client % 5 != 0) life.urgency = Urgency::real_time(static_cast<int>(client % 7));
    life_of[client] = born++;
    processes[client] = fork();
    if (processes[client] == 0)
      live(life, socket, static_cast<unsigned>(born * 1000 + client), *over);
  };
  for (std::size_t client = 0; client < kClients; ++client) give_life(client);

  const std::int64_t end = host::now_ns() + seconds * std::int64_t{1'000'000'000};
  while (host::now_ns() < end && born < kLives) {
    sleep_us(std::uniform_int_distribution<>(5'000, 60'000)(random));
    const std::size_t victim = random() % kClients;
    lives[life_of[victim]].killed_at = host::now_ns();
    kill(processes[victim], SIGKILL);
    waitpid(processes[victim], nullptr, 0);
    ++result.kills;
    give_life(victim);
  }
  over->store(true);
  for (pid_t process : processes) {
    int status = -1;
    waitpid(process, &status, 0);
    result.failed += status == 0 ? 0 : 1;
  }

  std::vector<const Life*> all;
  for (std::size_t i = 0; i < born; ++i) {
    all.push_back(&lives[i]);
    result.segments += lives[i].segment_count;
    result.unarbitrated += lives[i].unarbitrated;
    EXPECT_LT(lives[i].span_count, kMostSpans);
  }
  const std::vector<Seen> ran = collect(all, &Life::spans, &Life::span_count);
  const std::vector<Seen> active = collect(all, &Life::segments, &Life::segment_count);
  result.stretches = ran.size();
  for_each_overlap(ran, ran, [&](const Seen& a, const Seen& b) {
    const bool shared = all[a.life]->urgency.best_effort && all[b.life]->urgency.best_effort;
    result.together += shared ? 0 : 1;
  });
  for_each_overlap(ran, active, [&](const Seen& running, const Seen& waiting) {
    result.inverted += all[waiting.life]->urgency.above(all[running.life]->urgency) ? 1 : 0;
  });
  munmap(lives, kLives * sizeof(Life));
  munmap(over, 4096);
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
