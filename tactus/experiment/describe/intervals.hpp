#pragma once

#include <cstdint>
#include <vector>

namespace tactus::experiment {

struct Interval {
  double low = 0, high = 0;
};

/// Wilson's 95 % interval of a ratio of `hits` in `count`, as fractions; [0, 1] when count is 0.
/// Unlike the normal one it stays inside [0, 1] and has a width at 0 and 1.
Interval wilson(double hits, double count);

/// The same of a weighted ratio: `hits` of `sum`, the sum of weights whose squares have the sum
/// `squares`. It is Wilson's interval for as many sets as have, with equal weights, the same
/// variance (Kish's effective size, sum^2 / squares); so it has a width at 0 and 1, too.
Interval wilson_weighted(double hits, double sum, double squares);

/// A ratio that was found in a sample of so many.
struct SampledRatio {
  double ratio = 0, count = 0;
};

/// Do two samples differ more than 999 of 1000 pairs of samples of the same ratio do? By the interval of
/// Agresti and Caffo, which adds two hits and two misses, so that it has a width at 0 and 1.
bool ratios_differ(const SampledRatio& a, const SampledRatio& b);

/// How likely two methods that are equally good differ at least as much as they do: McNemar's test
/// of the sets that only one of them accepts, two-sided. Exact (a binomial of 1/2) up to
/// `kMostExact` such sets; beyond, by the normal distribution with continuity correction.
inline constexpr std::int64_t kMostExact = 10'000;
double mcnemar(std::int64_t only_a, std::int64_t only_b);

/// Mean, its 95 % interval (Student's; of a single value no more than that), and the quartiles
/// (interpolated) of some values; all NaN when there are none. Sorts them.
struct Spread {
  double mean, low, high;
  double least, quartile1, median, quartile3, most;
};
Spread spread_of(std::vector<double>& values);

}  // namespace tactus::experiment
