#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"

/// What was seen of tasks that ran as processes and shared a GPU.
namespace tactus::trace {

/// Where the time of one job went.
struct JobParts {
  std::uint32_t job = 0;  ///< which one, from 0
  Time response;
  Time late;   ///< from its release to its first instruction
  Time cpu;    ///< outside of segments
  Time begin;  ///< to have the GPU, or the lock
  Time launch;
  Time gpu;  ///< from launch to completion, including the turns of others
  Time end;
};

/// The process of one task.
struct ObservedProcess {
  std::string tier;        ///< in force; empty where no arbiter is
  bool real_time = false;  ///< had its priority on the CPU
  std::uint64_t segments = 0;
  std::uint64_t unarbitrated = 0;   ///< segments that ran without the arbiter
  std::uint64_t shared = 0;         ///< segments that began while another had not left in time
  std::uint64_t wrong_results = 0;  ///< GPU segments with a wrong result
  std::uint64_t resumed = 0;        ///< relaunches after a yield
  std::vector<Time> begins;         ///< how long each begin that got the GPU at once took
  JobParts worst;                   ///< of the longest response
};

/// Updates of who has the GPU, by the arbiter.
struct ObservedUpdates {
  std::uint64_t count = 0;
  Time mean, max;
  Time take_off_max, put_back_max;  ///< parts of an update
};

/// What an arbiter that opens gates did of one kind.
struct ObservedOperation {
  std::uint64_t count = 0;
  Time mean, max;  ///< from the decision to its effect
};

/// Everything it did. Each `off` is a preemption.
struct ObservedOperations {
  ObservedOperation start, off, on;
  Time late_max;             ///< how late a completion may have been seen
  std::uint64_t forced = 0;  ///< gates that a process opened without the arbiter

  /// For so long the GPU was busy with operations instead of work.
  Time lost() const {
    const auto of = [](const ObservedOperation& kind) {
      return static_cast<std::int64_t>(kind.count) * kind.mean;
    };
    return of(start) + of(off) + of(on);
  }
};

/// How the processes shared the GPU.
struct ObservedSharing {
  std::string mode;         ///< who decided: "arbiter", "boost", "lock", "off"
  std::string tier;         ///< how work was taken off the GPU; empty where no arbiter is
  std::string wait;         ///< what the CPU did meanwhile: "suspend", "busy"
  std::int64_t fill = 100;  ///< percent of each bound that the work took
  Time gpu_item;            ///< what one block does at a stretch
  std::optional<ObservedUpdates> updates;
  std::optional<ObservedOperations> operations;
};

}  // namespace tactus::trace
