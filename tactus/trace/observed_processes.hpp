#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/model/time.hpp"

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

/// How the processes shared the GPU.
struct ObservedSharing {
  std::string mode;         ///< who decided: "arbiter", "lock", "off"
  std::string tier;         ///< how work was taken off the GPU; empty where no arbiter is
  std::string wait;         ///< what the CPU did meanwhile: "suspend", "busy"
  std::int64_t fill = 100;  ///< percent of each bound that the work took
  Time gpu_item;            ///< what one block does at a stretch
  std::optional<ObservedUpdates> updates;
};

}  // namespace tactus::trace
