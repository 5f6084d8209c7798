#pragma once

#include <algorithm>
#include <cstdint>

#include "tactus/model/system.hpp"

namespace tactus {

/// From times that were seen to times that are relied on: the one rule of everything that measures,
/// watches or imports. What was seen is no bound, so a share of the longest is added to it, and the
/// same share of the shortest is taken away; both are rounded away from what was seen.
struct Reserve {
  std::int64_t percent = 0;
  Time grain = Time::from_ns(1);  ///< results are whole multiples: 1 ns as in files, or kMeasured

  /// Of what we measure ourselves: reading the clock alone takes a good part of it.
  static constexpr Time kMeasured = Time::from_us(1);

  Time above(Time longest) const {
    const Time more = mul_div_up(longest, kWhole + percent, kWhole);
    return div_up(more, grain.ns()).ns() * grain;
  }

  Time below(Time shortest) const {
    const Time less = shortest - mul_div_up(shortest, std::min(percent, kWhole), kWhole);
    return less.ns() / grain.ns() * grain;
  }

  /// What a file says about it.
  Measured measured(Time longest, std::int64_t runs) const {
    constexpr std::int64_t kBillionthsOfAPercent = 10'000'000;
    Measured made;
    made.runs = runs;
    made.worst = longest;
    made.margin = Margin{percent * kBillionthsOfAPercent};
    return made;
  }

 private:
  static constexpr std::int64_t kWhole = 100;
};

}  // namespace tactus
