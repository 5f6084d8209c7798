#include "tactus/arbiter/tiers/channel_check.hpp"

#include <gtest/gtest.h>

#include "tactus/arbiter/preload/driver.hpp"
#include "tactus/arbiter/preload/tier_cost.hpp"
#include "tactus/arbiter/tiers/channel_notes.hpp"

namespace tactus::arbiter::tiers {
namespace {

TEST(TierCost, SurvivesItsText) {
  const TierCost cost{760'000, 650'000, 380'000, 350'000, 50};
  const TierCost back = preload::tier_cost_of(to_text(cost).c_str());
  EXPECT_EQ(back.take_off_max, cost.take_off_max);
  EXPECT_EQ(back.take_off_mean, cost.take_off_mean);
  EXPECT_EQ(back.put_back_max, cost.put_back_max);
  EXPECT_EQ(back.put_back_mean, cost.put_back_mean);
  EXPECT_EQ(back.samples, 50);
}

TEST(TierCost, IsNotKnownFromOtherText) {
  EXPECT_EQ(preload::tier_cost_of("").samples, 0);
  EXPECT_EQ(preload::tier_cost_of("1 2 3").samples, 0);
  EXPECT_EQ(preload::tier_cost_of("5 9 5 1 3").samples, 0);  // a mean above the maximum
  EXPECT_EQ(preload::tier_cost_of("5 1 5 1 -3").samples, 0);
}

TEST(TierCost, IsTheWorstAndTheMeanOfWhatWasMeasured) {
  TierFound tier;
  EXPECT_EQ(cost_of(tier).samples, 0);
  tier.take_off = {Time::from_us(10), Time::from_us(30)};
  tier.put_back = {Time::from_us(5), Time::from_us(7)};
  EXPECT_EQ(cost_of(tier).take_off_max, 30'000);
  EXPECT_EQ(cost_of(tier).take_off_mean, 20'000);
  EXPECT_EQ(cost_of(tier).put_back_max, 7'000);
  EXPECT_EQ(cost_of(tier).samples, 2);
}

TEST(CheckChannelTier, RefusesADriverItDoesNotKnowWithoutTouchingIt) {
  if (preload::loaded_driver().supported) GTEST_SKIP() << "this machine has such a driver";
  const auto answer = check_channel_tier({}, "");
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("the tier channel cannot be used"), std::string::npos);
}

}  // namespace
}  // namespace tactus::arbiter::tiers
