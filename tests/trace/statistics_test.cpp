#include "tactus/trace/statistics.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tactus::trace {
namespace {

std::vector<Time> times(std::initializer_list<std::int64_t> ns) {
  std::vector<Time> all;
  for (const std::int64_t each : ns) all.push_back(Time::from_ns(each));
  return all;
}

TEST(Statistics, AreZeroWithoutAnything) {
  const Statistics none = statistics_of({});
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

}  // namespace
}  // namespace tactus::trace
