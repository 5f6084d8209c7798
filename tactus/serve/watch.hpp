#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "tactus/host/chrono_clock.hpp"
#include "tactus/tactus.h"

namespace tactus::serve {

struct CallDeleter {
  void operator()(tactus_call* call) const { tactus_call_free(call); }
};
using Call = std::unique_ptr<tactus_call, CallDeleter>;

/// Cancels calls whose time is up, whose client has hung up (a page that has a newer question), and
/// all of them when the server ends.
class Watch {
 public:
  using Clock = host::ChronoClock;

  Watch();

  /// While it lives, its call is watched.
  class Watched {
   public:
    /// @param socket of the client; -1: nobody waits for the answer
    Watched(Watch& watch, tactus_call* call, std::chrono::seconds most, int socket = -1);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

   private:
    friend class Watch;
    Watch& watch_;
    std::list<struct WatchedCall>::iterator place_;
  };

  /// Also everything that is watched from now on.
  void cancel_all();

 private:
  void look();

  std::mutex mutex_;  ///< of what follows
  std::list<struct WatchedCall> calls_;
  bool ending_ = false;
  std::jthread watcher_;  ///< last: it uses the rest
};

struct WatchedCall {
  tactus_call* call = nullptr;
  Watch::Clock::time_point until;
  int socket = -1;
};

}  // namespace tactus::serve
