#include "tactus/runtime/measure/tail.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace tactus::runtime {
namespace {

constexpr std::size_t kLeastBlock = 10, kFewestBlocks = 20;
/// Of the normal distribution: two-sided 1 %, one-sided 1 %, one-sided 5 %.
constexpr double kTwoSided = 2.576, kOneSided = 2.326, kConfidence = 1.645;
/// Of the Kolmogorov-Smirnov statistic times the root of the count, for a Gumbel distribution whose
/// parameters were estimated: 1 % (Chandra, Singpurwalla and Stephens 1981).
constexpr double kFitsGumbel = 1.007;

/// By probability-weighted moments. @pre `maxima` rises
void fit(Tail& tail, const std::vector<double>& maxima) {
  const auto n = static_cast<double>(maxima.size());
  double mean = 0, weighted = 0;
  for (std::size_t i = 0; i < maxima.size(); ++i) {
    mean += maxima[i] / n;
    weighted += maxima[i] * static_cast<double>(i) / (n * (n - 1));
  }
  tail.beta = std::max((2 * weighted - mean) / std::numbers::ln2, 0.0);
  tail.mu = mean - std::numbers::egamma * tail.beta;
}

bool fits(const Tail& tail, const std::vector<double>& maxima) {
  const auto n = static_cast<double>(maxima.size());
  double farthest = 0;
  for (std::size_t i = 0; i < maxima.size(); ++i) {
    const double expected = std::exp(-std::exp(-(maxima[i] - tail.mu) / tail.beta));
    const auto at = static_cast<double>(i);
    farthest = std::max({farthest, expected - at / n, (at + 1) / n - expected});
  }
  return farthest * std::sqrt(n) <= kFitsGumbel;
}

/// What exceeds the nine shortest tenths varies more than an exponential tail would.
bool is_heavy(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t first = values.size() * 9 / 10;
  const double threshold = values[first - 1];
  const auto count = static_cast<double>(values.size() - first);
  double mean = 0, square = 0;
  for (std::size_t i = first; i < values.size(); ++i) mean += (values[i] - threshold) / count;
  for (std::size_t i = first; i < values.size(); ++i) {
    square += (values[i] - threshold - mean) * (values[i] - threshold - mean) / (count - 1);
  }
  return mean > 0 && std::sqrt(square) / mean > 1 + kOneSided / std::sqrt(count);
}

}  // namespace

Time Tail::exceeded_with(double probability) const {
  if (beta == 0) return Time::from_ns(std::llround(mu));
  const double inside = static_cast<double>(block) * std::log1p(-probability);
  const double y = -std::log(-inside);
  const double spread =
      std::sqrt((1.1128 + 0.4574 * y + 0.8046 * y * y) / static_cast<double>(blocks));
  return Time::from_ns(std::llround(mu + beta * (y + kConfidence * spread)));
}

Tail tail_of(std::span<const Time> samples, double autocorrelation) {
  Tail tail;
  std::vector<double> values;
  for (const Time sample : samples) values.push_back(static_cast<double>(sample.ns()));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (values.size() >= kFewestForDoubt && *least == *most) {  // as on the emulator
    tail.mu = *most;
    tail.blocks = 1;
    return tail;
  }
  if (values.size() < kFewestForTail) {
    tail.doubt = "too few runs";
    return tail;
  }
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(values.size())));
  tail.block = std::max(kLeastBlock, std::min(root, values.size() / kFewestBlocks));
  std::vector<double> maxima;
  for (std::size_t i = 0; i + tail.block <= values.size(); i += tail.block) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i);
    maxima.push_back(*std::max_element(begin, begin + static_cast<std::ptrdiff_t>(tail.block)));
  }
  tail.blocks = maxima.size();
  std::sort(maxima.begin(), maxima.end());
  fit(tail, maxima);
  if (maxima.front() == maxima.back()) {  // nothing is above the longest
    tail.mu = *most;
    tail.beta = 0;
  } else if (std::abs(autocorrelation) * std::sqrt(static_cast<double>(values.size())) >
             kTwoSided) {
    tail.doubt = "not independent";
  } else if (is_heavy(values)) {
    tail.doubt = "a heavy tail";
  } else if (!fits(tail, maxima)) {
    tail.doubt = "not as fitted";
  }
  return tail;
}

}  // namespace tactus::runtime
