#include "statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tactus::statistics {

System draw(std::string_view recipe, std::uint64_t index, const Given& given) {
  const Recipe* found = find_recipe(recipe);
  const auto made = generate(*found, Settings(found->parameters, given), 2026, index);
  if (!made) {
    ADD_FAILURE() << made.error().message;
    return {};
  }
  return *made;
}

std::string refusal(std::string_view recipe, const Given& given) {
  const Recipe* found = find_recipe(recipe);
  const auto made = generate(*found, Settings(found->parameters, given), 1, 0);
  return made ? "" : made.error().message;
}

double ks_uniform(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, sample[i] - rank / n, (rank + 1) / n - sample[i]});
  }
  return distance * std::sqrt(n);
}

double ks_between(std::vector<double> one, std::vector<double> other) {
  std::sort(one.begin(), one.end());
  std::sort(other.begin(), other.end());
  const auto n = static_cast<double>(one.size()), m = static_cast<double>(other.size());
  double distance = 0;
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    ++(one[i] <= other[j] ? i : j);
    distance =
        std::max(distance, std::abs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  return distance * std::sqrt(n * m / (n + m));
}

double chi_square(const std::vector<std::uint64_t>& counts, const std::vector<double>& weights) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0ull));
  const double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * weights[i] / weight;
    const double off = static_cast<double>(counts[i]) - expected;
    sum += off * off / expected;
  }
  // The 0.999 quantile by Wilson and Hilferty.
  const auto freedom = static_cast<double>(counts.size() - 1);
  const double spread = 2 / (9 * freedom);
  return sum / (freedom * std::pow(1 - spread + 3.0902 * std::sqrt(spread), 3));
}

double chi_square_equal(const std::vector<std::uint64_t>& counts) {
  return chi_square(counts, std::vector<double>(counts.size(), 1.0));
}

}  // namespace tactus::statistics
