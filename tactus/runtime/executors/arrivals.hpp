#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tactus/host/doorbell.hpp"

namespace tactus::runtime {

/// Jobs that come when an input is there, and not with a clock: told by any thread, released by the
/// one that runs the plan. The period of such a task is the least time between two of its releases;
/// a job that arrives earlier waits for it. At most so many of a task wait that its owner said.
class Arrivals {
 public:
  /// One that has come: of which task, and when on CLOCK_MONOTONIC (in virtual time: after the start).
  struct Arrival {
    std::string task;
    std::int64_t at_ns = 0;
  };

  /// This task has no releases of its own. @param most  jobs that may wait or run
  void release_on_arrival(const std::string& task, std::uint32_t most);
  bool expects(const std::string& task) const;

  /// The number of the job, from 1; 0: too many wait; nothing: this task is released by a clock.
  std::optional<std::uint32_t> arrive(const std::string& task, std::int64_t at_ns);

  // For the thread that runs the plan:

  host::Doorbell& doorbell() { return doorbell_; }
  std::vector<Arrival> take();
  void ended(const std::string& task);
  /// Of a task, since the run began.
  std::uint64_t refused(const std::string& task) const;
  /// The run is over: what waits is forgotten, and jobs are counted anew.
  void forget();

 private:
  struct Door {
    std::uint32_t most = 1;
    std::uint32_t accepted = 0, ended = 0;
    std::uint64_t refused = 0;
  };

  host::Doorbell doorbell_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Door> doors_;
  std::vector<Arrival> come_;
};

}  // namespace tactus::runtime
