#include "tactus/arbiter/client/channel_tier.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "tactus/host/clock.hpp"

namespace tactus::arbiter::client {
namespace {

int stops = 0, resumes = 0, stop_answer = 8, refusals = 0;

const ChannelFunctions kFake = {[] { return ++stops, stop_answer; },
                                [] { return ++resumes, refusals-- > 0 ? -EPERM : 8; }};

struct ChannelTierTest : testing::Test {
  ChannelTierTest() { stops = 0, resumes = 0, stop_answer = 8, refusals = 0; }
  Tier tier = channel_tier(kFake);
};

TEST_F(ChannelTierTest, TakesOffAndPutsBack) {
  EXPECT_STREQ(tier.name, "channel");
  EXPECT_FALSE(tier.held_at_begin);  // launches queue up in the channels
  EXPECT_EQ(tier.take_off(tier.self, host::now_ns() + 1'000'000'000), TierResult::kDone);
  EXPECT_EQ(tier.put_back(tier.self), TierResult::kDone);
  EXPECT_EQ(stops, 1);
  EXPECT_EQ(resumes, 1);
}

TEST_F(ChannelTierTest, SaysWhenItWasTooLate) {
  EXPECT_EQ(tier.take_off(tier.self, host::now_ns() - 1), TierResult::kLate);
}

TEST_F(ChannelTierTest, SaysWhenTheDriverRefuses) {
  stop_answer = -EPERM;
  EXPECT_EQ(tier.take_off(tier.self, host::now_ns() + 1'000'000'000), TierResult::kFailed);
}

TEST_F(ChannelTierTest, DoesNotTakeOneRefusalForAnAnswerWhenPuttingBack) {
  refusals = 3;
  EXPECT_EQ(tier.put_back(tier.self), TierResult::kDone);
  EXPECT_EQ(resumes, 4);
}

TEST_F(ChannelTierTest, IsNotFoundInAProcessWithoutThePreloadedLibrary) {
  EXPECT_EQ(find_channel_functions().stop, nullptr);
}

}  // namespace
}  // namespace tactus::arbiter::client
