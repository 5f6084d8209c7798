#pragma once

#include <span>

#include "tactus/base/time.hpp"

namespace tactus::trace {

/// A summary of many times; all zero if there are none.
struct Statistics {
  std::size_t count = 0;
  Time mean, deviation;     ///< of the sample
  Time min, p50, p99, max;  ///< nearest rank
};

Statistics statistics_of(std::span<const Time> times);

}  // namespace tactus::trace
