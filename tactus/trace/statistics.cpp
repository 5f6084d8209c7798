#include "tactus/trace/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tactus::trace {

Statistics statistics_of(std::span<const Time> times) {
  Statistics result;
  result.count = times.size();
  if (times.empty()) return result;
  std::vector<Time> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  const auto rank = [&](std::size_t percent) {
    return sorted[(sorted.size() * percent + 99) / 100 - 1];
  };
  result.min = sorted.front();
  result.p50 = rank(50);
  result.p99 = rank(99);
  result.max = sorted.back();
  __int128 sum = 0;
  for (const Time time : times) sum += time.ns();
  const auto count = static_cast<__int128>(times.size());
  result.mean = Time::from_ns(static_cast<std::int64_t>(sum / count));
  if (times.size() > 1) {
    double squares = 0;
    for (const Time time : times) {
      const auto off = static_cast<double>((time - result.mean).ns());
      squares += off * off;
    }
    result.deviation = Time::from_ns(
        static_cast<std::int64_t>(std::sqrt(squares / static_cast<double>(times.size() - 1))));
  }
  return result;
}

}  // namespace tactus::trace
