#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>

#include "tactus/arbiter/client/connection.hpp"
#include "tests/arbiter/arbiter_here.hpp"

namespace tactus::arbiter {

/// An arbiter for boost, patient as the other.
inline daemon::DaemonOptions boost_options() {
  daemon::DaemonOptions options;
  options.protocol = Protocol::kBoost;
  return options;
}

/// The same with something changed.
template <typename Change>
daemon::DaemonOptions boost_options(const Change& change) {
  daemon::DaemonOptions options = boost_options();
  change(options);
  return options;
}

/// A client whose work is what the test says: it may run when its gate is open and it is not off.
class BoostClient {
 public:
  enum class Kind { kPreemptable, kHold };

  explicit BoostClient(const std::string& socket, Kind kind = Kind::kPreemptable,
                       const char* name = "batch") {
    Tier tier;
    tier.name = kind == Kind::kHold ? "hold" : "flag";
    tier.self = this;
    if (kind == Kind::kPreemptable) {
      tier.take_off = [](void* self, std::int64_t) {
        auto& client = *static_cast<BoostClient*>(self);
        if (client.refuses) return TierResult::kFailed;
        client.leaving = true;
        while (client.slow) usleep(100);
        client.off = true;
        return TierResult::kDone;
      };
      tier.put_back = [](void* self) {
        static_cast<BoostClient*>(self)->off = false;
        return TierResult::kDone;
      };
    }
    connection.set_tier(tier);
    connection.set_protocol(Protocol::kBoost);
    setenv(kGateLimitVariable, "60000", 0);  // a slow machine must not look like a deadlock
    connected = connection.open(socket.c_str(), name);
  }

  /// A segment is begun and submitted. @param threshold none: its own priority
  void submits(std::optional<int> priority, std::optional<int> threshold = {}) {
    segment = connection.begin_batch();
    const Urgency urgency = priority ? Urgency::real_time(*priority) : Urgency{};
    connection.submit_batch(urgency, threshold.value_or(priority.value_or(0)), 1,
                            StartSeen::kAtTheGate);
  }
  bool gate_is_open() const {
    return segment != 0 && reached(connection.words().gate.load(), segment);
  }
  bool runs() const { return gate_is_open() && !off; }
  /// As the GPU says it.
  void marks() { connection.words().marks[0].store(segment); }
  /// As the thread that waits for it.
  void finishes() {
    marks();
    connection.finish_batch();
  }

  std::atomic<bool> off{false}, slow{false}, refuses{false};
  std::atomic<bool> leaving{false};  ///< it has begun to be taken off
  client::Connection connection;
  std::uint32_t segment = 0;
  bool connected = false;
};

}  // namespace tactus::arbiter
