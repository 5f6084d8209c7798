// How long a run must be for the slowest task to have had its jobs.
#include "tactus/trace/scenario.hpp"

#include <gtest/gtest.h>

#include "tests/support/read.hpp"

namespace tactus::trace {
namespace {

System system_of(const std::string& tasks) {
  return support::read(R"({"tactus":1,"name":"s","time_unit":"ms",
    "platform":{"elements":[{"name":"cpu","kind":"cpu","units":1}]},"tasks":[)" +
                       tasks + "]}");
}
std::string task(const std::string& name, const std::string& rest) {
  return R"({"name":")" + name + R"(",)" + rest + R"("nodes":[{"name":"n","on":"cpu","wcet":1}]})";
}
const std::string kFast = task("fast", R"("period":7,)");
const std::string kSlow = task("slow", R"("period":100,"offset":30,)");
const std::string kOnce = task("once", R"("deadline":50,)");
const std::string kRest = task("rest", R"("best_effort":true,"period":500,)");

TEST(SpanOf, IsAsManyPeriodsOfTheSlowestTask) {
  const System system = system_of(kFast + "," + kSlow);
  EXPECT_EQ(Scenario{}.span_of(system, 3), Time::from_ms(300));
  Scenario offsets;
  offsets.releases = Releases::kOffsets;
  EXPECT_EQ(offsets.span_of(system, 3), Time::from_ms(330));
}

TEST(SpanOf, EndsAtTheReleaseAfterTheLastJobWhateverTheGaps) {
  const System system = system_of(kFast + "," + kSlow);
  for (const Releases releases : {Releases::kSynchronous, Releases::kOffsets, Releases::kRandom,
                                  Releases::kSporadic, Releases::kBurst}) {
    for (std::uint64_t seed = 1; seed < 50; ++seed) {
      Scenario scenario;
      scenario.releases = releases;
      scenario.seed = seed;
      Time latest;
      for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
        Time at = scenario.first_release(system, i);
        for (std::uint32_t job = 0; job < 12; ++job) at += scenario.gap_after(system, i, job);
        latest = std::max(latest, at);
      }
      EXPECT_EQ(scenario.span_of(system, 12), latest) << to_string(scenario) << " " << seed;
    }
  }
}

TEST(SpanOf, CountsBestEffortTasksOnlyWhereThereAreNoOthers) {
  EXPECT_EQ(Scenario{}.span_of(system_of(kFast + "," + kRest), 2), Time::from_ms(14));
  EXPECT_EQ(Scenario{}.span_of(system_of(kRest), 2), Time::from_ms(1000));
}

TEST(SpanOf, IsNothingWithoutPeriods) {
  EXPECT_EQ(Scenario{}.span_of(system_of(kOnce), 5), Time());
}

TEST(SpanOf, IsAnUpperBoundForMoreJobsThanAnyoneWaitsFor) {
  Scenario scenario;
  scenario.releases = Releases::kSporadic;
  const System system = system_of(kFast);
  const std::uint32_t jobs = 3'000'000'000;
  const Time span = scenario.span_of(system, jobs);
  EXPECT_GT(span, Time::from_ms(7) * jobs);
  EXPECT_LE(span, Time::from_ms(7) * jobs + Time::from_us(3500) * jobs + Time::from_ms(7));
}

}  // namespace
}  // namespace tactus::trace
