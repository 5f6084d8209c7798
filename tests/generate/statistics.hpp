#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tactus/generate/recipe.hpp"

/// Is a sample what it is said to be? Seeds are fixed, so an answer never changes by chance; the
/// levels are such that one test in a thousand would fail on good numbers.
namespace tactus::statistics {

/// How many systems a test of a recipe draws.
inline constexpr std::uint64_t kDraws = 10'000;

using Given = std::map<std::string, std::string, std::less<>>;

/// The index-th system; a test failure when the settings are refused.
System draw(std::string_view recipe, std::uint64_t index, const Given& given = {});

/// What `generate` says against the settings; empty when nothing.
std::string refusal(std::string_view recipe, const Given& given);

/// Kolmogorov-Smirnov, sqrt(n) times the largest distance to the uniform distribution on [0, 1].
double ks_uniform(std::vector<double> sample);
/// The same between two samples.
double ks_between(std::vector<double> one, std::vector<double> other);
inline constexpr double kKsLimit = 1.95;

/// Pearson's chi-square of counts that should be equal, as a part of its 0.999 quantile: below 1
/// is good.
double chi_square_equal(const std::vector<std::uint64_t>& counts);
/// The same for counts expected in proportion to the weights.
double chi_square(const std::vector<std::uint64_t>& counts, const std::vector<double>& weights);

/// Of a real in [low, high), as a number in [0, 1).
inline double scaled(double value, double low, double high) { return (value - low) / (high - low); }

}  // namespace tactus::statistics
