#include <gtest/gtest.h>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"

/// Figure 13 of the paper beside Figure 12: the 25 sets that ran on a GPU
/// (bench/results/h200/plans-2026-11-15.md), of which 23 had no miss, with average times.
namespace tactus {
namespace {

System ran_set(std::string_view utilisation, std::uint64_t seed) {
  const Recipe& recipe = *find_recipe("rtgpu-table1");
  const std::map<std::string, std::string, std::less<>> given = {
      {"tasks", "4"}, {"subtasks", "3"}, {"sms", "16"}, {"utilization", std::string(utilisation)}};
  System system = *generate(recipe, Settings(recipe.parameters, given), seed, 0);
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      if (node.interleave) node.interleave = Factor{2'000'000'000};
    }
  }
  return system;
}

/// How many of the sets are proved if all times are so many percent of the longest.
int proved(std::int64_t percent) {
  int count = 0;
  for (const std::string_view utilisation : {"0.4", "0.8", "1.2", "1.6", "2.0"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      System system = ran_set(utilisation, seed);
      const auto scale = [&](Time& time) { time = mul_div_up(time, percent, 100); };
      for (Task& task : system.tasks) {
        for (Node& node : task.nodes) {
          for (std::optional<Time>* time : {&node.wcet, &node.load}) {
            if (*time) scale(**time);
          }
          for (Time* time : {&node.bcet, &node.load_min, &node.overhead}) scale(*time);
        }
      }
      count += analyze(*find_method("rtgpu"), system).status == Status::kSchedulable ? 1 : 0;
    }
  }
  return count;
}

TEST(AverageTimes, ThatFill95PercentOfTheLongestProveNoMoreOfTheSetsThatRan) {
  EXPECT_EQ(proved(100), 10);
  EXPECT_EQ(proved(95), 10);  // what the synthetic work filled
  EXPECT_EQ(proved(70), 15);
}

}  // namespace
}  // namespace tactus
