#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include "tactus/host/clock.hpp"
#include "tactus/host/nap.hpp"

/// Client processes that are killed at random and replaced. What they did is taken from their own
/// logs, in memory the arbiter knows nothing of.
namespace tactus::arbiter {

struct Span {
  std::int64_t from, to;
};

/// When something was the case, written by one thread of a process that may die at any moment.
struct SpanLog {
  static constexpr std::size_t kMost = 8192;

  void note(Span span) {
    const std::uint32_t at = used.load();
    spans[at % kMost] = span;
    used.store(at + 1);
  }

  std::atomic<std::uint32_t> used;
  Span spans[kMost];
};

/// Works until `wanted_ns` of it are done or until `stopped()`, and notes when it was seen to run.
/// @return how long it has worked
template <typename Stopped>
std::int64_t work_and_note(SpanLog& log, std::int64_t wanted_ns, const Stopped& stopped) {
  // It looks at the clock all the time; a longer gap means that it did not run.
  constexpr std::int64_t kGapNs = 5'000;
  std::int64_t from = host::now_ns(), last = from, worked = 0;
  while (worked < wanted_ns && !stopped()) {
    const std::int64_t now = host::now_ns();
    if (now - last > kGapNs) {
      log.note({from, last});
      from = now;
    } else {
      worked += now - last;
    }
    last = now;
  }
  log.note({from, last});
  return worked;
}

/// A span of one of the lives.
struct Seen {
  Span span;
  std::size_t life;
};

/// @tparam Life what one client process, from fork to death, leaves behind: at least `killed_at`.
/// It begins as zeros.
template <typename Life>
class ShortLives {
 public:
  /// @param most a killed client is replaced, and lives again: so many lives in all
  ShortLives(std::size_t clients, std::size_t most)
      : clients_(clients),
        most_(most),
        lives_(static_cast<Life*>(map(most * sizeof(Life)))),
        over_(static_cast<std::atomic<bool>*>(map(sizeof(std::atomic<bool>)))) {}
  ~ShortLives() {
    munmap(lives_, most_ * sizeof(Life));
    munmap(over_, sizeof(std::atomic<bool>));
  }
  ShortLives(const ShortLives&) = delete;
  ShortLives& operator=(const ShortLives&) = delete;

  /// Runs clients for that long, kills one after the other, and waits for the rest to end.
  /// @param live (life, client, number of the life from 1, over) is what a process does until
  /// `over`; then it ends with 0
  template <typename Live>
  void run(int seconds, unsigned seed, const Live& live) {
    std::mt19937 random(seed);
    std::vector<pid_t> processes(clients_);
    std::vector<std::size_t> life_of(clients_);
    const auto give_life = [&](std::size_t client) {
      Life& life = lives_[born_];
      life_of[client] = born_++;
      processes[client] = fork();
      if (processes[client] != 0) return;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      live(life, client, born_, *over_);
      _exit(0);
    };
    for (std::size_t client = 0; client < clients_; ++client) give_life(client);
    const std::int64_t end = host::now_ns() + seconds * std::int64_t{1'000'000'000};
    while (host::now_ns() < end && born_ < most_) {
      host::nap_ns(std::uniform_int_distribution<std::int64_t>(5'000, 60'000)(random) * 1000);
      const std::size_t victim = random() % clients_;
      lives_[life_of[victim]].killed_at = host::now_ns();
      kill(processes[victim], SIGKILL);
      waitpid(processes[victim], nullptr, 0);
      ++kills_;
      give_life(victim);
    }
    over_->store(true);
    for (const pid_t process : processes) {
      int status = -1;
      waitpid(process, &status, 0);
      failed_ += status == 0 ? 0 : 1;
    }
  }

  std::size_t size() const { return born_; }
  const Life& operator[](std::size_t i) const { return lives_[i]; }
  std::size_t kills() const { return kills_; }
  std::size_t failed() const { return failed_; }  ///< did not end well, though nobody killed them

  /// The spans of all lives, none longer than its life, in the order of their beginnings.
  std::vector<Seen> collect(SpanLog Life::*log) const {
    std::vector<Seen> all;
    for (std::size_t i = 0; i < born_; ++i) {
      const Life& life = lives_[i];
      const std::int64_t end = life.killed_at != 0 ? life.killed_at : INT64_MAX;
      const std::size_t used = (life.*log).used.load();
      for (std::size_t s = 0; s < std::min(used, SpanLog::kMost); ++s) {
        Span span = (life.*log).spans[s];
        span.to = std::min(span.to, end);
        if (span.from < span.to) all.push_back({span, i});
      }
    }
    std::sort(all.begin(), all.end(),
              [](const Seen& a, const Seen& b) { return a.span.from < b.span.from; });
    return all;
  }

 private:
  static void* map(std::size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
  }

  std::size_t clients_, most_;
  Life* lives_;
  std::atomic<bool>* over_;
  std::size_t born_ = 0, kills_ = 0, failed_ = 0;
};

}  // namespace tactus::arbiter
