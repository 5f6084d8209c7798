#include "tactus/methods/gcaps/releases.hpp"

#include <fmt/core.h>

#include "tactus/methods/method.hpp"

namespace tactus::gcaps {

/// A file can need more (bounds that rise by a nanosecond), and then the tool must not hang.
constexpr int kMostRounds = 100'000;

void Releases::restart() {
  rounds_ = 0;
  for (const Follower& follower : set_.followers) set_.tasks[follower.task].jitter = follower.own;
}

std::size_t Releases::closed(std::size_t bounded) const {
  for (std::size_t before = bounded + 1; bounded < before;) {
    before = bounded;
    for (const Follower& follower : set_.followers) {
      if (follower.after >= bounded) bounded = std::min(bounded, follower.task);
    }
  }
  return bounded;
}

bool Releases::follow(std::span<const Time> responses, std::size_t bounded) {
  if (++rounds_ > kMostRounds) {
    throw LimitReached(fmt::format(
        "the bounds of tasks that start others still change after {} rounds", kMostRounds));
  }
  bool changed = false;
  for (const Follower& follower : set_.followers) {
    if (follower.task >= bounded) continue;
    Time& jitter = set_.tasks[follower.task].jitter;
    const Time now = responses[follower.after] - follower.least + follower.own;
    changed = changed || now != jitter;
    jitter = now;
  }
  return changed;
}

}  // namespace tactus::gcaps
