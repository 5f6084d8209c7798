#include "tactus/generate/shares.hpp"

#include <algorithm>
#include <cmath>

#include "tactus/generate/elementary.hpp"

namespace tactus {

void split_uniformly(double total, Random& random, std::span<double> shares) {
  const auto points = shares.first(shares.size() - 1);
  for (double& point : points) point = random.real();
  std::sort(points.begin(), points.end());
  double end = 1;
  for (std::size_t i = points.size(); i > 0; --i) {
    const double begin = points[i - 1];
    shares[i] = (end - begin) * total;
    end = begin;
  }
  shares.front() = end * total;
}

std::vector<double> split_uniformly(double total, std::size_t count, Random& random) {
  std::vector<double> shares(count);
  if (count > 0) split_uniformly(total, random, shares);
  return shares;
}

std::optional<std::vector<double>> split_discarding(double total, std::span<const Bounds> bounds,
                                                    Random& random, int tries) {
  for (int attempt = 0; attempt < tries; ++attempt) {
    std::vector<double> shares = split_uniformly(total, bounds.size(), random);
    bool inside = true;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      inside = inside && shares[i] >= bounds[i].low && shares[i] <= bounds[i].high;
    }
    if (inside) return shares;
  }
  return std::nullopt;
}

namespace {

/// Below this |t| the formulas lose digits; their first-order forms are then exact to 1e-10.
constexpr double kSmallRate = 1e-5;

/// The mean of a variable on [0, 1] with density proportional to e^(t x).
double truncated_mean(double t) {
  if (std::abs(t) < kSmallRate) return 0.5 + t / 12;
  if (t > 0) return 1 - truncated_mean(-t);
  return -portable_exp(t) / (1 - portable_exp(t)) - 1 / t;
}

/// One draw of that variable, by inversion.
double draw_truncated(double t, Random& random) {
  const double u = random.real();
  if (std::abs(t) < kSmallRate) return u + t * u * (1 - u) / 2;
  const double y = portable_log(1 - u * (1 - portable_exp(-std::abs(t)))) / -std::abs(t);
  return t < 0 ? y : 1 - y;
}

/// The common rate at which variables on [0, widths] add up to `total` on average.
double rate_for(double total, std::span<const double> widths) {
  const auto mean = [&](double rate) {
    double sum = 0;
    for (double width : widths) sum += width * truncated_mean(rate * width);
    return sum;
  };
  double low = -1, high = 1;
  while (mean(low) > total && low > -1e15) low *= 2;
  while (mean(high) < total && high < 1e15) high *= 2;
  // Any rate is correct; this many steps make a good one.
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (mean(middle) < total ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

std::vector<double> split_within(double total, std::span<const Bounds> bounds, Random& random) {
  std::vector<double> shares, widths;
  double rest = total, room = 0;
  for (const Bounds& bound : bounds) {
    shares.push_back(bound.low);
    widths.push_back(bound.high - bound.low);
    rest -= bound.low;
    room += widths.back();
  }
  constexpr double kEdge = 1e-12;
  if (rest <= kEdge * room) return shares;
  if (rest >= (1 - kEdge) * room) {
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = bounds[i].high;
    return shares;
  }
  const double rate = rate_for(rest, widths);
  // The widest takes what the others leave: there an attempt succeeds most often.
  const auto last =
      static_cast<std::size_t>(std::max_element(widths.begin(), widths.end()) - widths.begin());
  const double likeliest = rate > 0 ? widths[last] : 0;
  std::vector<double> drawn(widths.size());
  for (;;) {
    double left = rest;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (i == last) continue;
      drawn[i] = widths[i] * draw_truncated(rate * widths[i], random);
      left -= drawn[i];
    }
    if (left < 0 || left > widths[last]) continue;
    if (random.real() >= portable_exp(rate * (left - likeliest))) continue;
    drawn[last] = left;
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += drawn[i];
    return shares;
  }
}

bool can_split(double total, std::size_t count, Bounds each) {
  // A little room, so that rounding does not matter for a total of count equal bounds.
  const double n = static_cast<double>(count), slack = 1e-12 * total;
  return n * each.low <= total + slack && n * each.high >= total - slack;
}

std::optional<std::vector<double>> split(Splitter splitter, double total, std::size_t count,
                                         Bounds each, Random& random) {
  if (splitter == Splitter::kUUniFast) return split_uniformly(total, count, random);
  if (!can_split(total, count, each)) return std::nullopt;
  const std::vector<Bounds> bounds(count, each);
  if (splitter == Splitter::kDiscard) {
    if (auto shares = split_discarding(total, bounds, random)) return shares;
  }
  return split_within(total, bounds, random);
}

}  // namespace tactus
