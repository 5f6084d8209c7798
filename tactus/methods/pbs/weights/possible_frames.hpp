#pragma once

#include <vector>

#include "tactus/methods/pbs/weights/weights.hpp"
#include "tactus/methods/pbs/windows.hpp"

namespace tactus::pbs {

/// Which frames no table can contain, because the jobs around them would not have enough time.
/// Weights then need not respect the batches of such frames, and become heavier; heavier weights
/// rule out more frames.
///
/// A frame [t, t + c) leaves these jobs outside: those that arrive after t, and those that are due
/// before t + c. With weights y, for all instants x:
/// - what arrives after t runs after the frame, so t + c + (weights of these due by x) <= x;
/// - what is due before t + c and arrives from x on runs before the frame, so
///   x + (weights of these) <= t.
/// The first bound depends only on the window of t, the second only on how many deadlines lie
/// before t + c. So for each pair of both, the possible t are one interval; where it is not empty,
/// the kernels whose job covers the whole frame can be in it together.
class PossibleFrames {
 public:
  PossibleFrames(const TaskSet& set, const Windows& windows, int shift);

  /// Rules out more frames by these weights. @pre they are weights of `set`, scaled by the shift.
  void learn(const Weights& weights);

  /// The largest sets of kernels that a frame of this length can hold somewhere; none when no table
  /// has a frame of this length.
  std::vector<Mask> together(Ticks completion) const;

 private:
  struct Job {
    Ticks arrival = 0, deadline = 0;
    std::uint8_t kernel = 0;
  };

  const Windows& windows_;
  int shift_;
  Mask everyone_ = 0;
  bool too_many_ = false;                  ///< jobs: then every frame counts as possible
  std::vector<Job> by_deadline_;           ///< ascending
  std::vector<Job> by_arrival_;            ///< descending
  std::vector<Ticks> deadlines_;           ///< distinct, ascending
  std::vector<std::int64_t> last_end_;     ///< by the window of its start, scaled
  std::vector<std::int64_t> first_start_;  ///< by the number of deadlines before its end, scaled
};

}  // namespace tactus::pbs
