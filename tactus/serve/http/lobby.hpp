#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tactus/host/chrono_clock.hpp"

namespace tactus::serve {

/// A connection that has said what it wants: the head of its request, and perhaps more.
struct Arrived {
  int socket = -1;
  std::string begun;  ///< what has been read
  bool known = false;
};

/// Where connections wait. One thread listens to all that have not yet said what they want: they
/// cost no other thread, and when there are too many, the one that has been mute for longest goes. A
/// thread of its own is for a request whose head is complete, and half of these threads are for
/// requests that know the token: a user without it cannot keep out the one who has it. A connection
/// for which there is no memory is refused, and nothing else.
class Lobby {
 public:
  struct Limits {
    std::size_t threads;  ///< half of them for requests that are known; at least two
    std::size_t waiting;  ///< requests of each kind that wait for a thread
    /// Mute connections. Many: whoever connects again and again must not push others out between their
    /// connecting and their first word.
    std::size_t mute;
    std::size_t head_bytes;
    std::chrono::seconds may_be_mute;
  };
  /// What is to be done with connections; each takes it over and throws nothing. `known` may.
  struct Doings {
    std::function<void(Arrived)> serve;
    std::function<void(int socket)> refuse_full, refuse_slow, refuse_long;
    std::function<bool(std::string_view head)> known;  ///< does it know the token?
  };

  Lobby(const Limits& limits, Doings doings);
  ~Lobby() { shutdown(); }
  Lobby(const Lobby&) = delete;
  Lobby& operator=(const Lobby&) = delete;

  void come_in(int socket);

 private:
  using Clock = host::ChronoClock;
  struct Mute {
    int socket;
    std::string begun;
    Clock::time_point until;
  };
  enum Kind : std::size_t { kKnown, kUnknown };

  /// Ends the threads; who still waits is refused.
  void shutdown();
  void listen();
  void take_newcomers();
  void wake() const;
  /// Reads what a connection says. False: it is mute no longer.
  bool still_mute(Mute& one);
  void hand_over(Arrived arrived);
  void work();
  bool may_begin(Kind kind) const;

  Limits limits_;
  Doings doings_;
  std::array<int, 2> wake_{-1, -1};  ///< a pipe: there are newcomers, or it is the end
  std::list<Mute> mute_;             ///< of the listening thread; the oldest first
  std::mutex mutex_;                 ///< of what follows
  std::condition_variable begin_;
  std::vector<int> newcomers_;
  std::array<std::deque<Arrived>, 2> waiting_;
  std::size_t unknown_served_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tactus::serve
