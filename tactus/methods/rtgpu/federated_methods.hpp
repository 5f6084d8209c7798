#pragma once

#include "tactus/methods/rtgpu/federated.hpp"

/// What the exact and the greedy search of the RTGPU analysis share.
namespace tactus::rtgpu {

inline constexpr std::string_view kFederatedNeeds =
    "persistent kernels pinned to their own SMs, two blocks per SM; one copy at a time on each "
    "bus, by priority; waiting for the GPU suspends";

/// `paper` and `safe` are the same here: no violation of the printed bounds is known.
inline BusWindow window_of(const Options& options) {
  return options.variant == kTight ? BusWindow::kWholeJob : BusWindow::kPerCopy;
}

inline std::vector<TaskReport> analyze_given_federated(const TaskSet& set, const Counts& counts,
                                                       const Options& options) {
  return analyze_allocation(set, counts, window_of(options), options);
}

}  // namespace tactus::rtgpu
