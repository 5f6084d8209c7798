#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>

#include "tactus/host/chrono_clock.hpp"

namespace tactus::serve {

/// A connection with ONE limit of time for all that is read and one for all that is written: a client
/// that sends a byte per second holds a thread no longer than one that sends nothing.
class Connection {
 public:
  struct Limits {
    std::chrono::seconds reading, writing;
    std::size_t bytes;  ///< of a whole request
  };
  /// @param begun what has been read of it
  Connection(int socket, const Limits& limits, std::string begun);

  /// As `recv` and `send`: how much it was, 0 at the end, -1 where there is no more or no time.
  ssize_t read(char* place, std::size_t size);
  ssize_t write(const char* text, std::size_t size);
  int socket() const { return socket_; }

  /// Was the time up before the request was there?
  bool too_slow() const { return too_slow_; }

  /// Closes the socket so that the client still gets what was written: what it has sent in vain is
  /// read for a moment, else the system would tell it to forget our answer.
  static void close(int socket);

 private:
  using Clock = host::ChronoClock;
  static bool wait(int socket, short event, Clock::time_point until);

  int socket_;
  Limits limits_;
  Clock::time_point read_until_, write_until_{};
  std::string buffer_;
  std::size_t at_ = 0, total_ = 0;
  bool too_slow_ = false;
};

}  // namespace tactus::serve
