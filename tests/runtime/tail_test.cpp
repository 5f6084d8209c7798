// The fitted upper tail of measured times: what it claims is seen that often, and it says when it knows
// nothing.
#include "tactus/runtime/measure/tail.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tactus::runtime {
namespace {

template <typename Distribution>
std::vector<Time> drawn(std::size_t count, Distribution distribution, unsigned seed = 1) {
  std::mt19937_64 source(seed);
  std::vector<Time> times;
  for (std::size_t i = 0; i < count; ++i) {
    times.push_back(Time::from_ns(1'000'000 + std::llround(10'000 * distribution(source))));
  }
  return times;
}

double share_above(const std::vector<Time>& times, Time bound) {
  const auto above =
      std::count_if(times.begin(), times.end(), [&](Time time) { return time > bound; });
  return static_cast<double>(above) / static_cast<double>(times.size());
}

TEST(Tail, ClaimsOfLightTailsAreNotExceededMoreOften) {
  int trusted = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto seen = drawn(1000, std::normal_distribution<double>(), seed);
    const auto later = drawn(200'000, std::normal_distribution<double>(), 1000 + seed);
    const Tail tail = tail_of(seen, 0.0);
    if (!tail.trusted()) continue;
    ++trusted;
    EXPECT_LE(share_above(later, tail.exceeded_with(1e-3)), 1.3e-3) << seed;
    EXPECT_LE(share_above(later, tail.exceeded_with(1e-4)), 2e-4) << seed;
    EXPECT_LT(tail.exceeded_with(1e-3), Time::from_ns(1'000'000 + 10'000 * 6)) << "not far above";
  }
  EXPECT_GE(trusted, 16);
}

TEST(Tail, AnExponentialTailIsFitted) {
  const auto seen = drawn(2000, std::exponential_distribution<double>());
  const auto later = drawn(200'000, std::exponential_distribution<double>(), 77);
  const Tail tail = tail_of(seen, 0.0);
  ASSERT_TRUE(tail.trusted()) << tail.doubt;
  EXPECT_LE(share_above(later, tail.exceeded_with(1e-3)), 1.3e-3);
  EXPECT_GT(share_above(later, tail.exceeded_with(1e-3)), 1e-5);
}

TEST(Tail, OneOutlierIsAHeavyTail) {
  auto seen = drawn(1000, std::normal_distribution<double>());
  seen[100] = Time::from_ms(4);
  EXPECT_EQ(tail_of(seen, 0.0).doubt, "a heavy tail");
}

TEST(Tail, TimesThatDependOnEachOtherAreNotFitted) {
  EXPECT_EQ(tail_of(drawn(1000, std::normal_distribution<double>()), 0.5).doubt, "not independent");
}

TEST(Tail, FewRunsSayNothing) {
  EXPECT_EQ(tail_of(drawn(999, std::normal_distribution<double>()), 0.0).doubt, "too few runs");
}

TEST(Tail, TimesThatAreAllTheSameHaveNone) {
  const std::vector<Time> same(200, Time::from_ms(3));
  const Tail tail = tail_of(same, 0.0);
  ASSERT_TRUE(tail.trusted());
  EXPECT_EQ(tail.exceeded_with(1e-6), Time::from_ms(3));
}

}  // namespace
}  // namespace tactus::runtime
