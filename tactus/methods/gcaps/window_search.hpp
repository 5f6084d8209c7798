#pragma once

#include <algorithm>
#include <cstdint>
#include <stop_token>

#include "tactus/methods/gcaps/causes.hpp"
#include "tactus/methods/recurrence.hpp"

namespace tactus::gcaps {

/// There is no window up to the limit.
inline constexpr Time kNoWindow = Time::max();

/// The searches for windows of one analysis, which may take so many steps together: a file can need
/// more (periods of a nanosecond), and then the tool must not hang.
class WindowSearch {
 public:
  explicit WindowSearch(std::stop_token stop = {}) : stop_(std::move(stop)) {}

  void restart() { steps_ = 0; }

  /// The least r >= start with r = max(start, f(r)), and how f exceeds the limit if there is none.
  /// `add_growths(r, sure)` says how f grows, if it takes many steps. @throws LimitReached
  template <typename F, typename AddGrowths>
  FixedPoint least(Time start, Time limit, F f, AddGrowths add_growths) {
    Time window = start;
    for (int step = 0;; ++step) {
      count_step();
      const Time need = std::max(start, f(window));
      if (need > limit) return {FixedPoint::Outcome::kExceeded, need, window};
      if (need == window) return {FixedPoint::Outcome::kFound, window, window};
      const Time sure = step < kPatience ? Time() : sure_from(window, need - window, add_growths);
      // Where nothing up to the limit is a fixed point, what is needed then is beyond it.
      window = sure > limit - window ? limit : std::max(need, window + sure);
    }
  }
  /// The same where only r counts.
  template <typename F, typename AddGrowths>
  Time window(Time start, Time limit, F f, AddGrowths add_growths) {
    if (start > limit) return kNoWindow;
    const FixedPoint found = least(start, limit, f, add_growths);
    return found.found() ? found.value : kNoWindow;
  }

 private:
  /// No fixed point is nearer to the window than this, if its demand exceeds it by `lead`.
  template <typename AddGrowths>
  static Time sure_from(Time window, Time lead, AddGrowths add_growths) {
    Causes::SureGrowths sure;
    add_growths(window, sure);
    return std::min(sure_step(lead, sure.all), sure.until);
  }
  void count_step();

  std::stop_token stop_;
  std::int64_t steps_ = 0;
};

}  // namespace tactus::gcaps
