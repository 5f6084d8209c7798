#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tactus/arbiter/daemon/admission.hpp"
#include "tactus/arbiter/daemon/decision.hpp"
#include "tactus/arbiter/daemon/event_log.hpp"
#include "tactus/arbiter/daemon/permissions.hpp"
#include "tactus/arbiter/protocol.hpp"

namespace tactus::arbiter::daemon {

/// What happens to a client that has the GPU for longer than its budget.
enum class Overstay {
  kReport,  ///< it is counted and logged
  kDemote,  ///< it is best effort for the rest of its segment
  kKill,    ///< its process is told to end (SIGTERM), and a lease later killed; demoted, where
            ///< that is not permitted
};

struct DaemonOptions {
  std::string socket;
  std::optional<gid_t> group;  ///< who may connect besides this user
  Permissions permissions;
  Protocol protocol = Protocol::kGcaps;  ///< never kAny
  Rule rule = Rule::kPriority;           ///< of gcaps
  std::int64_t lease_ns = 1'000'000'000;
  std::int64_t update_timeout_ns = 100'000'000;
  /// Share of the time that may be spent on waiting for one client (`Patience`).
  int patience_percent = 25;
  std::int64_t budget_ns = 0;  ///< a client that has the GPU for longer overstays; 0: no limit
  Overstay on_overstay = Overstay::kReport;
  bool fast_path = true;   ///< for processes of this user (and of root)
  std::optional<int> cpu;  ///< a CPU of its own
  int realtime = 0;        ///< SCHED_FIFO priority; 0: as started
  /// After an event, poll for the next one for this long before going to sleep. A sleeping CPU
  /// takes tens of microseconds to wake up; one that polls is busy all the time.
  std::int64_t spin_ns = 0;
  /// Boost: how often it looks whether the batch that is on is complete. With `spin_ns` it looks
  /// without a pause.
  std::int64_t poll_ns = 50'000;
  /// Boost: how long a best-effort program without segments has the GPU before the next one.
  std::int64_t slice_ns = 100'000'000;
  std::string log;
  std::uint64_t log_bytes = EventLog::kMostBytes;
  /// What of the proof's conditions does not hold and was accepted; empty: nothing.
  std::string waived;
  Limits limits;
  /// After it has replaced another arbiter: for how long clients that were inside a segment may come
  /// back. Until then nobody is told to be alone.
  std::int64_t returning_ns = 1'000'000'000;
};

}  // namespace tactus::arbiter::daemon
