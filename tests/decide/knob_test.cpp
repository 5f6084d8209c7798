#include "tactus/decide/knob.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/generate/recipe.hpp"

namespace tactus::decide {
namespace {

/// One copy of a system serves all questions of `slack`: a trace of one would change the next answer.
TEST(Knob, IsTurnedBackWithoutATrace) {
  int turns = 0;
  for (const Recipe* recipe : recipes()) {
    for (std::uint64_t k = 0; k < 10; ++k) {
      const auto drawn = generate(*recipe, Settings(recipe->parameters, {}), 5, k);
      if (!drawn) continue;
      const System original = with_fixed_priorities(*drawn);
      System system = original;
      std::vector<Knob> knobs = knobs_of(original);
      knobs.resize(std::min<std::size_t>(knobs.size(), 60), knobs.front());  // of large graphs
      for (const Knob& knob : knobs) {
        const Range range = range_of(knob, original);
        for (const std::int64_t value : {range.easiest, range.hardest}) {
          turn(system, knob, value);
          turns += system == original ? 0 : 1;
          ASSERT_EQ(system, turned(original, knob, value))
              << recipe->name << " " << name_of(knob, original);
          turn_back(system, original, knob);
          ASSERT_EQ(system, original) << recipe->name << " " << name_of(knob, original);
        }
      }
    }
  }
  EXPECT_GT(turns, 1'000);
}

/// What shrinks less than the times it overlaps makes the system easier than it is said to be.
TEST(Knob, AllTimesTogetherShrinkWithTheirOverlap) {
  System system;
  Node kernel;
  kernel.launch = Time::from_us(6), kernel.wcet = Time::from_us(10),
  kernel.overlap = Time::from_ns(4'001);
  system.tasks.emplace_back().nodes.push_back(kernel);
  const Node half = turned(system, {.what = Knob::What::kAllTimes}, 500).tasks[0].nodes[0];
  EXPECT_EQ(half.launch, Time::from_us(3));
  EXPECT_EQ(half.wcet, Time::from_us(5));
  EXPECT_EQ(half.overlap, Time::from_us(2)) << "rounded down";
  const Node twice = turned(system, {.what = Knob::What::kAllTimes}, 2'000).tasks[0].nodes[0];
  EXPECT_LE(twice.overlap, Time::from_ns(8'002));
}

}  // namespace
}  // namespace tactus::decide
