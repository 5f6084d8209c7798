#include "tactus/arbiter/client/gate.hpp"

#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"

namespace tactus::arbiter::client {

void Gate::enter(Waiting waiting) {
  for (;;) {
    wait_until_open(waiting);
    inside_.fetch_add(1);
    if (closed_.load() == 0) return;
    leave();  // closed in between: whoever closed it may be waiting for us
  }
}

void Gate::leave() {
  if (inside_.fetch_sub(1) == 1) host::futex_wake_all(inside_);
}

void Gate::pass(Waiting waiting) {
  if (closed_.load(std::memory_order_relaxed) == 0) return;
  leave();
  enter(waiting);
}

void Gate::wait_until_open(Waiting waiting) {
  while (closed_.load() != 0) {
    if (waiting == Waiting::kSuspend) {
      host::futex_wait(closed_, 1);
    } else {
      host::relax();
    }
  }
}

TierResult Gate::close(std::int64_t deadline_ns) {
  shut();
  for (;;) {
    const std::uint32_t inside = inside_.load();
    if (inside == 0) return TierResult::kDone;
    if (host::now_ns() >= deadline_ns) return TierResult::kLate;
    host::futex_wait(inside_, inside, deadline_ns);
  }
}

TierResult Gate::open() {
  closed_.store(0);
  host::futex_wake_all(closed_);
  return TierResult::kDone;
}

void Gate::reset() {
  closed_.store(0);
  inside_.store(0);
}

Tier Gate::tier() {
  Tier tier;
  tier.name = "gate";
  tier.held_at_begin = true;
  tier.self = this;
  tier.take_off = [](void* self, std::int64_t deadline_ns) {
    return static_cast<Gate*>(self)->close(deadline_ns);
  };
  tier.put_back = [](void* self) { return static_cast<Gate*>(self)->open(); };
  return tier;
}

}  // namespace tactus::arbiter::client
