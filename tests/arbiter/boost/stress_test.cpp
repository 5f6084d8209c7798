// Processes with real work that submit, complete and are killed at random, under an arbiter for boost:
// no two of them ever worked at once.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/arbiter/boost_client.hpp"
#include "tests/arbiter/short_lives.hpp"

namespace tactus::arbiter {
namespace {

constexpr std::size_t kClients = 12, kLives = 400;

/// One client process, from fork to death.
struct Life {
  std::atomic<std::uint32_t> segments, lost, times_off;
  std::int64_t killed_at;
  SpanLog spans;  ///< when its work was seen to run
};

void nap(std::int64_t us) { host::nap_ns(us * 1000); }

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
      worked += work_and_note(life_.spans, work_ns_ - worked, [&] { return off_.load(); });
      working_.store(false);
      while (off_.load()) nap(20);
    }
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
  ShortLives<Life> lives(kClients, kLives);
  lives.run(seconds, 11,
            [&](Life& life, std::size_t client, std::size_t born, const std::atomic<bool>& over) {
              live(life, socket, client, static_cast<unsigned>(born * 100 + client), over);
            });
  Tally result;
  result.kills = lives.kills();
  result.failed = lives.failed();
  for (std::size_t i = 0; i < lives.size(); ++i) {
    result.segments += lives[i].segments;
    result.lost += lives[i].lost;
    result.offs += lives[i].times_off;
    EXPECT_LT(lives[i].spans.used, SpanLog::kMost);
  }
  const std::vector<Seen> all = lives.collect(&Life::spans);
  result.stretches = all.size();
  // Of those that began before, only the one that lasts longest can reach into the next.
  std::size_t longest = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].span.from < all[longest].span.to && all[i].life != all[longest].life)
      ++result.together;
    if (all[i].span.to > all[longest].span.to) longest = i;
  }
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
