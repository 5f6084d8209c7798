#include "tactus/generate/shares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "statistics.hpp"
#include "tactus/generate/elementary.hpp"

namespace tactus {
namespace {

using statistics::kDraws;
using statistics::kKsLimit;

double sum(const std::vector<double>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

TEST(PortableLogAndExp, AgreeWithTheLibrary) {
  Random random(1, 0);
  for (int i = 0; i < 100'000; ++i) {
    const double x = random.real(-690, 690);
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 1e-13) << x;
    EXPECT_NEAR(portable_log(std::exp(x)), x, 1e-13 * (1 + std::abs(x)));
    const double u = random.real(1e-9, 2);
    EXPECT_NEAR(portable_log(u), std::log(u), 1e-14 * (1 + std::abs(std::log(u))));
  }
  EXPECT_EQ(portable_exp(-1e9), 0);
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_log(1), 0);
}

/// Each of n shares of 1 is Beta(1, n - 1), so (1 - x)^(n - 1) is uniform.
TEST(UUniFast, GivesEveryShareTheBetaDistribution) {
  constexpr std::size_t kCount = 5;
  std::vector<std::vector<double>> seen(kCount);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    Random random(3, i);
    const auto shares = split_uniformly(2, kCount, random);
    EXPECT_NEAR(sum(shares), 2, 1e-12);
    for (std::size_t k = 0; k < kCount; ++k) {
      seen[k].push_back(std::pow(1 - shares[k] / 2, kCount - 1));
    }
  }
  for (auto& values : seen) EXPECT_LT(statistics::ks_uniform(std::move(values)), kKsLimit);
}

/// Three shares of 1 are points of a triangle. Squares of the grid that lie wholly within the
/// bounds have the same area, so they must be met equally often.
TEST(Drs, IsUniformWhereSeveralBoundsCut) {
  const std::vector<Bounds> bounds = {{0, 0.3}, {0.05, 0.45}, {0.1, 0.6}};
  constexpr int kGrid = 40;
  std::map<std::pair<int, int>, std::uint64_t> hits;
  for (std::uint64_t i = 0; i < 10 * kDraws; ++i) {
    Random random(4, i);
    const auto shares = split_within(1, bounds, random);
    ASSERT_NEAR(sum(shares), 1, 1e-12);
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_GE(shares[k], bounds[k].low);
      ASSERT_LE(shares[k], bounds[k].high + 1e-15);
    }
    ++hits[{static_cast<int>(shares[0] * kGrid), static_cast<int>(shares[1] * kGrid)}];
  }
  std::vector<std::uint64_t> inside;
  for (int x = 0; x < kGrid; ++x) {
    for (int y = 0; y < kGrid; ++y) {
      const auto corner = [](int at) { return static_cast<double>(at) / kGrid; };
      const auto within = [&](double a, double b) {
        const double c = 1 - a - b;
        return a <= 0.3 + 1e-9 && b >= 0.05 - 1e-9 && b <= 0.45 + 1e-9 && c >= 0.1 && c <= 0.6;
      };
      if (within(corner(x), corner(y)) && within(corner(x + 1), corner(y + 1))) {
        inside.push_back(hits[{x, y}]);
      }
    }
  }
  ASSERT_GT(inside.size(), 80u);
  EXPECT_LT(statistics::chi_square_equal(inside), 1);
}

/// Discarding is uniform by construction, and slow; the other must have the same marginals.
TEST(Drs, DrawsWhatDiscardingDraws) {
  const std::vector<std::vector<Bounds>> cases = {
      {{0, 1}, {0, 1}, {0, 1}, {0, 1}},
      {{0, 0.35}, {0, 0.35}, {0, 0.35}, {0, 0.35}},
      {{0.1, 0.2}, {0, 0.9}, {0.05, 0.4}, {0.2, 0.5}, {0, 0.1}},
  };
  for (const auto& bounds : cases) {
    std::vector<std::vector<double>> one(bounds.size()), other(bounds.size());
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      Random random(5, i), second(6, i);
      const auto shares = split_within(1, bounds, random);
      const auto discarded = split_discarding(1, bounds, second, 1'000'000);
      ASSERT_TRUE(discarded);
      for (std::size_t k = 0; k < bounds.size(); ++k) {
        one[k].push_back(shares[k]);
        other[k].push_back((*discarded)[k]);
      }
    }
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      EXPECT_LT(statistics::ks_between(one[k], other[k]), kKsLimit) << "share " << k;
    }
  }
}

TEST(Drs, EndsWhereHardlyAnySplitIsLeft) {
  for (double total : {0.0, 1e-9, 0.5, 25.0, 49.999, 49.999999999, 50.0}) {
    const std::vector<Bounds> bounds(50);
    Random random(7, 0);
    const auto shares = split_within(total, bounds, random);
    EXPECT_NEAR(sum(shares), total, 1e-9);
    for (double share : shares) {
      EXPECT_GE(share, 0);
      EXPECT_LE(share, 1 + 1e-12);
    }
  }
  Random random(7, 1);
  EXPECT_EQ(split_within(3, std::vector<Bounds>{{3, 3}}, random), std::vector<double>{3});
}

TEST(Split, HasTheThreeWaysAndSaysWhenThereIsNoSplit) {
  Random random(8, 0);
  for (Splitter splitter : {Splitter::kUUniFast, Splitter::kDiscard, Splitter::kDrs}) {
    const auto shares = split(splitter, 2.5, 4, {0, 1}, random);
    ASSERT_TRUE(shares);
    EXPECT_NEAR(sum(*shares), 2.5, 1e-12);
  }
  EXPECT_FALSE(split(Splitter::kDrs, 2.5, 2, {0, 1}, random));
  EXPECT_FALSE(split(Splitter::kDiscard, 0.1, 2, {0.2, 1}, random));
  // Discarding gives up here, and DRS takes over.
  const auto tight = split(Splitter::kDiscard, 9.99, 10, {0, 1}, random);
  ASSERT_TRUE(tight);
  for (double share : *tight) EXPECT_LE(share, 1 + 1e-12);
}

}  // namespace
}  // namespace tactus
