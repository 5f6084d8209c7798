#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"

namespace tactus::host {

/// Wakes a thread that sleeps until a time, from any other thread. One thread listens.
class Doorbell {
 public:
  void ring() {
    rings_.fetch_add(1, std::memory_order_acq_rel);
    futex_wake_all(rings_);
  }

  /// Was it rung since it was last heard?
  bool rung() const { return rings_.load(std::memory_order_acquire) != heard_; }
  /// Before the listener looks at what it may have been rung for.
  void hear() { heard_ = rings_.load(std::memory_order_acquire); }

  /// Sleeps until then (CLOCK_MONOTONIC), or until it rings.
  void sleep_until_ns(std::int64_t until) {
    while (!rung() && now_ns() < until)
      futex_wait(rings_, heard_, std::max<std::int64_t>(until, 1));
  }

 private:
  std::atomic<std::uint32_t> rings_{0};
  std::uint32_t heard_ = 0;
};

}  // namespace tactus::host
