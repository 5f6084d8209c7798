#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/methods/pbs/batches/packing.hpp"
#include "tactus/methods/pbs/pbs_task_set.hpp"
#include "tactus/methods/pbs/weights/weights.hpp"
#include "tactus/methods/pbs/windows.hpp"

namespace tactus::pbs {

/// The first pruning. A state at time t is dead, idling or not, when for some deadline x
/// of a ready or future job: t + (weights of the ready jobs due by x) + (weights of the future jobs
/// due by x) > x. Deadlines of jobs that have run do not count: they may lie before t.
///
/// Per window the future part is fixed. Between two neighbouring deadlines of ready kernels the
/// ready part is fixed too, so only the least "x minus future demand" of each gap matters; `latest`
/// costs O(n) per vector. These rows are made when a window is first asked about.
class DemandBound {
 public:
  DemandBound(const TaskSet& set, const Windows& windows, int shift);

  void add(Weights weights);
  bool empty() const { return vectors_.empty(); }
  /// The vector that weighs the jobs of one hyperperiod heaviest. @pre not empty.
  const Weights& widest() const;

  /// The largest time at which a state of window k with these ready jobs is not proved dead.
  Ticks latest(std::uint32_t k, Mask ready);

  /// What must run before a state of window k at this time, so that it is not proved dead: its ready
  /// jobs would be `ready` less the batch before it. Appends those that are hardest to meet.
  void needs(std::uint32_t k, Mask ready, Ticks time, std::vector<PackingNeed>& out);

  /// The proof for a dead state: a deadline and what is due by it.
  struct Overload {
    Ticks deadline = 0;
    std::vector<std::int64_t> jobs;  ///< by kernel, due by then
    Weights weights;
  };
  std::optional<Overload> overload(const State& state) const;

  int shift() const { return shift_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Job {
    Ticks deadline = 0, arrival = 0;
    std::uint8_t kernel = 0;
  };
  /// Of one window and one vector: at [0, n) "deadline minus future demand" at each kernel's own
  /// deadline, at [n, 2n] the least of it over the future deadlines of each gap.
  using Row = std::vector<std::int64_t>;
  void make_row(std::uint32_t k, const Weights& weights, Row& row);
  const Row& row_of(std::uint32_t k, std::size_t vector);

  const TaskSet& set_;
  const Windows& windows_;
  int shift_;
  std::vector<Job> jobs_;  ///< by deadline
  std::vector<Weights> vectors_;
  std::vector<std::vector<Row>> rows_;  ///< by window, then by vector
  std::size_t bytes_ = 0;
};

}  // namespace tactus::pbs
