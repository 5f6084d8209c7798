#pragma once

#include <chrono>

#include "tactus/host/clock.hpp"

namespace tactus::host {

/// The clock of `now_ns`, for code that reckons with <chrono>.
struct ChronoClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ChronoClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept { return time_point(duration(now_ns())); }
};

}  // namespace tactus::host
