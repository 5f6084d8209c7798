// Processes with real work that submit, complete and are killed at random, under an arbiter for boost.
// What they did is taken from their own logs, in memory the arbiter knows nothing of: no two of them
// ever worked at once.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tactus/host/clock.hpp"
#include "tests/arbiter/boost_client.hpp"

namespace tactus::arbiter {
namespace {

constexpr std::size_t kClients = 12, kLives = 400, kMostSpans = 8192;
/// A worker looks at the clock all the time; a longer gap means that it did not run.
constexpr std::int64_t kGapNs = 5'000;

struct Span {
  std::int64_t from, to;
};

/// One client process, from fork to death.
struct Life {
  std::atomic<std::uint32_t> spans_used, segments, lost, times_off;
  std::int64_t killed_at;
  Span spans[kMostSpans];  ///< when its work was seen to run
};

void nap(long us) {
  const timespec time{0, us * 1000};
  nanosleep(&time, nullptr);
}

/// A GPU of one's own: a thread that works when the gate is open, and not while it is off.
class Device {
 public:
  explicit Device(Life& life) : life_(life) {}

  /// Begins with a job when `gate` has come to it.
  void enqueue(const std::atomic<std::uint32_t>* gate, std::atomic<std::uint32_t>* mark,
               std::uint32_t segment, std::int64_t work_ns) {
    gate_ = gate, mark_ = mark, segment_ = segment, work_ns_ = work_ns;
    job_.store(1);
  }
  [[noreturn]] void serve() {
    for (;;) {
      while (job_.load() == 0) nap(20);
      while (gate_ != nullptr && !reached(gate_->load(), segment_)) nap(20);
      work();
      job_.store(0);
      mark_->store(segment_);
    }
  }
  Tier tier() {
    Tier tier;
    tier.name = "device";
    tier.self = this;
    tier.take_off = [](void* self, std::int64_t) {
      auto& device = *static_cast<Device*>(self);
      device.life_.times_off.fetch_add(1);
      device.off_.store(true);
      while (device.working_.load()) nap(5);
      return TierResult::kDone;
    };
    tier.put_back = [](void* self) {
      static_cast<Device*>(self)->off_.store(false);
      return TierResult::kDone;
    };
    return tier;
  }

 private:
  void work() {
    std::int64_t worked = 0;
    while (worked < work_ns_) {
      working_.store(true);
      std::int64_t from = host::now_ns(), last = from;
      while (worked < work_ns_ && !off_.load()) {
        const std::int64_t now = host::now_ns();
        if (now - last > kGapNs) {
          note({from, last});
          from = now;
        } else {
          worked += now - last;
        }
        last = now;
      }
      note({from, last});
      working_.store(false);
      while (off_.load()) nap(20);
    }
  }
  void note(Span span) {
    const std::uint32_t at = life_.spans_used.load();
    life_.spans[at % kMostSpans] = span;
    life_.spans_used.store(at + 1);
  }

