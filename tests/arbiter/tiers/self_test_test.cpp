#include "tactus/arbiter/tiers/self_test.hpp"

#include <gtest/gtest.h>

#include "tactus/arbiter/tiers/gpu_work.hpp"

namespace tactus::arbiter::tiers {
namespace {

/// Work in virtual time: one unit of progress a microsecond, while it runs.
struct FakeWork {
  Time now;
  bool on = true;
  std::uint32_t progress = 0;
  bool right = true;

  void advance(Time by) {
    now += by;
    if (on) progress += static_cast<std::uint32_t>(by.ns() / 1000);
  }
  Trial trial() {
    return {.stop = [this] { return advance(Time::from_us(600)), on = false, true; },
            .resume = [this] { return advance(Time::from_us(350)), on = true, true; },
            .progress = [this] { return progress; },
            .finish = [this] { return right; },
            .pause = [this](Time by) { advance(by); },
            .now = [this] { return now; }};
  }
};

TEST(SelfTest, PassesWhereWorkStopsAndComesBack) {
  FakeWork work;
  const SelfTest result = run_self_test(work.trial(), 3, Time::from_ms(5));
  EXPECT_TRUE(result.passed) << result.reason;
  EXPECT_EQ(result.stop_times, std::vector<Time>(3, Time::from_us(600)));
  EXPECT_EQ(result.resume_times, std::vector<Time>(3, Time::from_us(350)));
}

TEST(SelfTest, DoesNotCountTheWaitForTheMomentInWhichToStop) {
  FakeWork work;
  Trial trial = work.trial();
  trial.ready = [&] { work.advance(Time::from_ms(7)); };
  EXPECT_EQ(run_self_test(trial, 2, Time::from_ms(5)).stop_times,
            std::vector<Time>(2, Time::from_us(600)));
}

TEST(SelfTest, FailsWhereTheDriverSaysOkAndNothingStops) {
  FakeWork work;
  Trial trial = work.trial();
  trial.stop = [] { return true; };
  const SelfTest result = run_self_test(trial, 3, Time::from_ms(5));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.reason, "work goes on although the driver said that it was stopped");
}

TEST(SelfTest, FailsWhereStoppedWorkDoesNotComeBack) {
  FakeWork work;
  Trial trial = work.trial();
  trial.resume = [] { return true; };
  EXPECT_EQ(run_self_test(trial, 3, Time::from_ms(5)).reason, "stopped work does not come back");
}

TEST(SelfTest, FailsWhereTheDriverRefuses) {
  FakeWork work;
  Trial trial = work.trial();
  trial.stop = [] { return false; };
  EXPECT_EQ(run_self_test(trial, 3, Time::from_ms(5)).reason,
            "the driver refuses to stop channels");
}

TEST(SelfTest, FailsWhereResultsAreWrong) {
  FakeWork work;
  work.right = false;
  EXPECT_EQ(run_self_test(work.trial(), 3, Time::from_ms(5)).reason,
            "work that was stopped gives wrong results");
}

TEST(SelfTest, FailsWhereNothingRunsInTheFirstPlace) {
  FakeWork work;
  work.on = false;
  EXPECT_EQ(run_self_test(work.trial(), 1, Time::from_ms(5)).reason,
            "the work to try it on does not run");
}

TEST(ExpectedChecksum, IsTheSumOfEveryThreadsGenerator) {
  std::uint64_t sum = 0;
  for (std::uint32_t start = 0; start < 3 * 8; ++start) {
    std::uint32_t x = start;
    for (int round = 0; round < 37; ++round) x = x * 1664525u + 1013904223u;
    sum += x;
  }
  EXPECT_EQ(expected_checksum(3, 8, 37), sum);
}

}  // namespace
}  // namespace tactus::arbiter::tiers
