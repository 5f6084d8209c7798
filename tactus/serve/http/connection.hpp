#pragma once

#include <httplib.h>

#include <chrono>
#include <string>

#include "tactus/host/chrono_clock.hpp"

namespace tactus::serve {

/// A connection with ONE limit of time for all that is read and one for all that is written: a client
/// that sends a byte per second holds a thread no longer than one that sends nothing.
class Connection final : public httplib::Stream {
 public:
  struct Limits {
    std::chrono::seconds reading, writing;
    std::size_t bytes;  ///< of a whole request
  };
  /// @param begun what has been read of it
  Connection(int socket, const Limits& limits, std::string begun);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* place, std::size_t size) override;
  ssize_t write(const char* text, std::size_t size) override;
  using httplib::Stream::write;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  int socket() const override { return socket_; }

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
