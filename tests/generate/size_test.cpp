#include <gtest/gtest.h>

#include "tests/generate/statistics.hpp"

/// A few characters of settings must not ask for more than a machine holds.
namespace tactus {
namespace {

using statistics::Given;

struct Huge {
  std::string_view recipe;
  Given given;
  std::string refusal;
};

TEST(SizeOfASystem, IsLimitedBeforeAnythingIsDrawn) {
  const std::vector<Huge> all = {
      {"gang-fig10",
       {{"cpus", "100000"}},
       "these settings can make a system of 108000360 nodes; there can be 1000000"},
      {"gang-fig8",
       {{"nodes-max", "10000"}, {"edge-probability", "1"}},
       "these settings can make a system of 50005000 edges; there can be 10000000"},
      {"gang-fig9",
       {{"nodes-max", "10000"}, {"edge-probability", "draw"}},
       "these settings can make a system of 45025500 edges; there can be 10000000"},
      {"gcaps-table3",
       {{"cpus", "1024"}, {"tasks-max", "1000"}, {"segments-max", "100"}},
       "these settings can make a system of 205824000 nodes; there can be 1000000"},
      {"gcaps-table3",
       {{"tasks", "1000000"}},
       "these settings can make a system of 7000000 nodes; there can be 1000000"},
      {"rtgpu-table1",
       {{"tasks", "100000"}, {"subtasks", "1000"}},
       "these settings can make a system of 399700000 nodes; there can be 1000000"},
      {"dag-layered",
       {{"p", "10000"}, {"depth-max", "100"}, {"probability", "1"}},
       "these settings can make a system of 10001000000 edges; there can be 10000000"},
  };
  for (const Huge& huge : all) {
    SCOPED_TRACE(huge.recipe);
    const Recipe& recipe = *find_recipe(huge.recipe);
    const auto bad = find_bad_setting(recipe, Settings(recipe.parameters, huge.given));
    ASSERT_TRUE(bad);
    EXPECT_EQ(bad->message, huge.refusal);
  }
}

TEST(SizeOfASystem, IsNeverMoreThanWasExpected) {
  for (const Recipe* recipe : recipes()) {
    for (std::uint64_t index = 0; index < 20; ++index) {
      Settings settings(recipe->parameters, {});
      Random random(5, index);
      const System system = recipe->make(settings, random);
      ASSERT_EQ(settings.error(), "");
      if (settings.expected_nodes() == 0) continue;  // small by nature
      std::size_t nodes = 0;
      for (const Task& task : system.tasks) nodes += task.nodes.size();
      EXPECT_LE(static_cast<double>(nodes), settings.expected_nodes()) << recipe->name;
    }
  }
}

}  // namespace
}  // namespace tactus
