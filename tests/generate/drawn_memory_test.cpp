#include "tactus/generate/drawn_memory.hpp"

#include <gtest/gtest.h>

#include "tactus/generate/recipe.hpp"

namespace tactus {
namespace {

/// Changes all that a recipe might forget to set anew.
void spoil(System& system) {
  for (Task& task : system.tasks) {
    task.best_effort = true;
    task.gpu_priority = 7;
    task.wait = WaitMode::kBusy;
    task.offset = Time::from_ms(3);
    task.command = Command{};
    for (Node& node : task.nodes) {
      node.load = Time::from_ms(1);
      node.blocks = 5;
      node.gpu_threshold = 2;
      node.times.push_back({1, Time::from_ms(1), Time(), {}});
    }
  }
}

TEST(DrawnMemory, LeavesNothingBehindInTheNextSystem) {
  const Recipe& recipe = *find_recipe("gcaps-table3");
  Settings many(recipe.parameters, {});
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Result<System> alone = generate(recipe, Settings(recipe.parameters, {}), 3, index);
    ASSERT_TRUE(alone);
    Result<System> drawn = draw(recipe, many, 3, index);
    ASSERT_TRUE(drawn);
    EXPECT_EQ(*drawn, *alone);
    if (index % 2 == 0) spoil(*drawn);
    leave_memory(std::move(*drawn));
  }
}

TEST(DrawnMemory, IsTakenOnceOnly) {
  System system;
  system.tasks.resize(2);
  for (Task& task : system.tasks) {
    task.nodes.resize(3);
    task.graph = Graph::chain(3);
  }
  leave_memory(std::move(system));
  const std::vector<Node> one = take_node_memory(), other = take_node_memory();
  EXPECT_TRUE(one.empty() && other.empty());
  EXPECT_NE(one.data(), other.data());
  EXPECT_GE(one.capacity(), 3U);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(take_chain(3), Graph::chain(3)) << i;
  EXPECT_EQ(take_chain(0), Graph());
  EXPECT_EQ(take_chain(1000), Graph::chain(1000));
}

TEST(DrawnMemory, IsNotKeptOfALargeSystem) {
  System large;
  large.tasks.resize(1);
  large.tasks[0].nodes.resize(10'000);
  leave_memory(std::move(large));
  for (int i = 0; i < 1000; ++i) EXPECT_LT(take_node_memory().capacity(), 10'000U);
}

}  // namespace
}  // namespace tactus
