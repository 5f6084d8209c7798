#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "tactus/base/result.hpp"

namespace tactus::arbiter::daemon {

/// Answers GET /metrics over HTTP, for monitoring on the same machine. It asks the arbiter as any
/// observer does, in a thread of its own: no decision waits for it.
class MetricsPort {
 public:
  /// Is it an address with a port, of this machine itself?
  static bool is_loopback(const std::string& address);
  /// @param address "127.0.0.1:9101", "[::1]:9101"; nothing else, because there is neither encryption
  ///        nor a password
  /// @param socket where the arbiter listens
  static Result<std::unique_ptr<MetricsPort>> open(const std::string& address, std::string socket);
  ~MetricsPort();
  MetricsPort(const MetricsPort&) = delete;
  MetricsPort& operator=(const MetricsPort&) = delete;

  /// Where it listens: with port 0, any free one.
  int port() const;

 private:
  MetricsPort() = default;
  void serve(const std::stop_token& stop) const;

  int listening_ = -1;
  std::string socket_;
  std::jthread server_;
};

}  // namespace tactus::arbiter::daemon
