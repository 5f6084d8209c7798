#include "tactus/base/statistics.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tactus {
namespace {

std::vector<Time> times(std::initializer_list<std::int64_t> ns) {
  std::vector<Time> all;
  for (const std::int64_t each : ns) all.push_back(Time::from_ns(each));
  return all;
}

TEST(Statistics, AreZeroWithoutAnything) {
  const Statistics none = statistics_of(times({}));
  EXPECT_EQ(none.count, 0u);
  EXPECT_EQ(none.max, Time());
}

TEST(Statistics, TakeQuantilesByNearestRank) {
  std::vector<Time> hundred;
  for (std::int64_t i = 100; i > 0; --i) hundred.push_back(Time::from_ns(i));
  const Statistics seen = statistics_of(hundred);
  EXPECT_EQ(seen.p50, Time::from_ns(50));
  EXPECT_EQ(seen.p99, Time::from_ns(99));
  EXPECT_EQ(seen.max, Time::from_ns(100));
  EXPECT_EQ(statistics_of(times({7})).p99, Time::from_ns(7));
  EXPECT_EQ(statistics_of(times({7, 9})).p99, Time::from_ns(9));
}

TEST(Statistics, GiveMeanAndDeviationOfTheSample) {
  const Statistics seen = statistics_of(times({2, 4, 4, 4, 5, 5, 7, 9}));
  EXPECT_EQ(seen.mean, Time::from_ns(5));
  EXPECT_EQ(seen.deviation, Time::from_ns(2));  // 2.138, whole nanoseconds
  EXPECT_EQ(statistics_of(times({3})).deviation, Time());
}

/// Sums of many long times exceed 64 bits.
TEST(Statistics, DoNotOverflow) {
  const std::vector<Time> long_ones(4, Time::from_ns(INT64_MAX - 1));
  EXPECT_EQ(statistics_of(long_ones).mean, Time::from_ns(INT64_MAX - 1));
}

TEST(Quantile, IsTheSmallestSampleThatEnoughDoNotExceed) {
  const std::vector<double> samples = {5, 1, 4, 2, 3};
  EXPECT_EQ(quantile(samples, 0.5), 3);
  EXPECT_EQ(quantile(samples, 0.2), 1);
  EXPECT_EQ(quantile(samples, 0.21), 2);
  EXPECT_EQ(quantile(samples, 1), 5);
  EXPECT_EQ(quantile(samples, 0), 1);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

TEST(SampleStatistics, CountsAndOrders) {
  const SampleStatistics summary = statistics_of(std::vector<double>{2, 4, 6, 8});
  EXPECT_EQ(summary.count, 4U);
  EXPECT_EQ(summary.min, 2);
  EXPECT_EQ(summary.p50, 4);
  EXPECT_EQ(summary.max, 8);
  EXPECT_EQ(summary.mean, 5);
  EXPECT_NEAR(summary.deviation, 2.582, 0.001);
  EXPECT_EQ(statistics_of(std::vector<double>()).count, 0U);
}

}  // namespace
}  // namespace tactus
