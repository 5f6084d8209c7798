#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/rtgpu/suspension_test.hpp"
#include "tests/methods/rtgpu/comparison.hpp"

/// A task of `self-suspension` that misses its deadline however the spare SMs are shared: against every
/// way to share them.
namespace tactus::rtgpu {
namespace {

constexpr std::int64_t kAmple = 1'000'000'000;

/// Some tasks are assigned already, the others share what is left.
CountRange random_range(Random& random, const TaskSet& set) {
  CountRange range;
  for (std::size_t k = 0; k < set.real_time; ++k) range.least.push_back(set.tasks[k].min_sms);
  const auto spare = [&] {
    return set.sms - std::accumulate(range.least.begin(), range.least.end(), std::int64_t{0});
  };
  std::vector<bool> open(set.real_time);
  for (std::size_t k = 0; k < set.real_time; ++k) {
    open[k] = set.tasks[k].has_kernels() && random.integer(0, 3) > 0;
    if (set.tasks[k].has_kernels() && !open[k]) range.least[k] += random.integer(0, spare());
  }
  range.most = range.least;
  range.spare = spare();
  for (std::size_t k = 0; k < set.real_time; ++k) {
    if (open[k]) range.most[k] += range.spare;
  }
  return range;
}

void for_every_allocation(const CountRange& range,
                          const std::function<void(const Counts&)>& visit) {
  Counts counts = range.least;
  const std::function<void(std::size_t, std::int64_t)> go = [&](std::size_t k, std::int64_t left) {
    if (k == counts.size()) return visit(counts);
    for (; counts[k] <= range.most[k] && counts[k] - range.least[k] <= left; ++counts[k]) {
      go(k + 1, left - (counts[k] - range.least[k]));
    }
    counts[k] = range.least[k];
  };
  go(0, range.spare);
}

TEST(Overload, IsOnlySeenWhereTheTaskMissesWithEveryAllocation) {
  Random random(51, 0);
  int seen = 0, beyond_single_tasks = 0, could_meet = 0;
  const int count = testing::sets(4000);
  for (int n = 0; n < count; ++n) {
    const testing::Shape shape{.tasks_most = 4,
                               .sms_most = 9,
                               .odd = n % 5 == 0,
                               .utilization = 40 + n % 60,
                               .measured = n % 3 * 0.3};
    const System system = testing::random_system(random, shape);
    const auto made = make_task_set(system);
    const auto* set = std::get_if<TaskSet>(&made);
    if (set == nullptr || set->least_sms() > set->sms) continue;
    const CountRange range = random_range(random, *set);
    SuspensionTest test(*set, "safe");
    test.look_closer();
    test.assume(range);
    const auto task = test.overloaded(kAmple);
    if (!task) {
      ++could_meet;
      continue;
    }
    ++seen;
    beyond_single_tasks += test.may_meet(*task, range.most[*task]) ? 1 : 0;
    const reference::Model model = reference::model_of(system);
    for_every_allocation(range, [&](const Counts& counts) {
      const auto results = reference::self_suspension(model, counts, false);
      ASSERT_FALSE(results[*task].response) << "set " << n << " task " << *task;
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(seen, count / 10);
  EXPECT_GT(could_meet, count / 10);
  EXPECT_GT(beyond_single_tasks, count / 200);  // that each task alone with all spare SMs hides
}

/// With four SMs the kernel of `b` takes no time: then `b` waits neither for `a` nor for `c`.
TEST(Overload, IsNotSeenWhereASuspensionMayVanish) {
  const System system = testing::Builder(6)
                            .task("a", 10)
                            .priority(3)
                            .rigid(3, 3)
                            .task("b", 5)
                            .priority(2)
                            .cpu(1)
                            .times({{1, 5, 5}, {4, 0, 0}})
                            .task("c", 100)
                            .priority(1)
                            .rigid(2, 2)
                            .build();
  const auto made = make_task_set(system);
  const auto& set = std::get<TaskSet>(made);
  SuspensionTest test(set, "safe");
  test.look_closer();
  test.assume({{1, 1, 1}, {1, 4, 1}, 3});
  EXPECT_EQ(test.overloaded(kAmple), std::nullopt);
  test.assume({{1, 1, 1}, {1, 3, 1}, 2});
  EXPECT_EQ(test.overloaded(kAmple), 1u);
  const auto results = reference::self_suspension(reference::model_of(system), {1, 4, 1}, false);
  EXPECT_EQ(results[1].response, testing::ms(1).ns());
}

/// The search alone gives up on this set of 30 tasks.
TEST(Overload, IsSeenAtOnceInALargeSetAndNamed) {
  const Recipe& recipe = *find_recipe("rtgpu-table1");
  const std::map<std::string, std::string, std::less<>> given = {
      {"tasks", "30"}, {"sms", "132"}, {"utilization", "0.5"}};
  const auto system = generate(recipe, Settings(recipe.parameters, given), 5, 0);
  ASSERT_TRUE(system);
  const Verdict verdict = testing::analyze_with("self-suspension", *system);
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_NE(verdict.reason.find("misses it however they are shared"), std::string::npos)
      << verdict.reason;
}

/// A look that is cut short says nothing.
TEST(Overload, IsNotSeenWithoutSteps) {
  const Recipe& recipe = *find_recipe("rtgpu-table1");
  const auto system = generate(recipe, Settings(recipe.parameters, {{"utilization", "2.6"}}), 1, 0);
  ASSERT_TRUE(system);
  const auto made = make_task_set(*system);
  const auto& set = std::get<TaskSet>(made);
  SuspensionTest test(set, "safe");
  CountRange range;
  for (const ChainTask& task : set.tasks) range.least.push_back(task.min_sms);
  range.spare = set.sms - set.least_sms();
  for (const std::int64_t least : range.least) range.most.push_back(least + range.spare);
  test.assume(range);
  EXPECT_FALSE(test.overloaded(kAmple));  // before the closer look
  test.look_closer();
  test.assume(range);
  EXPECT_TRUE(test.overloaded(kAmple));
  EXPECT_FALSE(test.overloaded(0));
}

}  // namespace
}  // namespace tactus::rtgpu
