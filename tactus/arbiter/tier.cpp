#include "tactus/arbiter/tier.hpp"

#include "tactus/host/clock.hpp"

namespace tactus::arbiter {

TierCost measure_cost(const Tier& tier, std::int32_t samples, std::int64_t deadline_ns_each) {
  TierCost cost;
  std::int64_t off_total = 0, on_total = 0;
  for (std::int32_t i = 0; i < samples; ++i) {
    const std::int64_t start = host::now_ns();
    const TierResult off = tier.take_off(tier.self, start + deadline_ns_each);
    const std::int64_t between = host::now_ns();
    const TierResult on = tier.put_back(tier.self);
    const std::int64_t end = host::now_ns();
    if (off != TierResult::kDone || on != TierResult::kDone) return {};
    off_total += between - start;
    on_total += end - between;
    if (between - start > cost.take_off_max) cost.take_off_max = between - start;
    if (end - between > cost.put_back_max) cost.put_back_max = end - between;
  }
  if (samples <= 0) return {};
  cost.take_off_mean = off_total / samples;
  cost.put_back_mean = on_total / samples;
  cost.samples = samples;
  return cost;
}

}  // namespace tactus::arbiter
