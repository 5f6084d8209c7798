#pragma once

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "tactus/arbiter/client/connection.hpp"
#include "tactus/arbiter/daemon/daemon.hpp"
#include "tests/support/folder.hpp"

namespace tactus::arbiter {

using Folder = support::TemporaryFolder;

/// Waits until something holds; generous, because it must never fail on a slow machine.
inline bool eventually(const std::function<bool()>& holds, int seconds = 30) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// An arbiter in a thread of the test.
class ArbiterHere {
 public:
  /// A slow machine must not look like a dead client.
  static constexpr std::int64_t kPatientNs = 20'000'000'000;

  /// @param before of the daemon, when it listens and does not serve yet
  explicit ArbiterHere(daemon::DaemonOptions options = {},
                       const std::function<void(daemon::Daemon&)>& before = {}) {
    options.socket = folder_.file("private/tactus.sock");
    options.log = folder_.file("log");
    if (options.update_timeout_ns == daemon::DaemonOptions{}.update_timeout_ns)
      options.update_timeout_ns = kPatientNs;
    if (options.lease_ns == daemon::DaemonOptions{}.lease_ns) options.lease_ns = kPatientNs;
    auto opened = daemon::Daemon::open(std::move(options));
    if (!opened) throw std::runtime_error(opened.error().message);
    daemon_ = std::move(*opened);
    if (before) before(*daemon_);
    thread_ = std::thread([this] { daemon_->run(); });
  }
  ~ArbiterHere() { stop(); }
  ArbiterHere(const ArbiterHere&) = delete;
  ArbiterHere& operator=(const ArbiterHere&) = delete;

  void stop() {
    if (!thread_.joinable()) return;
    daemon_->stop();
    thread_.join();
    daemon_.reset();
  }
  /// Sends a signal to its thread.
  void interrupt(int signal) { pthread_kill(thread_.native_handle(), signal); }
  void reopen_log() { daemon_->reopen_log(); }
  std::string socket() const { return folder_.file("private/tactus.sock"); }
  std::string log() const {
    std::ifstream file(folder_.file("log"));
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  bool logged(const std::string& part) const { return log().find(part) != std::string::npos; }

 private:
  Folder folder_;
  std::unique_ptr<daemon::Daemon> daemon_;
  std::thread thread_;
};

/// A client whose work is a flag.
class FlagClient {
 public:
  explicit FlagClient(const std::string& socket, const char* name = "flag") {
    Tier tier;
    tier.name = "flag";
    tier.self = this;
    tier.take_off = [](void* self, std::int64_t) {
      static_cast<FlagClient*>(self)->off = true;
      return TierResult::kDone;
    };
    tier.put_back = [](void* self) {
      static_cast<FlagClient*>(self)->off = false;
      return TierResult::kDone;
    };
    connection.set_tier(tier);
    connected = connection.open(socket.c_str(), name);
  }
  client::Outcome begin(int priority) {
    return connection.begin(Urgency::real_time(priority), client::Waiting::kSuspend);
  }
  client::Outcome begin_best_effort() {
    return connection.begin(Urgency{}, client::Waiting::kSuspend);
  }

  std::atomic<bool> off{false};
  client::Connection connection;
  bool connected = false;
};

}  // namespace tactus::arbiter
