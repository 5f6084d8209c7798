#include "tactus/methods/rtgpu/allocation_climb.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/rtgpu/suspension_test.hpp"
#include "tests/methods/rtgpu/comparison.hpp"

/// The search for any feasible allocation, against the enumeration of all; and what a long search
/// says with its help.
namespace tactus::rtgpu {
namespace {

constexpr std::int64_t kAmple = 1'000'000'000;

std::optional<Counts> climb(const TaskSet& set, std::string_view variant, std::int64_t steps) {
  SuspensionTest test(set, variant);
  const Options options;
  const SearchBudget budget(options);
  return AllocationClimb<SuspensionTest>(set, test, options, budget).run(steps);
}

TEST(AllocationClimb, FindsOnlyAllocationsWithWhichEveryTaskMeetsItsDeadline) {
  Random random(31, 0);
  int found = 0, missed = 0, none = 0, moved = 0;
  const int count = testing::sets(2000);
  for (int n = 0; n < count; ++n) {
    const testing::Shape shape{
        .tasks_most = 4, .sms_most = 10, .utilization = 40 + n % 60, .measured = n % 3 * 0.3};
    const System system = testing::random_system(random, shape);
    const auto made = make_task_set(system);
    const auto* set = std::get_if<TaskSet>(&made);
    if (set == nullptr || set->least_sms() > set->sms) continue;
    const reference::Model model = reference::model_of(system);
    const bool paper = n % 2 == 1;
    const auto feasible = [&](const reference::Model& m, const Counts& c) {
      return reference::self_suspension(m, c, paper);
    };
    const auto counts = climb(*set, paper ? "paper" : "safe", kAmple);
    const auto first = reference::first_by_grid(model, feasible);
    if (!first) {
      ASSERT_EQ(counts, std::nullopt) << "set " << n;
      ++none;
      continue;
    }
    ++(counts ? found : missed);
    if (!counts) continue;
    ASSERT_TRUE(reference::feasible(feasible(model, *counts))) << "set " << n;
    ASSERT_LE(std::accumulate(counts->begin(), counts->end(), std::int64_t{0}), set->sms);
    for (std::size_t k = 0; k < counts->size(); ++k) {
      ASSERT_GE((*counts)[k], set->tasks[k].min_sms) << "set " << n;
      ASSERT_TRUE(set->tasks[k].has_kernels() || (*counts)[k] == 0) << "set " << n;
    }
    moved += climb(*set, paper ? "paper" : "safe", 1) ? 0 : 1;
  }
  EXPECT_GT(found, 20 * missed);  // it may miss one, but seldom does
  EXPECT_GT(none, count / 10);
  EXPECT_GT(moved, count / 200);  // equal shares were not enough
}

System thirty_tasks(const char* utilization, std::uint64_t seed) {
  const Recipe& recipe = *find_recipe("rtgpu-table1");
  const std::map<std::string, std::string, std::less<>> given = {
      {"tasks", "30"}, {"sms", "132"}, {"utilization", utilization}};
  auto system = generate(recipe, Settings(recipe.parameters, given), seed, 0);
  EXPECT_TRUE(system);
  return *system;
}

TEST(AllocationClimb, MovesSmsWhereEqualSharesAreNotEnough) {
  const System system = thirty_tasks("0.45", 5);
  const auto made = make_task_set(system);
  const auto& set = std::get<TaskSet>(made);
  EXPECT_FALSE(climb(set, "safe", 1));
  const auto counts = climb(set, "safe", kAmple);
  ASSERT_TRUE(counts);
  EXPECT_TRUE(
      reference::feasible(reference::self_suspension(reference::model_of(system), *counts, false)));
}

TEST(Search, ThatIsTooLongForTheFirstAllocationAnswersWithAnotherAndSaysSo) {
  const System system = thirty_tasks("0.40", 5);
  const Verdict verdict = testing::analyze_with("self-suspension", system);
  EXPECT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
  ASSERT_FALSE(verdict.warnings.empty());
  EXPECT_NE(verdict.warnings.front().find("it may not be the one that the method prefers"),
            std::string::npos)
      << verdict.warnings.front();
  const auto counts = testing::counts_of(verdict);
  ASSERT_TRUE(counts);
  EXPECT_TRUE(
      reference::feasible(reference::self_suspension(reference::model_of(system), *counts, false)));
}

}  // namespace
}  // namespace tactus::rtgpu
