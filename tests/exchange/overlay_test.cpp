#include <gtest/gtest.h>

#include "tactus/exchange/shape.hpp"

namespace tactus::exchange {
namespace {

/// A job that does the works of these names, 10 ns each, one after the other.
JobSteps job_of(const std::vector<std::uint32_t>& names, std::int64_t start = 0) {
  JobSteps made;
  for (std::uint32_t name : names) {
    Step step;
    step.name = name;
    step.lane = name % 2;
    StepTimes times;
    times.place = static_cast<NodeIndex>(made.steps.size());
    times.lasts = 10;
    times.start = start + 10 * times.place;
    times.end = times.start + 10;
    made.steps.push_back(step);
    made.job.times.push_back(times);
  }
  return made;
}

std::vector<std::uint32_t> names_of(const Shape& shape) {
  std::vector<std::uint32_t> names;
  for (const Step& step : shape.steps) names.push_back(step.name);
  return names;
}

std::vector<NodeIndex> places_of(const Job& job) {
  std::vector<NodeIndex> places;
  for (const StepTimes& times : job.times) places.push_back(times.place);
  return places;
}

TEST(Overlay, OfEqualJobsIsOneSequence) {
  const RecordedTask task = overlay("t", {job_of({1, 2, 3}), job_of({1, 2, 3})});
  EXPECT_EQ(names_of(task.shape), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(task.different_jobs, 0U);
}

TEST(Overlay, KeepsWhatOnlySomeJobsDoInTheOrderOfEach) {
  const RecordedTask task = overlay("t", {job_of({1, 2, 4}), job_of({1, 3, 4, 5}), job_of({4})});
  EXPECT_EQ(names_of(task.shape), (std::vector<std::uint32_t>{1, 3, 2, 4, 5}));
  EXPECT_EQ(places_of(task.jobs[0]), (std::vector<NodeIndex>{0, 2, 3}));
  EXPECT_EQ(places_of(task.jobs[1]), (std::vector<NodeIndex>{0, 1, 3, 4}));
  EXPECT_EQ(places_of(task.jobs[2]), (std::vector<NodeIndex>{3}));
  EXPECT_EQ(task.different_jobs, 2U);
}

TEST(Overlay, DropsAGuessedWaitThatAJobRefutesAndKeepsAKnownOne) {
  JobSteps first = job_of({1, 2}), second = job_of({1, 2});
  first.waits = {{0, 1, true}};
  EXPECT_EQ(overlay("t", {first}).shape.waits.size(), 1U);
  second.job.times[0].end = second.job.times[1].start + 1;  // they overlap
  EXPECT_EQ(overlay("t", {first, second}).shape.waits.size(), 0U);
  first.waits = {{0, 1, false}};
  EXPECT_EQ(overlay("t", {first, second}).shape.waits.size(), 1U);
}

}  // namespace
}  // namespace tactus::exchange
