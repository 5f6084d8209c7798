// Every method answers for every task: by a bound, by the demand that was too much, or in words.
#include <gtest/gtest.h>

#include "tactus/simulate/registry.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::simulate {
namespace {

TEST(Answers, OfEveryMethodHaveABoundOrAReasonForEveryTask) {
  for (const char* name : {"gcaps-small", "dag-small", "gang-small", "pbs-small", "rtgpu-small"}) {
    const Recipe& recipe = *find_recipe(name);
    for (std::uint64_t index = 0; index < 40; ++index) {
      const auto system = generate(recipe, Settings(recipe.parameters, {}), 3, index);
      ASSERT_TRUE(system);
      for (const Method* method : registry()) {
        const Verdict verdict = analyze(*method, *system);
        for (const TaskVerdict& task : verdict.tasks) {
          const bool in_words = !task.note.empty() || !verdict.reason.empty();
          EXPECT_TRUE(task.bound || !task.terms.empty() || in_words)
              << method->id << " on " << system->name;
          if (verdict.status != Status::kSchedulable) continue;
          EXPECT_TRUE(task.schedulable) << method->id << " on " << system->name;
          EXPECT_TRUE(task.bound || !task.note.empty()) << method->id << " on " << system->name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tactus::simulate
