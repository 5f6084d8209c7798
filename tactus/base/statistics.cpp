#include "tactus/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tactus {
namespace {

/// By nearest rank: what stands in the samples. @pre there are some
template <typename Number>
void rank(std::vector<Number> samples, StatisticsOf<Number>& result) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](std::size_t percent) {
    return samples[(samples.size() * percent + 99) / 100 - 1];
  };
  result.count = samples.size();
  result.min = samples.front();
  result.p50 = at(50);
  result.p99 = at(99);
  result.max = samples.back();
}

/// @param off how far each sample is from the mean
template <typename Samples, typename Off>
double deviation_of(const Samples& samples, const Off& off) {
  if (samples.size() < 2) return 0;
  double squares = 0;
  for (const auto& sample : samples) squares += off(sample) * off(sample);
  return std::sqrt(squares / static_cast<double>(samples.size() - 1));
}

}  // namespace

Statistics statistics_of(std::span<const Time> times) {
  Statistics result;
  if (times.empty()) return result;
  rank({times.begin(), times.end()}, result);
  __int128 sum = 0;
  for (const Time time : times) sum += time.ns();
  result.mean = Time::from_ns(static_cast<std::int64_t>(sum / static_cast<__int128>(times.size())));
  result.deviation = Time::from_ns(static_cast<std::int64_t>(deviation_of(
      times, [&](Time time) { return static_cast<double>((time - result.mean).ns()); })));
  return result;
}

SampleStatistics statistics_of(std::vector<double> samples) {
  SampleStatistics result;
  if (samples.empty()) return result;
  result.mean =
      std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  result.deviation = deviation_of(samples, [&](double sample) { return sample - result.mean; });
  rank(std::move(samples), result);
  return result;
}

double quantile(std::vector<double> samples, double share) {
  if (samples.empty()) return 0;
  const double rank = std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(samples.size()));
  const auto at = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(samples.begin(), samples.begin() + at, samples.end());
  return samples[static_cast<std::size_t>(at)];
}

}  // namespace tactus
