#include "tactus/model/rhythm.hpp"

#include <gtest/gtest.h>

#include "tactus/base/random.hpp"

namespace tactus {
namespace {

Time us(std::int64_t time) { return Time::from_us(time); }

/// Is there a first arrival with which all are released within `late` of arrivals a period apart?
bool fits_a_grid(const std::vector<Time>& starts, Time period, Time late) {
  Time latest_first = starts.front(), earliest_first = starts.front() - late;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const Time shifted = starts[k] - static_cast<std::int64_t>(k) * period;
    latest_first = std::min(latest_first, shifted);
    earliest_first = std::max(earliest_first, shifted - late);
  }
  return earliest_first <= latest_first;
}

TEST(Rhythm, IsFoundInJobsThatComeLate) {
  for (std::uint64_t index = 0; index < 50; ++index) {
    Random random(3, index);
    std::vector<Time> starts;
    for (int k = 0; k < 200; ++k) starts.push_back(us(33'000 * k + random.integer(0, 3'000)));
    const auto rhythm = rhythm_of(starts, us(33'000));
    ASSERT_TRUE(rhythm && rhythm->steady);
    EXPECT_GE(rhythm->late, us(2'500));
    EXPECT_LE(rhythm->late, us(3'000));
    EXPECT_TRUE(fits_a_grid(starts, rhythm->period, rhythm->late));
    EXPECT_FALSE(fits_a_grid(starts, rhythm->period, rhythm->late - Time::from_ns(1)));
    const auto found = rhythm_of(starts, {});
    ASSERT_TRUE(found && found->steady);
    EXPECT_LT(std::abs(found->period.ns() - 33'000'000), 20'000);
    EXPECT_TRUE(fits_a_grid(starts, found->period, found->late));
    EXPECT_LE(found->late, rhythm->late);  // no period, however near, is better
  }
}

TEST(Rhythm, OfJobsThatComeAtAnyTimeIsTheShortestDistance) {
  std::vector<Time> starts;
  Random random(4, 0);
  for (std::int64_t k = 0, at = 0; k < 100; ++k)
    starts.push_back(us(at += random.integer(500, 9'000)));
  Time shortest = Time::max();
  for (std::size_t k = 1; k < starts.size(); ++k) {
    shortest = std::min(shortest, starts[k] - starts[k - 1]);
  }
  const auto rhythm = rhythm_of(starts, {});
  ASSERT_TRUE(rhythm);
  EXPECT_EQ(rhythm->period, shortest);
  EXPECT_EQ(rhythm->late, Time());
}

TEST(Rhythm, WithAGivenPeriodThatIsNotKeptSaysNothingOfLateness) {
  std::vector<Time> starts;
  for (int k = 0; k < 50; ++k) starts.push_back(us(10'000 * k));
  const auto other = rhythm_of(starts, us(12'000));
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->steady);
  EXPECT_EQ(other->period, us(12'000));
  EXPECT_EQ(other->late, Time());
  EXPECT_TRUE(rhythm_of(starts, us(10'000))->steady);
  starts.resize(9);  // too few to say
  EXPECT_FALSE(rhythm_of(starts, us(10'000))->steady);
}

TEST(Rhythm, OfOneJobOrOfTwoAtOnceIsNotKnown) {
  EXPECT_FALSE(rhythm_of(std::vector<Time>{us(5)}, {}));
  EXPECT_FALSE(rhythm_of(std::vector<Time>{us(5), us(5)}, {}));
  EXPECT_TRUE(rhythm_of(std::vector<Time>{}, us(5)));
}

/// Jobs of a camera, of what it starts after `lag`, and of a third task at its own pace.
std::vector<std::vector<SeenJob>> tasks(int jobs, Time lag, std::uint64_t seed) {
  Random random(6, seed);
  std::vector<std::vector<SeenJob>> all(3);
  for (int k = 0; k < jobs; ++k) {
    const Time at = us(10'000 * k + random.integer(0, 2'000)),
               end = at + us(random.integer(1, 900));
    all[0].push_back({at, end});
    const Time begin = end + us(random.integer(0, lag.ns() / 1'000));
    all[1].push_back({begin, begin + us(50)});
    all[2].push_back({us(9'000 * k), us(9'000 * k + 100)});
  }
  return all;
}

TEST(Followings, AreFoundInEveryOfAHundredJobs) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto found = followings(tasks(100, us(1'500), seed), us(2'000));
    ASSERT_TRUE(found[1]);
    EXPECT_EQ(found[1]->before, 0U);
    EXPECT_EQ(found[1]->jobs, 100);
    EXPECT_LE(found[1]->longest, us(1'500));
    EXPECT_FALSE(found[0]);
    EXPECT_FALSE(found[2]);
    EXPECT_FALSE(followings(tasks(99, us(1'500), seed), us(2'000))[1]);
    EXPECT_FALSE(followings(tasks(100, us(1'500), seed), us(1'000))[1]);
    // One job that begins before the end is enough not to.
    auto early = tasks(150, us(1'500), seed);
    early[1][70].start = early[0][70].end - us(1);
    EXPECT_FALSE(followings(early, us(2'000))[1]);
  }
}

TEST(Followings, BearThatTheRecordingBeganBetweenTheTwo) {
  auto late = tasks(120, us(300), 1);
  late[0].erase(late[0].begin());
  const auto found = followings(late, us(2'000));
  ASSERT_TRUE(found[1]);
  EXPECT_EQ(found[1]->jobs, 119);
}

TEST(Followings, TakeTheNearestTaskAndNeverGoInACircle) {
  auto all = tasks(120, us(300), 2);
  all[2] = all[1];
  for (SeenJob& job : all[2])
    job = {job.start + us(60), job.start + us(70)};  // 10 after the end of 1
  auto found = followings(all, us(2'000));
  ASSERT_TRUE(found[2] && found[1]);
  EXPECT_EQ(found[2]->before, 1U);
  EXPECT_EQ(found[1]->before, 0U);
  // Each begins where the other ends: whoever follows, not both.
  std::vector<std::vector<SeenJob>> ring(2);
  for (int k = 0; k < 200; ++k) {
    ring[0].push_back({us(200 * k), us(200 * k + 90)});
    ring[1].push_back({us(200 * k + 100), us(200 * k + 180)});
  }
  found = followings(ring, us(2'000));
  EXPECT_NE(found[0].has_value(), found[1].has_value());
  EXPECT_TRUE(found[1]);  // 10 after the end; the other 20
}

}  // namespace
}  // namespace tactus
