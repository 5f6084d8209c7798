#pragma once

#include <algorithm>
#include <cstdint>

namespace tactus::runtime::gpu {

/// The device's %globaltimer on the host's monotonic clock. The two drift apart by some tens of
/// microseconds per second, so every operation corrects it: nothing starts before it was submitted,
/// nothing ends after it was seen.
class GpuClock {
 public:
  /// The device was asked for the time, and said `gpu`; the fastest answer counts.
  void answered(std::int64_t asked, std::uint64_t gpu, std::int64_t answered) {
    if (answered - asked >= fastest_) return;
    fastest_ = answered - asked;
    offset_ = asked + fastest_ / 2 - static_cast<std::int64_t>(gpu);
  }
  void correct(std::int64_t submitted, std::uint64_t start, std::uint64_t end, std::int64_t seen) {
    offset_ = std::max(offset_, submitted - static_cast<std::int64_t>(start));
    offset_ = std::min(offset_, seen - static_cast<std::int64_t>(end));
  }
  std::int64_t to_host(std::uint64_t gpu) const { return static_cast<std::int64_t>(gpu) + offset_; }
  /// From its time to the host's, ns.
  std::int64_t offset() const { return offset_; }

 private:
  std::int64_t offset_ = 0, fastest_ = INT64_MAX;
};

}  // namespace tactus::runtime::gpu
