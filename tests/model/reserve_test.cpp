#include "tactus/model/reserve.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tactus {
namespace {

constexpr auto ns = Time::from_ns;

TEST(Reserve, IsAddedToTheLongestAndTakenFromTheShortest) {
  const Reserve reserve{20};
  EXPECT_EQ(reserve.above(ns(1000)), ns(1200));
  EXPECT_EQ(reserve.below(ns(1000)), ns(800));
}

TEST(Reserve, RoundsAwayFromWhatWasSeen) {
  const Reserve exact{10}, measured{10, Reserve::kMeasured};
  EXPECT_EQ(exact.above(ns(11)), ns(13));             // 12.1
  EXPECT_EQ(exact.below(ns(11)), ns(9));              // 9.9
  EXPECT_EQ(measured.above(ns(10'001)), ns(12'000));  // 11.0011 us
  EXPECT_EQ(measured.below(ns(10'001)), ns(9'000));   // 9.0009 us
}

TEST(Reserve, OfNothingLeavesWhatWasSeen) {
  EXPECT_EQ(Reserve{}.above(ns(7)), ns(7));
  EXPECT_EQ(Reserve{}.below(ns(7)), ns(7));
}

TEST(Reserve, OfAllAndMoreTakesNoMoreThanThereIs) {
  EXPECT_EQ(Reserve{100}.below(ns(7)), Time());
  EXPECT_EQ(Reserve{300}.below(ns(7)), Time());
  EXPECT_EQ(Reserve{300}.above(ns(7)), ns(28));
}

TEST(Reserve, IsNeverSmallerThanItsShareNorLessThanAGrainTooLarge) {
  std::mt19937_64 random(20261117);
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t percent = std::uniform_int_distribution<std::int64_t>(0, 300)(random);
    const std::int64_t seen = std::uniform_int_distribution<std::int64_t>(0, 1'000'000'000)(random);
    const Time grain = i % 2 == 0 ? ns(1) : Reserve::kMeasured;
    const Reserve reserve{percent, grain};
    const Time above = reserve.above(ns(seen)), below = reserve.below(ns(seen));
    EXPECT_GE(100 * above.ns(), (100 + percent) * seen);
    EXPECT_LT(100 * (above - grain).ns(), (100 + percent) * seen + 100);
    EXPECT_LE(100 * below.ns(), std::max<std::int64_t>(100 - percent, 0) * seen);
    EXPECT_EQ(above.ns() % grain.ns(), 0);
    EXPECT_EQ(below.ns() % grain.ns(), 0);
    EXPECT_GE(below, Time());
  }
}

TEST(Reserve, SaysWhatItIs) {
  const Measured measured = Reserve{25}.measured(ns(902'400), 3);
  EXPECT_EQ(measured.runs, 3);
  EXPECT_EQ(measured.worst, ns(902'400));
  EXPECT_EQ(measured.margin, Margin{250'000'000});
  EXPECT_FALSE(measured.alone || measured.enemy || measured.on || measured.date);
}

}  // namespace
}  // namespace tactus
