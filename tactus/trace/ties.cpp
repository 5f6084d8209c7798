#include "tactus/trace/ties.hpp"

#include "tactus/base/random.hpp"

namespace tactus::trace {

Ties ties_at(const Scenario& scenario, Time now) {
  switch (scenario.order) {
    case Order::kFifo:
      return {};
    case Order::kLifo:
      return {.requests_before_releases = true, .newcomers_first = true, .backwards = true};
    case Order::kLatest:
      return {.requests_before_releases = false, .newcomers_first = true, .backwards = true};
    case Order::kRandom:
      break;
  }
  // Another stream of random numbers than those of arrivals and lengths.
  constexpr std::uint64_t kStream = 0x7469'6573;
  Random random(Random(scenario.seed, kStream).next(), static_cast<std::uint64_t>(now.ns()));
  Ties ties;
  ties.requests_before_releases = random.chance(0.5);
  ties.newcomers_first = random.chance(0.5);
  ties.backwards = random.chance(0.5);
  return ties;
}

}  // namespace tactus::trace
