#include "tactus/methods/gcaps/fast/shared_demand.hpp"

#include <algorithm>

namespace tactus::gcaps {

void SharedDemand::add(const Recurrence::Demand& demand) {
  summands_.push_back(
      {demand.period, clamp_at_zero(demand.jitter), demand.work + demand.updates + demand.leaving});
  if (summands_.size() % kBlock == 0) blocks_.emplace_back();
}

void SharedDemand::look(Block& block, const Summand* first, Time window) const {
  block = {0, INT64_MAX, Time()};
  for (const Summand* s = first; s != first + kBlock; ++s) {
    const std::int64_t reach = (window + s->jitter).ns(), period = s->period.ns();
    const std::int64_t whole = reach / period, into = reach - whole * period;
    const std::int64_t jobs = whole + (into > 0 ? 1 : 0);
    // The same jobs count from the release of the last one on, up to the next release.
    const std::int64_t since = into > 0 ? into : period;
    block.after = std::max(block.after, window.ns() - since);
    block.until = std::min(block.until, checked::add(window.ns(), period - since));
    block.sum += jobs * s->each;
  }
}

Time SharedDemand::sum(Time window, std::size_t count) {
  Time sum;
  const std::size_t whole = count / kBlock;
  for (std::size_t b = 0; b < whole; ++b) {
    Block& block = blocks_[b];
    if (window.ns() <= block.after || window.ns() > block.until) {
      look(block, &summands_[b * kBlock], window);
    }
    sum += block.sum;
  }
  for (std::size_t i = whole * kBlock; i < count; ++i) {
    const Summand& s = summands_[i];
    sum += jobs_in(window, s.period, s.jitter) * s.each;
  }
  return sum;
}

}  // namespace tactus::gcaps
