#pragma once

#include <array>
#include <cstdint>

#include "tactus/base/time.hpp"

namespace tactus::trace {

/// How many times were at most so long: counts that only grow, for who looks again and again.
struct Histogram {
  /// 1, 2 and 5 times 1 us, 10 us, ... 10 s.
  static constexpr std::array<std::int64_t, 22> kLimitsNs = {
      1'000,         2'000,         5'000,         10'000,        20'000,      50'000,
      100'000,       200'000,       500'000,       1'000'000,     2'000'000,   5'000'000,
      10'000'000,    20'000'000,    50'000'000,    100'000'000,   200'000'000, 500'000'000,
      1'000'000'000, 2'000'000'000, 5'000'000'000, 10'000'000'000};

  std::array<std::uint64_t, kLimitsNs.size() + 1> counts{};  ///< the last: longer than all
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;

  void add(Time time) {
    std::size_t place = 0;
    while (place < kLimitsNs.size() && time.ns() > kLimitsNs[place]) ++place;
    ++counts[place];
    ++count;
    if (__builtin_add_overflow(sum_ns, time.ns(), &sum_ns)) sum_ns = INT64_MAX;
  }
};

}  // namespace tactus::trace
