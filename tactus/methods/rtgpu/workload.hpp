#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/methods/recurrence.hpp"

namespace tactus::rtgpu {

/// Where a piece of a chain runs: on a core, on a bus, or on something that it does not share
/// (kernels on their own SMs).
using ResourceIndex = std::uint32_t;
inline constexpr ResourceIndex kPrivate = static_cast<ResourceIndex>(-1);

/// A segment of a job as its competitors see it.
struct Piece {
  ResourceIndex on = kPrivate;
  Time upper, lower;
};

/// The most work that a task can execute on one resource in a window (Lemmas 2.1, 5.2 and 5.4).
///
/// The worst pattern is: a first job, entered at one of its segments, whose last piece ends at the
/// deadline; a second job released T - D later, at the first one's next release; then jobs exactly
/// T apart. On the resource every segment takes its upper bound; everything between takes its lower
/// bound. Let F(x) be the work of the whole pattern by time x after the first job's segment 0. From
/// the second job on it repeats, so no sum over segments is needed:
///
///     F(x) = F(x - n Tc) + n E    where x - n Tc is in the second job or the gap after it
///     W(t) = max over the entry h of  F(t + st_h) - cum_h
class Workload {
 public:
  /// @pre some piece of the chain is on `resource` with a positive upper bound.
  Workload(std::span<const Piece> chain, ResourceIndex resource, Time period, Time deadline);

  /// W(t), @pre t >= 0.
  Time at(Time t) const { return furthest(t).work; }

  struct Reach {
    Time work;  ///< W(t)
    /// Until when W grows as fast as the window, at least: the end of the segment that a maximising
    /// pattern executes at t; t itself when it executes none.
    Time busy_until;
  };
  Reach furthest(Time t) const;

  /// How W grows from t on, given W(t). Over all places of a window in a periodic pattern the mean
  /// of the work is E / Tc of its length, so the most is no less; and the second job of the pattern
  /// comes later than Tc after the first by `second - Tc` at most, where the first is late at all:
  ///     W(t) >= (t - max(0, second - Tc)) E / Tc.
  Growth growth(Time t, Time work) const;

 private:
  /// In plain nanoseconds: this is the innermost loop of every search. `furthest` checks the one
  /// sum that could overflow; F(x) <= x keeps all others in range.
  struct Placed {
    std::int64_t start;   ///< st
    std::int64_t before;  ///< cum
    std::int64_t length;  ///< e
  };
  /// The segments on the resource, of the first and second job, and the start of the third.
  std::vector<Placed> pattern_;
  std::size_t entries_ = 0;  ///< segments per job, p
  std::int64_t work_ = 0;    ///< of a job, E
  std::int64_t cycle_ = 0;   ///< from the second job on, Tc
  std::int64_t third_ = 0;   ///< where the third job starts
};

}  // namespace tactus::rtgpu
