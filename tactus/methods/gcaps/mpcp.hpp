#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tactus/methods/gcaps/locking.hpp"

namespace tactus::gcaps {

/// Where the theorem of MPCP, as published, was repaired (docs/use/methods/gcaps.md, "mpcp").
struct MpcpReading {
  bool published = false;
  Mode mode = Mode::kSuspend;

  /// What W(x, k) has beyond the section, if the longest sections of all higher tasks make `higher`:
  /// as published all of that, which counts the same delay twice. With one lock no section runs inside
  /// another one.
  Time nested(Time higher) const { return published ? higher : Time(); }
  /// J_h.
  Time jitter(const GpuTask& h, Time response) const {
    return clamp_at_zero(response - (published ? h.cpu + h.launch : h.gpu()));
  }
  /// The window of one request is closed at both ends: a higher request may be made at the instant
  /// at which the lock becomes free (F11), or at which this request is made (F8).
  Time closing() const { return published ? Time() : Time::from_ns(1); }
  /// cap_l: how many jobs of a lower task can have each of their requests in the window.
  std::int64_t cap(const GpuTask& l, Time window) const {
    if (!l.period || (l.best_effort && !published)) return kUnlimited;
    const Time jitter = published ? clamp_at_zero(l.deadline - l.cpu - l.launch) : l.deadline;
    return jobs_in(window, *l.period, jitter);
  }
  /// F7: a spinning holder is boosted for all of G, not only for G^m.
  Time boost(const Segment& segment) const {
    return boosted_length(published ? Mode::kSuspend : mode, segment);
  }
  /// F10: a job that ends with an empty request.
  bool closes_window(const GpuTask& task) const { return task.ends_in_request && !published; }
};

/// The theorem of MPCP: R is a bound of task i if the terms of its right-hand side at R add up to R.
class Mpcp {
 public:
  void begin(const Inquiry& inquiry);

  /// @param responses of the tasks before i
  std::vector<Term> right_hand_side(std::size_t i, std::span<const Time> responses, Time window);

 private:
  /// hp(i): a higher task that uses the GPU, with J_h and SW_h.
  struct Higher {
    std::size_t task;
    Time period, jitter, each;
  };
  struct Request {
    Time length;
    std::int64_t times;
  };
  Time length(std::size_t task, const Segment& segment) const {
    return segment.length() + nested_[task];
  }
  void find_higher(std::size_t i, std::span<const Time> responses);
  std::optional<Time> request_delay(std::size_t i) const;
  static Time longest(std::vector<Request>& requests, std::int64_t count);

  const TaskSet* set_ = nullptr;
  MpcpReading reading_;
  std::vector<Time> nested_, lengths_;  ///< by task: what W has beyond a section, and SW
  // Used again for every task:
  Recurrence r_;
  std::vector<Higher> higher_;
  std::vector<Request> requests_;
};

}  // namespace tactus::gcaps
