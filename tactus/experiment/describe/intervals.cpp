#include "tactus/experiment/describe/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus::experiment {
namespace {

constexpr double kZ = 1.959963984540054;  // 97.5 % quantile of the normal distribution

/// The same quantile of Student's t distribution, by its expansion in powers of 1/freedom: within
/// 0.2 % from 3 on.
double student(double freedom) {
  if (freedom < 2) return 12.706204736432095;
  if (freedom < 3) return 4.302652729911275;
  const double z = kZ, z2 = z * z, v = freedom;
  const double g1 = z * (z2 + 1) / 4;
  const double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

}  // namespace

Interval wilson(double hits, double count) {
  if (count <= 0) return {0, 1};
  const double ratio = hits / count, z2 = kZ * kZ / count;
  const double centre = (ratio + z2 / 2) / (1 + z2);
  const double half = kZ * std::sqrt(ratio * (1 - ratio) / count + z2 / (4 * count)) / (1 + z2);
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

Interval wilson_weighted(double hits, double sum, double squares) {
  if (sum <= 0 || squares <= 0) return {0, 1};
  const double count = sum * sum / squares;
  return wilson(std::min(1.0, hits / sum) * count, count);
}

bool ratios_differ(const SampledRatio& a, const SampledRatio& b) {
  constexpr double kNormal999 = 3.290527;  // the 0.9995 quantile of the normal distribution
  const auto shrunk = [](const SampledRatio& one) {
    return (one.ratio * one.count + 1) / (one.count + 2);
  };
  const auto variance = [](double ratio, double count) {
    return ratio * (1 - ratio) / (count + 2);
  };
  const double pa = shrunk(a), pb = shrunk(b);
  return std::abs(pa - pb) > kNormal999 * std::sqrt(variance(pa, a.count) + variance(pb, b.count));
}

double mcnemar(std::int64_t only_a, std::int64_t only_b) {
  const std::int64_t count = only_a + only_b, fewer = std::min(only_a, only_b);
  if (count == 0) return 1;
  const auto n = static_cast<double>(count);
  if (count > kMostExact) {
    const double away = std::max(0.0, n / 2 - static_cast<double>(fewer) - 0.5);
    return std::erfc(away / std::sqrt(n / 4) / std::sqrt(2.0));
  }
  double tail = 0;  // of at most as many of the rarer kind
  for (std::int64_t k = 0; k <= fewer; ++k) {
    const auto some = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(some + 1) - std::lgamma(n - some + 1) -
                     n * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

Spread spread_of(std::vector<double>& values) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) {
    return {kNothing, kNothing, kNothing, kNothing, kNothing, kNothing, kNothing, kNothing};
  }
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (double value : values) sum += value;
  const double mean = sum / count;
  for (double value : values) squares += (value - mean) * (value - mean);
  const double half =
      values.size() < 2 ? 0 : student(count - 1) * std::sqrt(squares / (count - 1) / count);
  const auto quantile = [&](double part) {
    const double place = part * (count - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
  };
  return {mean,           mean - half,   mean + half,    values.front(),
          quantile(0.25), quantile(0.5), quantile(0.75), values.back()};
}

}  // namespace tactus::experiment
