#include "tactus/base/time.hpp"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(Time, AddsSubtractsAndScales) {
  const Time two = Time::from_ms(2), three = Time::from_us(3000);
  EXPECT_EQ((two + three).ns(), 5'000'000);
  EXPECT_EQ((two - three).ns(), -1'000'000);
  EXPECT_EQ((4 * two).ns(), 8'000'000);
}

TEST(Time, RefusesToWrapAround) {
  EXPECT_THROW(Time::max() + Time::from_ns(1), OverflowError);
  EXPECT_THROW(Time::from_ns(INT64_MIN) - Time::from_ns(1), OverflowError);
  EXPECT_THROW(2 * Time::max(), OverflowError);
  EXPECT_THROW(Time::from_ms(INT64_MAX), OverflowError);
}

TEST(Time, CountsWholeStepsThatCover) {
  const Time step = Time::from_ns(10);
  EXPECT_EQ(ceil_div(Time(), step), 0);
  EXPECT_EQ(ceil_div(Time::from_ns(1), step), 1);
  EXPECT_EQ(ceil_div(Time::from_ns(10), step), 1);
  EXPECT_EQ(ceil_div(Time::from_ns(11), step), 2);
  EXPECT_EQ(ceil_div(Time::max(), Time::from_ns(1)), INT64_MAX);
}

TEST(Time, MultipliesAndDividesInto128Bits) {
  EXPECT_EQ(mul_div_up(Time::from_ns(INT64_MAX), 3, 3), Time::max());
  EXPECT_EQ(mul_div_up(Time::from_ns(10), 1, 3).ns(), 4);
  EXPECT_EQ(div_up(Time::from_ns(9), 3).ns(), 3);
  EXPECT_THROW(mul_div_up(Time::max(), 2, 1), OverflowError);
}

TEST(Time, ClampsAtZero) {
  EXPECT_EQ(clamp_at_zero(Time::from_ns(-5)), Time());
  EXPECT_EQ(clamp_at_zero(Time::from_ns(5)).ns(), 5);
}

}  // namespace
}  // namespace tactus
