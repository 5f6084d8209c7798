#pragma once

#include <algorithm>
#include <optional>

#include "tactus/base/time.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/recurrence.hpp"

namespace tactus::rtgpu {

/// The right-hand side of a recurrence at a window.
struct Demand {
  Time value;
  /// Where value > window: no fixed point lies in [window, growing_until], because the demand grows
  /// at least as fast as the window up to there.
  Time growing_until;
};

/// The least t with t = demand(t), or nothing when it is beyond the deadline. Work that is being
/// executed grows as fast as the window, so plain iteration is very slow if the constant part is
/// small; jumping to the end of the segment that is being executed finds the same fixed point. If
/// that takes many steps, `sure(t, lead)` is asked for a step from t that passes no fixed point,
/// given that the demand at t is t + lead (see `sure_step`).
///
/// @pre `demand` does not decrease, and no fixed point lies below `start`.
template <typename F, typename Sure>
std::optional<Time> least_fixed_point_by_jumps(Time start, Time deadline, F demand, Sure sure) {
  Time window = start;
  for (int step = 0; window <= deadline; ++step) {
    if (step == kMaxSteps) throw LimitReached("a response-time recurrence needs too many steps");
    const Demand at = demand(window);
    if (at.value <= window) return window;
    Time next = std::max(at.value, at.growing_until);
    if (step >= kPatience) {
      const Time further = sure(window, at.value - window);
      if (further > deadline - window) return std::nullopt;
      next = std::max(next, window + further);
    }
    window = next;
  }
  return std::nullopt;
}

}  // namespace tactus::rtgpu
