#pragma once

#include <optional>

#include "tactus/generate/recipe.hpp"

/// What it costs to share the GPU, as parameters of recipes.
namespace tactus {

inline constexpr Parameter kRunlistUpdate = {"runlist-update", "1", "epsilon, ms"};
inline constexpr Parameter kContextSwitch = {"context-switch", "0.2", "theta, ms"};
inline constexpr Parameter kTimeSlice = {"time-slice", "1.024", "L, ms"};
inline constexpr Parameter kPreemptCost = {"preempt-cost", "-1", "off, ms; below 0: not given"};
inline constexpr Parameter kResumeCost = {"resume-cost", "-1", "on, ms; below 0: not given"};
inline constexpr Parameter kStartCost = {"start-cost", "-1", "st, ms; below 0: not given"};

struct GpuCosts {
  Time runlist_update, context_switch, time_slice;
  std::optional<Time> preempt_cost, resume_cost, start_cost;

  void put_on(Element& gpu) const;
};

/// The values of the six parameters, in their order.
GpuCosts read_gpu_costs(Settings& settings);

/// The nearest whole number of nanoseconds.
Time time_of_ms(double ms);

}  // namespace tactus
