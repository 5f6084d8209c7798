#pragma once

#include <span>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus {

/// A summary of many samples; all zero if there are none.
template <typename Number>
struct StatisticsOf {
  std::size_t count = 0;
  Number mean{}, deviation{};         ///< of the sample
  Number min{}, p50{}, p99{}, max{};  ///< nearest rank
};

using Statistics = StatisticsOf<Time>;
Statistics statistics_of(std::span<const Time> times);

/// In whatever they are: nanoseconds with fractions of what was measured many times in one go.
using SampleStatistics = StatisticsOf<double>;
SampleStatistics statistics_of(std::vector<double> samples);

/// The smallest sample that at least `share` (0..1) of them do not exceed; 0 without samples.
double quantile(std::vector<double> samples, double share);

}  // namespace tactus
