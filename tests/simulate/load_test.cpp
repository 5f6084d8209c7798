// How long a run goes on: every task releases jobs until its end.
#include <gtest/gtest.h>

#include "tactus/simulate/registry.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::simulate {
namespace {

std::string system_text(const std::string& tasks) {
  return R"({"tactus":1,"name":"load","time_unit":"ms","platform":{"elements":[
    {"name":"cpu","kind":"cpu","units":1},
    {"name":"gpu","kind":"gpu","units":1,"runlist_update":0}]},"tasks":[)" +
         tasks + "]}";
}
std::string task(const std::string& name, const std::string& rest, int priority, double wcet) {
  return R"({"name":")" + name + R"(",)" + rest + R"("core":1,"priority":)" +
         std::to_string(priority) + R"(,"nodes":[{"name":"n","on":"cpu","wcet":)" +
         std::to_string(wcet) + "}]}";
}
const std::string kFast = task("fast", R"("period":5,)", 3, 2);

TEST(Run, LetsEveryTaskReleaseJobsUntilTheSlowestHasHadAll) {
  const System system = read(system_text(kFast + "," + task("slow", R"("period":100,)", 1, 30)));
  const Seen seen = simulate(system, "gcaps.suspend", "worst", 3);
  EXPECT_EQ(seen.outcome.end, Time::from_ms(300));
  EXPECT_EQ(seen.outcome.tasks[0].responses.size(), 60U);
  // Each job sees the same load; were the fast task to stop after three jobs, the last would not.
  EXPECT_EQ(seen.outcome.tasks[1].responses, std::vector<Time>(3, Time::from_ms(50)));
}

TEST(Run, EndsWhereTheLowestTaskIsStarved) {
  const System system = read(system_text(task("fast", R"("period":5,)", 3, 5) + "," +
                                         task("slow", R"("period":100,"deadline":40,)", 1, 30)));
  const Seen seen = simulate(system, "gcaps.suspend", "worst", 3);
  EXPECT_EQ(seen.outcome.end, Time::from_ms(600)) << "it is waited for, but not for ever";
  EXPECT_TRUE(seen.outcome.tasks[1].responses.empty());
  EXPECT_EQ(seen.outcome.tasks[1].misses, 6U) << "one is live, five wait behind it";
  EXPECT_EQ(seen.outcome.tasks[1].longest, Time::from_ms(600));
}

TEST(Run, WaitsForTheLastJobWhereTheyPileUp) {
  const System system = read(system_text(task("late", R"("period":3,"deadline":3,)", 1, 5)));
  const Seen seen = simulate(system, "gcaps.suspend", "worst", 4);
  EXPECT_EQ(seen.outcome.end, Time::from_ms(20));
  EXPECT_EQ(
      seen.outcome.tasks[0].responses,
      (std::vector<Time>{Time::from_ms(5), Time::from_ms(7), Time::from_ms(9), Time::from_ms(11)}));
  EXPECT_EQ(seen.outcome.tasks[0].misses, 6U) << "those released at 12 and 15 are late already";
}

TEST(Run, WaitsForTheEndOfAJobThatComesOnce) {
  const System system = read(system_text(kFast + "," + task("once", R"("deadline":500,)", 1, 60)));
  const Seen seen = simulate(system, "gcaps.suspend", "worst", 2);
  EXPECT_EQ(seen.outcome.tasks[1].responses, std::vector<Time>(1, Time::from_ms(100)));
  EXPECT_EQ(seen.outcome.end, Time::from_ms(100));
}

TEST(Run, LastsAsLongAsItIsTold) {
  const System system = read(system_text(kFast));
  const Verdict verdict = analyze(*find_method("gcaps.suspend"), system);
  const auto policy = find_policy("gcaps.suspend")->make(system, verdict);
  Until until;
  until.duration = Time::from_ms(21);
  const trace::Observed observed = run(system, **policy, {}, until);
  EXPECT_EQ(observed.end, Time::from_ms(21));
  EXPECT_EQ(observed.tasks[0].responses.size(), 4U);
  EXPECT_EQ(observed.tasks[0].longest, Time::from_ms(2)) << "the fifth has run for 1";
}

TEST(Run, ReleasesBestEffortWorkWhereThereIsNothingElse) {
  const System system =
      read(system_text(R"({"name":"rest","best_effort":true,"period":10,"core":1,"nodes":[)"
                       R"({"name":"n","on":"cpu","wcet":2}]})"));
  const Seen seen = simulate(system, "gcaps.suspend", "worst", 4);
  EXPECT_EQ(seen.outcome.tasks[0].responses.size(), 4U);
}

}  // namespace
}  // namespace tactus::simulate
