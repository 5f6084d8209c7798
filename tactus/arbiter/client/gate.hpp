#pragma once

#include <atomic>
#include <cstdint>

#include "tactus/arbiter/tier.hpp"

/// The client's side of the arbiter. All of tactus/arbiter/client gets preloaded: no C++ library.
namespace tactus::arbiter::client {

enum class Waiting { kSuspend, kBusy };

/// Holds threads at the boundaries of their launches; the tier `gate`.
///
/// A thread is inside from `enter` to `leave`, except while it waits in `pass`. Closing the gate
/// is done when no thread is inside: a launch that is under way is finished first, so the time it
/// takes to make room includes the longest stretch of the program without a `pass`.
class Gate {
 public:
  void enter(Waiting waiting);
  void leave();
  /// Between launches. @pre inside
  void pass(Waiting waiting);

  /// Nobody enters or passes any more; whoever is inside stays there.
  void shut() { closed_.store(1); }
  /// Shuts it and waits until nobody is inside.
  TierResult close(std::int64_t deadline_ns);
  TierResult open();
  Tier tier();
  /// Open and empty, whatever it was: in a child after fork, whose threads are gone.
  void reset();

 private:
  void wait_until_open(Waiting waiting);

  std::atomic<std::uint32_t> closed_{0};  ///< futex
  std::atomic<std::uint32_t> inside_{0};  ///< futex
};

}  // namespace tactus::arbiter::client
