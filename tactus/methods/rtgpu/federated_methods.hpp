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

/// A method with SMs of their own for each task, as far as the two share it.
constexpr Method federated_member(std::string_view id, std::string_view title, Part part) {
  Method method = family_member(id, title, part);
  method.needs = kFederatedNeeds;
  method.variants = kRtgpuVariants;
  method.behaviour.name = "own-sms-suspend";
  return method;
}

}  // namespace tactus::rtgpu
