#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "tactus/arbiter/tier.hpp"

/// The client's side of the arbiter. tactus/arbiter/client is preloaded: it uses no C++ library.
namespace tactus::arbiter::client {

enum class Waiting { kSuspend, kBusy };

/// Says whether the GPU is done with what a thread launched. Called on other threads; must not wait.
using Finished = int (*)(void* work);

/// Holds threads at the boundaries of their launches; the tier `gate`.
///
/// A thread is inside from `enter` to `leave`, except while it waits in `pass`. The gate is closed
/// when no thread is inside: a launch that has begun is finished first, so the time to make room
/// includes the longest part of the program without a `pass`.
///
/// A thread that is kept off its core does not come to its `pass`. So that no client must wait for
/// that core, it calls `launched` after its launch: from then to its next `pass` or `leave` it
/// counts as inside only while the GPU has work of it, and the closing thread checks that itself.
class Gate {
 public:
  Gate() { prepare_lock(); }
  void enter(Waiting waiting);
  void leave();
  /// Between launches. @pre inside
  void pass(Waiting waiting);
  /// Until its next `pass` or `leave` this thread launches nothing more. @pre inside
  void launched(Finished finished, void* work);

  /// No thread enters or passes any more; threads that are inside stay there.
  void shut() { closed_.store(1); }
  /// Shuts it and waits until no thread is inside.
  TierResult close(std::int64_t deadline_ns);
  TierResult open();
  Tier tier();
  /// Makes it open and empty: in a child after fork, which has no other threads.
  void reset();

 private:
  /// A thread that has finished launching, and how to know that the GPU is done with its work.
  struct Launch {
    pthread_t thread;
    Finished finished;  ///< null: the place is free
    void* work;
  };
  static constexpr std::uint32_t kMostLaunches = 32;  ///< further threads count as inside

  void wait_until_open(Waiting waiting);
  void prepare_lock();
  bool withdraw(bool stays_inside);
  bool all_finished();

  std::atomic<std::uint32_t> closed_{0};    ///< futex
  std::atomic<std::uint32_t> inside_{0};    ///< futex: threads that may launch
  std::atomic<std::uint32_t> launches_{0};  ///< how many places of `launch_` are taken
  pthread_mutex_t launch_lock_;
  Launch launch_[kMostLaunches] = {};
};

}  // namespace tactus::arbiter::client
