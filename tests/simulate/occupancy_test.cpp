// What the engine counts on every start and end: nothing is taken twice, and all of it comes back.
#include "tactus/simulate/occupancy.hpp"

#include <gtest/gtest.h>

namespace tactus::simulate {
namespace {

constexpr ElementIndex kCores = 0, kSms = 1;

Occupancy four_cores_and_two_sms_of_eight_lanes() {
  Platform platform;
  platform.elements.resize(2);
  platform.elements[kCores].units = 4;
  platform.elements[kSms].units = 2;
  platform.elements[kSms].lanes = 8;
  return Occupancy(platform);
}

TEST(Occupancy, FillsAUnitToItsLastLaneAndNoFurther) {
  Occupancy sms = four_cores_and_two_sms_of_eight_lanes();
  EXPECT_TRUE(sms.take(kSms, 1, 5));
  EXPECT_TRUE(sms.take(kSms, 1, 3));
  EXPECT_FALSE(sms.take(kSms, 1, 1));
  EXPECT_TRUE(sms.take(kSms, 0, 8)) << "the other SM is free";
  EXPECT_EQ(sms.in_use(kSms), 17);
}

TEST(Occupancy, GivesAUnitWithoutLanesToOneWork) {
  Occupancy cores = four_cores_and_two_sms_of_eight_lanes();
  EXPECT_TRUE(cores.take(kCores, 2, 1));
  EXPECT_FALSE(cores.take(kCores, 2, 1));
}

TEST(Occupancy, CountsTheUnitsOfGangsTogether) {
  Occupancy cores = four_cores_and_two_sms_of_eight_lanes();
  EXPECT_TRUE(cores.take(kCores, 0, 2));
  EXPECT_TRUE(cores.take(kCores, 2, 2));
  EXPECT_FALSE(cores.take(kCores, 3, 1));
}

TEST(Occupancy, LetsWorksWithoutWidthShareAUnit) {
  Occupancy cores = four_cores_and_two_sms_of_eight_lanes();
  EXPECT_TRUE(cores.take(kCores, 0, 1));
  EXPECT_TRUE(cores.take(kCores, 0, 0));
  EXPECT_TRUE(cores.take(kCores, 0, 0));
  EXPECT_EQ(cores.in_use(kCores), 1);
}

TEST(Occupancy, TakesBackWhatIsGivenUp) {
  Occupancy both = four_cores_and_two_sms_of_eight_lanes();
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(both.take(kCores, 3, 4));
    EXPECT_TRUE(both.take(kSms, 0, 8));
    both.give(kCores, 3, 4);
    both.give(kSms, 0, 8);
    EXPECT_EQ(both.in_use(kCores), 0);
    EXPECT_EQ(both.in_use(kSms), 0);
  }
}

TEST(Occupancy, NeedsNoMemoryForUnitsThatNobodyUses) {
  Platform platform;
  platform.elements.resize(1);
  platform.elements[0].units = 2'147'483'647;
  Occupancy cores(platform);
  EXPECT_TRUE(cores.take(0, 2'000'000'000, 1));
  EXPECT_FALSE(cores.take(0, 2'000'000'000, 1));
}

}  // namespace
}  // namespace tactus::simulate
