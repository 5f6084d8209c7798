#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tactus/base/statistics.hpp"
#include "tactus/runtime/gpu/fits.hpp"

namespace tactus::runtime::gpu {

/// A stretch in which a process did not run, on the device's timer.
using Hole = std::pair<std::int64_t, std::int64_t>;

/// What the gaps of two processes that share a GPU show, in ns.
struct SwitchTimes {
  std::vector<double> slices;    ///< how long one ran without a break
  std::vector<double> switches;  ///< from the stop of one to the start of the other: none runs
};
SwitchTimes switch_times(const std::vector<Hole>& a, const std::vector<Hole>& b);

/// Time slices between processes, measured in two ways.
struct SwitchReport {
  struct Together {
    int processes = 0;
    SampleStatistics alone, together;  ///< completion of a kernel, ns
    double theta_mean = 0, theta_most = 0;
  };
  SampleStatistics slice, theta;  ///< by timestamps
  std::vector<Together> formula;  ///< by completion times, as the GCAPS paper does
};

}  // namespace tactus::runtime::gpu
