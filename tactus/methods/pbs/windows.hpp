#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/methods/pbs/pbs_task_set.hpp"

namespace tactus::pbs {

/// A set of kernels, bit i for kernel i. A branch without a missed deadline has at most one ready
/// job per task, so this is also a set of ready jobs.
using Mask = std::uint64_t;

constexpr std::size_t kMaxKernels = 64;

constexpr Mask bit(std::size_t kernel) { return Mask{1} << kernel; }

/// Calls `visit(i)` for every kernel of a set.
template <typename Visit>
constexpr void for_each(Mask set, Visit visit) {
  for (; set != 0; set &= set - 1) visit(static_cast<std::size_t>(std::countr_zero(set)));
}

/// A frame boundary with ready jobs: everything on which the future depends.
struct State {
  Ticks time = 0;
  Mask ready = 0;
  std::uint32_t window = 0;  ///< the last arrival instant at or before `time`
};

/// A batch and how long it takes.
struct Move {
  Mask batch = 0;
  Ticks completion = 0;
};

/// "Later than everything", with room to add to it.
inline constexpr Ticks kNever = INT64_MAX / 4;

/// The hyperperiod cut at its arrival instants A_0 < A_1 < ... Between two of
/// them nothing arrives, so the deadlines of the ready jobs depend on the window alone.
class Windows {
 public:
  explicit Windows(const TaskSet& set);

  std::size_t count() const { return start_.size(); }
  std::size_t kernels() const { return kernels_; }
  Ticks start(std::size_t k) const { return start_[k]; }
  /// Where the next window begins.
  Ticks end(std::size_t k) const { return k + 1 < count() ? start_[k + 1] : kNever; }
  Mask arrivals(std::size_t k) const { return arrivals_[k]; }
  /// Deadline of the newest job of a kernel in window k, dl[k][i].
  Ticks deadline(std::size_t k, std::size_t i) const { return deadline_[k * kernels_ + i]; }
  /// The last instant at which that job may start alone, dl[k][i] - C_i.
  Ticks last_start(std::size_t k, std::size_t i) const { return deadline(k, i) - wcet_[i]; }
  /// The last instant at which a frame that began in window k may end without making a job that
  /// arrives meanwhile miss, fmax[k].
  Ticks last_end(std::size_t k) const { return last_end_[k]; }
  /// Kernels by ascending deadline(k, .) and by ascending last_start(k, .).
  std::span<const std::uint8_t> by_deadline(std::size_t k) const {
    return {&by_deadline_[k * kernels_], kernels_};
  }
  std::span<const std::uint8_t> by_last_start(std::size_t k) const {
    return {&by_last_start_[k * kernels_], kernels_};
  }

  State root() const { return {start_[0], arrivals_[0], 0}; }
  /// The state in which the frame of `move` ends, after a jump to the next arrival where nothing is
  /// ready then; nothing when all jobs have run.
  std::optional<State> after(const State& state, const Move& move) const {
    const State next = frame_end(state, move);
    if (next.ready != 0) return next;
    if (next.window + 1 == count()) return std::nullopt;
    return opening(next.window + 1);
  }
  /// The same without the jump: the state at the very end of the frame.
  State frame_end(const State& state, const Move& move) const {
    State next = {state.time + move.completion, state.ready & ~move.batch, state.window};
    while (next.window + 1 < count() && start_[next.window + 1] <= next.time) {
      next.ready |= arrivals_[++next.window];
    }
    return next;
  }
  /// Whether a job is late when the frame of `move` ends (R2): one of its batch, or one that waits.
  bool misses(const State& state, const Move& move) const;
  /// The state at the start of a window when nothing waited before.
  State opening(std::uint32_t k) const { return {start_[k], arrivals_[k], k}; }

  /// The last end that deadlines allow the frame of `batch` (`lim` in theory.md).
  Ticks limit(const State& state, Mask batch) const;

  std::size_t bytes() const;

 private:
  std::size_t kernels_;
  std::vector<Ticks> wcet_, start_, deadline_, last_end_;
  std::vector<Mask> arrivals_;
  std::vector<std::uint8_t> by_deadline_, by_last_start_;
};

/// The deadline test of every batch of one state, as a few masks: a frame that ends at e must
/// contain every ready kernel whose last start is before e, and may not end after `last_end`.
class FrameTest {
 public:
  FrameTest(const Windows& windows, const State& state);

  /// No frame may end later: a ready job would be late inside or outside the batch.
  Ticks last_end() const { return last_end_; }
  /// How many ready kernels a frame ending at `end` must contain, counted on from `at`, which was
  /// the answer for an earlier end.
  std::size_t forced_count(Ticks end, std::size_t at = 0) const {
    while (at < count_ && last_start_[at] < end) ++at;
    return at;
  }
  /// The first `count` kernels that get forced.
  Mask forced(std::size_t count) const { return prefix_[count]; }
  /// An upper bound of the limits of all batches that lack one of forced(count); it lies before the
  /// end that forces them. @pre count > 0.
  Ticks limit_without(std::size_t count) const { return last_start_[count - 1]; }
  /// The ready kernel with the earliest deadline.
  Mask most_urgent() const { return most_urgent_; }

 private:
  Ticks last_end_;
  Mask most_urgent_ = 0;
  std::size_t count_ = 0;
  std::array<Ticks, kMaxKernels> last_start_;  ///< ascending
  std::array<Mask, kMaxKernels + 1> prefix_;   ///< the kernels of the first entries
};

}  // namespace tactus::pbs