  Life& life_;
  const std::atomic<std::uint32_t>* gate_ = nullptr;
  std::atomic<std::uint32_t>* mark_ = nullptr;
  std::uint32_t segment_ = 0;
  std::int64_t work_ns_ = 0;
  std::atomic<int> job_{0};
  std::atomic<bool> off_{false}, working_{false};
};

[[noreturn]] void live(Life& life, const std::string& socket, std::size_t client, unsigned seed,
                       const std::atomic<bool>& over) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::mt19937 random(seed);
  Device device(life);
  client::Connection connection;
  if (client % 4 != 0) connection.set_tier(device.tier());  // else it holds
  connection.set_protocol(Protocol::kBoost);
  setenv(kGateLimitVariable, "60000", 1);  // a slow machine must not look like a deadlock
  while (!socket.empty() && !connection.open(socket.c_str(), "stress")) nap(1000);
  std::thread([&] { device.serve(); }).detach();
  std::atomic<std::uint32_t> own_mark{0};
  const int priority = static_cast<int>(client % 5);
  const Urgency urgency = priority == 0 ? Urgency{} : Urgency::real_time(priority);
  for (std::uint32_t job = 1; !over.load(); ++job) {
    nap(std::uniform_int_distribution<long>(0, 3000)(random));
    const std::uint32_t segment = connection.begin_batch();
    if (segment == 0 && !socket.empty()) life.lost.fetch_add(1);
    const bool gated = segment != 0;
    ClientPage* const page = gated ? &connection.words() : nullptr;
    std::atomic<std::uint32_t>& mark = gated ? page->marks[0] : own_mark;
    device.enqueue(gated ? &page->gate : nullptr, &mark, gated ? segment : job,
                   std::uniform_int_distribution<std::int64_t>(20'000, 600'000)(random));
    const int threshold = priority + std::uniform_int_distribution<>(0, 3)(random);
    if (gated) connection.submit_batch(urgency, threshold, 1, StartSeen::kAtTheGate);
    while (!reached(mark.load(), gated ? segment : job)) nap(20);
    if (gated) connection.finish_batch();
    life.segments.fetch_add(1);
  }
  _exit(0);
}

struct Tally {
  std::size_t segments = 0, stretches = 0, kills = 0, together = 0, lost = 0, failed = 0, offs = 0;
};

/// @param socket where the arbiter is; empty: there is none, to see that breaches are found
Tally stress(int seconds, const std::string& socket) {
  auto* lives = static_cast<Life*>(mmap(nullptr, kLives * sizeof(Life), PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  auto* over = static_cast<std::atomic<bool>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::mt19937 random(11);
  std::size_t born = 0;
  std::vector<pid_t> processes(kClients);
  std::vector<std::size_t> life_of(kClients);
  const auto give_life = [&](std::size_t client) {
    Life& life = lives[born];
    life_of[client] = born++;
    processes[client] = fork();
    if (processes[client] == 0)
      live(life, socket, client, static_cast<unsigned>(born * 100 + client), *over);
  };
  for (std::size_t client = 0; client < kClients; ++client) give_life(client);
  Tally result;
  const std::int64_t end = host::now_ns() + seconds * std::int64_t{1'000'000'000};
  while (host::now_ns() < end && born < kLives) {
    nap(std::uniform_int_distribution<long>(5'000, 60'000)(random));
    const std::size_t victim = random() % kClients;
    lives[life_of[victim]].killed_at = host::now_ns();
    kill(processes[victim], SIGKILL);
    waitpid(processes[victim], nullptr, 0);
    ++result.kills;
    give_life(victim);
  }
  over->store(true);
  for (const pid_t process : processes) {
    int status = -1;
    waitpid(process, &status, 0);
    result.failed += status == 0 ? 0 : 1;
  }
  std::vector<std::pair<Span, std::size_t>> all;
  for (std::size_t i = 0; i < born; ++i) {
    const Life& life = lives[i];
    result.segments += life.segments;
    result.lost += life.lost;
    result.offs += life.times_off;
    EXPECT_LT(life.spans_used, kMostSpans);
    for (std::uint32_t s = 0; s < std::min<std::uint32_t>(life.spans_used, kMostSpans); ++s) {
      Span span = life.spans[s];
      if (life.killed_at != 0) span.to = std::min(span.to, life.killed_at);
      if (span.from < span.to) all.emplace_back(span, i);
    }
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.first.from < b.first.from; });
  // Of those that began before, only the one that lasts longest can reach into the next.
  std::size_t longest = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].first.from < all[longest].first.to && all[i].second != all[longest].second)
      ++result.together;
    if (all[i].first.to > all[longest].first.to) longest = i;
  }
  result.stretches = all.size();
  munmap(lives, kLives * sizeof(Life));
  munmap(over, 4096);
  return result;
}

TEST(BoostStress, ProcessesSubmitCompleteAndDieAndNeverWorkAtOnce) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer knows only one new thread in a forked child";
#endif
  ArbiterHere arbiter(boost_options());
  const Tally result = stress(std::getenv("TACTUS_FULL") != nullptr ? 60 : 5, arbiter.socket());
  EXPECT_EQ(result.together, 0U);
  EXPECT_EQ(result.lost, 0U);
  EXPECT_EQ(result.failed, 0U);  // nobody was left waiting
  EXPECT_GT(result.segments, kClients);
  EXPECT_GT(result.kills, 0U);
  for (const char* const event : {"\"late\"", "\"shared\"", "\"forced\"", "\"invariant\""})
    EXPECT_FALSE(arbiter.logged(event)) << event;
  std::printf("%zu segments, %zu times off, %zu stretches of work, %zu kills\n", result.segments,
              result.offs, result.stretches, result.kills);
}

TEST(BoostStress, WithoutAnArbiterTheSameCheckFindsBreaches) {
  EXPECT_GT(stress(1, "").together, 0U);
}

}  // namespace
}  // namespace tactus::arbiter
