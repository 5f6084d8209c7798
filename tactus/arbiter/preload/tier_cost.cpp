#include "tactus/arbiter/preload/tier_cost.hpp"

#include <cstdio>

namespace tactus::arbiter::preload {

TierCost tier_cost_of(const char* text) {
  long off_max = 0, off_mean = 0, on_max = 0, on_mean = 0;
  int samples = 0;
  const int got =
      std::sscanf(text, "%ld %ld %ld %ld %d", &off_max, &off_mean, &on_max, &on_mean, &samples);
  if (got != 5 || samples <= 0 || off_mean < 0 || off_max < off_mean || on_mean < 0 ||
      on_max < on_mean)
    return {};
  return {off_max, off_mean, on_max, on_mean, samples};
}

}  // namespace tactus::arbiter::preload
