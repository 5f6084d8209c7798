#include "tactus/trace/excerpt.hpp"

#include <gtest/gtest.h>

namespace tactus::trace {
namespace {

Time t(std::int64_t ns) { return Time::from_ns(ns); }

/// Jobs of 60 in each 100, one after the other, of one task.
void run_jobs(TraceSink& sink, std::uint32_t jobs) {
  for (std::uint32_t j = 0; j < jobs; ++j) {
    const std::int64_t release = 100 * static_cast<std::int64_t>(j);
    sink.add(Interval{.task = 0,
                      .job = j,
                      .activity = Activity::kRun,
                      .start = t(release),
                      .end = t(release + 60)});
    sink.add(JobSpan{.task = 0,
                     .job = j,
                     .release = t(release),
                     .begin = t(release),
                     .end = t(release + 60),
                     .deadline = t(100)});
  }
}

TEST(Excerpt, KeepsWhatTouchesItsWindowAndPassesEverythingOn) {
  Trace all;
  Excerpt excerpt(Window{t(150), t(220)}, &all);
  run_jobs(excerpt, 10);
  EXPECT_EQ(all.intervals.size(), 10U);
  EXPECT_EQ(all.jobs.size(), 10U);
  ASSERT_EQ(excerpt.trace().intervals.size(), 2U);
  EXPECT_EQ(excerpt.trace().intervals[0].job, 1U);
  EXPECT_EQ(excerpt.trace().intervals[1].job, 2U);
  // A job counts until its deadline, which is drawn too.
  EXPECT_EQ(excerpt.trace().jobs.size(), 2U);
}

TEST(Excerpt, FindsAJobAndWhatHappensAroundIt) {
  Excerpt excerpt(JobName{0, 5'000});
  run_jobs(excerpt, 10'000);
  ASSERT_TRUE(excerpt.job());
  EXPECT_EQ(excerpt.job()->release, t(500'000));
  bool before = false, own = false, after = false;
  for (const Interval& interval : excerpt.trace().intervals) {
    before = before || interval.job == 4'999;
    own = own || interval.job == 5'000;
    after = after || interval.job == 5'001;
  }
  EXPECT_TRUE(before && own && after);
}

TEST(Excerpt, DoesNotGrowWithTheRestOfTheRun) {
  Excerpt excerpt(JobName{0, 90'000});
  run_jobs(excerpt, 100'000);
  EXPECT_LT(excerpt.trace().intervals.size(), 3'000U);
  EXPECT_LT(excerpt.trace().jobs.size(), 3'000U);
}

TEST(Excerpt, SaysThatAJobNeverCame) {
  Excerpt excerpt(JobName{0, 10});
  run_jobs(excerpt, 10);
  EXPECT_FALSE(excerpt.job());
}

TEST(Excerpt, CountsNoTimeBeyondTheLastInstant) {
  EXPECT_EQ(later_by(t(5), t(7)), t(12));
  EXPECT_EQ(later_by(Time::max(), t(1)), Time::max());
}

}  // namespace
}  // namespace tactus::trace
