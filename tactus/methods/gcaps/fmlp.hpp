#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tactus/methods/gcaps/locking.hpp"

namespace tactus::gcaps {

/// Where the theorem of FMLP+, as published, was repaired (docs/use/methods/gcaps.md, "fmlp").
struct FmlpReading {
  bool published = false;
  Mode mode = Mode::kSuspend;

  /// Of the jobs of x, whose requests can be in the way. @pre it has a period
  Time jitter(const GpuTask& x) const { return published ? *x.period : x.deadline; }
  /// req_x: how many of its requests can be in the way within a window.
  std::int64_t requests(const GpuTask& x, Time window) const {
    if (!x.period || (x.best_effort && !published)) return kUnlimited;
    return checked::mul(x.eta(), jobs_in(window, *x.period, jitter(x)));
  }
  /// F6: tasks of the same core queue too.
  bool queue_counts(bool local) const { return !local || !published; }
  /// m_x: as published all of a section is boosted, in both modes.
  Time boost(const GpuTask& x) const {
    return mode == Mode::kSuspend && !published ? x.longest_launch : x.longest_section;
  }
  /// z: as published a task suspends only as often as it finds a remote request before it.
  std::int64_t suspensions(std::int64_t eta, std::int64_t remote) const {
    return published ? std::min(eta, remote) : eta;
  }
  /// F10: a job that ends with an empty request.
  bool closes_window(const GpuTask& task) const { return task.ends_in_request && !published; }
};

/// The theorem of FMLP+: R is a bound of task i if the terms of its right-hand side at R add up to R.
class Fmlp {
 public:
  void begin(const Inquiry& inquiry) {
    set_ = &inquiry.set;
    reading_ = {is_printed(inquiry.variant), inquiry.mode};
  }

  /// @param responses of the tasks before i
  std::vector<Term> right_hand_side(std::size_t i, std::span<const Time> responses, Time window);

 private:
  const TaskSet* set_ = nullptr;
  FmlpReading reading_;
  Recurrence r_;  ///< used again for every task
};

}  // namespace tactus::gcaps
