#pragma once

#include <span>
#include <vector>

#include "tactus/methods/gcaps/mpcp.hpp"

namespace tactus::gcaps {

/// The least solution of the equation of `Mpcp`, found sooner: sections are sorted once for all
/// tasks, jobs are counted anew only where there is another one, and whoever is met as often as
/// possible in any window is summed up at once.
class FastMpcp {
 public:
  void begin(const Inquiry& inquiry);
  FixedPoint window_of(std::size_t i, std::span<const Time> responses);

 private:
  /// A critical section of a lower task.
  struct Request {
    Time length;
    std::size_t task;
  };
  /// The sections of a higher task.
  struct Higher {
    RisingJobs jobs;
    Time each;
  };

  static bool longer(const Request& a, const Request& b) {
    return a.length != b.length ? a.length > b.length : a.task < b.task;
  }
  static std::int64_t rise_of(RisingJobs& jobs, Time window);
  void prepare(std::size_t i, std::span<const Time> responses);
  void limit_by_requests(std::size_t i);
  Time longest_requests(std::span<const Request> requests, std::int64_t count, Time window) const;
  bool settle(std::span<const Request> requests, std::int64_t count);

  const TaskSet* set_ = nullptr;
  MpcpReading reading_;
  Recurrence r_;
  std::vector<Time> sum_;            ///< by task: SW, the sum of W
  std::vector<Time> longest_below_;  ///< by task: the longest W of it and of all after it
  std::vector<Request> requests_;    ///< of all tasks, the longest first
  std::vector<Request> boosts_;      ///< task by task, the longest first
  std::vector<std::size_t> boosts_from_;
  // Of the task under analysis:
  std::vector<Higher> higher_;                      ///< hp
  std::vector<Request> lower_;                      ///< lp
  std::vector<std::span<const Request>> boosting_;  ///< llp: one list per task
  Time settled_;  ///< the delay by those who are not listed in the last two
};

}  // namespace tactus::gcaps
