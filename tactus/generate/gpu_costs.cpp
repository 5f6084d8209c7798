#include "tactus/generate/gpu_costs.hpp"

#include <cmath>

namespace tactus {

void GpuCosts::put_on(Element& gpu) const {
  gpu.runlist_update = runlist_update;
  gpu.context_switch = context_switch;
  gpu.time_slice = time_slice;
  gpu.preempt_cost = preempt_cost;
  gpu.resume_cost = resume_cost;
  gpu.start_cost = start_cost;
}

GpuCosts read_gpu_costs(Settings& settings) {
  constexpr double kMostMs = 1e6;
  const auto cost = [&](const Parameter& parameter) -> std::optional<Time> {
    const double ms = settings.real(parameter.name, -1, kMostMs);
    return ms < 0 ? std::nullopt : std::optional(time_of_ms(ms));
  };
  GpuCosts costs;
  costs.runlist_update = time_of_ms(settings.real(kRunlistUpdate.name, 0, kMostMs));
  costs.context_switch = time_of_ms(settings.real(kContextSwitch.name, 0, kMostMs));
  costs.time_slice = time_of_ms(settings.real(kTimeSlice.name, 1e-6, kMostMs));
  costs.preempt_cost = cost(kPreemptCost);
  costs.resume_cost = cost(kResumeCost);
  costs.start_cost = cost(kStartCost);
  return costs;
}

Time time_of_ms(double ms) {
  const double ns = ms * 1e6;
  constexpr double kExact = 0x1p52;  // up to here a fraction has no rounding error
  if (!(ns >= 0 && ns < kExact)) return Time::from_ns(std::llround(ns));
  // The same, without a call of the mathematics library: half of all drawing is times.
  const auto whole = static_cast<std::int64_t>(ns);
  return Time::from_ns(whole + (ns - static_cast<double>(whole) >= 0.5 ? 1 : 0));
}

}  // namespace tactus
