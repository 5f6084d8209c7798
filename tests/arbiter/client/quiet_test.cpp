#include "tactus/arbiter/client/quiet.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tactus::arbiter::client {
namespace {

constexpr Seen kNothing{};
constexpr Seen kLate{.late = true};
constexpr Seen running(std::uint32_t count) { return {.running = count}; }
constexpr Seen kDead{.dead = 1};
constexpr Seen kVanished{.vanished = 1};

/// What the passes find, one after the other; afterwards all is still. What was done is written
/// down: b for a walk below the root, e for a pass over all processes.
struct Script {
  std::vector<Seen> below = {}, everywhere = {};
  std::string passes = {};
  bool restless = false;

  bool play() {
    std::size_t b = 0, e = 0;
    return stop_until_quiet(
        [&] {
          passes += 'b';
          return b < below.size() ? below[b++] : kNothing;
        },
        [&] {
          passes += 'e';
          return e < everywhere.size() ? everywhere[e++] : kNothing;
        },
        restless);
  }
};

TEST(StopUntilQuiet, WalksTwiceWhereNothingRuns) {
  Script script;
  EXPECT_TRUE(script.play());
  EXPECT_EQ(script.passes, "bb");
  EXPECT_FALSE(script.restless);
}

TEST(StopUntilQuiet, LooksTwiceMoreAfterAWalkThatStoppedSome) {
  Script script{.below = {running(3)}};
  EXPECT_TRUE(script.play());
  EXPECT_EQ(script.passes, "bbb");
  EXPECT_FALSE(script.restless) << "what ran at the beginning is no change";
}

TEST(StopUntilQuiet, ChecksAllProcessesTwiceAfterALaterWalkHasFoundMore) {
  Script script{.below = {running(3), running(1)}};
  EXPECT_TRUE(script.play());
  EXPECT_EQ(script.passes, "bbbbebbebb");
  EXPECT_TRUE(script.restless);
}

TEST(StopUntilQuiet, ChecksAllProcessesWhereOneHasDied) {
  Script script{.below = {kDead}};
  EXPECT_TRUE(script.play());
  EXPECT_EQ(script.passes, "bbebbebb");
  EXPECT_TRUE(script.restless);
}

TEST(StopUntilQuiet, BeginsAgainWhenACheckFindsOneThatRuns) {
  Script script{.below = {kDead}, .everywhere = {kNothing, running(1)}};
  EXPECT_TRUE(script.play());
  EXPECT_EQ(script.passes, "bbebbebbebbebb");
}

TEST(StopUntilQuiet, BeginsAgainWhenOneVanishesDuringACheck) {
  Script script{.below = {kDead}, .everywhere = {kVanished}};
  EXPECT_TRUE(script.play());
  EXPECT_EQ(script.passes, "bbebbebbebb");
}

TEST(StopUntilQuiet, WalksOnBetweenTwoChecksUntilAWalkFindsNothingTwice) {
  Script script{.below = {kDead, kNothing, running(1), kNothing, running(2)}};
  EXPECT_TRUE(script.play());
  EXPECT_EQ(script.passes, "bbebbbbbebb");
}

TEST(StopUntilQuiet, GivesUpAtOnceWhenAPassIsLate) {
  Script at_first{.below = {kLate}};
  EXPECT_FALSE(at_first.play());
  EXPECT_EQ(at_first.passes, "b");
  Script later{.below = {kDead}, .everywhere = {kNothing, kLate}};
  EXPECT_FALSE(later.play());
  EXPECT_EQ(later.passes, "bbebbe");
}

}  // namespace
}  // namespace tactus::arbiter::client
