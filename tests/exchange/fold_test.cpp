#include "tactus/exchange/fold.hpp"

#include <gtest/gtest.h>

#include "tests/exchange/shapes.hpp"

namespace tactus::exchange {
namespace {

constexpr Fold kFolds[] = {Fold::kNone, Fold::kStream, Fold::kAnnotation, Fold::kTask};
constexpr int kShapes = 3000;

TEST(Fold, LosesNoTimeAndCountsNoneTwice) {
  Random random(22, 0);
  for (int i = 0; i < kShapes; ++i) {
    const auto [shape, job] = random_shape(random);
    std::map<std::uint32_t, std::int64_t> works;  // by element
    std::int64_t cpu = 0;
    for (std::size_t s = 0; s < shape.steps.size(); ++s) {
      cpu += job.times[s].gap + job.times[s].call;
      if (shape.steps[s].kind == StepKind::kWork)
        works[shape.steps[s].element] += job.times[s].lasts;
    }
    for (Fold how : kFolds) {
      const Folded folded = fold(shape, how);
      const NodeTimes times = times_of(folded, job);
      std::map<std::uint32_t, std::int64_t> folded_works;
      std::int64_t folded_cpu = 0;
      for (std::size_t n = 0; n < folded.nodes.size(); ++n) {
        folded_cpu += times.launch[n];
        const bool on_cpu = folded.nodes[n].element == Folded::kCpu;
        (on_cpu ? folded_cpu : folded_works[folded.nodes[n].element]) += times.lasts[n];
      }
      ASSERT_EQ(folded_cpu, cpu) << word_of(how, kFoldWords) << " of shape " << i;
      ASSERT_EQ(folded_works, works) << word_of(how, kFoldWords) << " of shape " << i;
    }
  }
}

TEST(Fold, IsAlwaysAGraphWithoutCycles) {
  Random random(23, 0);
  for (int i = 0; i < kShapes; ++i) {
    const auto [shape, job] = random_shape(random);
    for (Fold how : kFolds) {
      const Folded folded = fold(shape, how);
      const Graph graph(static_cast<NodeIndex>(folded.nodes.size()), folded.edges);
      ASSERT_TRUE(find_cycle(graph).empty()) << word_of(how, kFoldWords) << " of shape " << i;
    }
  }
}

TEST(Fold, OfNothingKeepsTheLongestPathAsItWas) {
  Random random(24, 0);
  for (int i = 0; i < kShapes; ++i) {
    const auto [shape, job] = random_shape(random);
    const Folded folded = fold(shape, Fold::kNone);
    ASSERT_EQ(longest_path(folded, job, true), longest_path(shape, job, true)) << i;
    ASSERT_EQ(longest_path(folded, job, false), longest_path(shape, job, false)) << i;
  }
}

TEST(Fold, NeverMakesTheLongestPathShorter) {
  Random random(25, 0);
  for (int i = 0; i < kShapes; ++i) {
    const auto [shape, job] = random_shape(random);
    for (Fold how : kFolds) {
      ASSERT_GE(longest_path(fold(shape, how), job, true), longest_path(shape, job, true))
          << word_of(how, kFoldWords) << " of shape " << i;
    }
  }
}

TEST(Fold, OfStreamsKeepsTheLongestPathThroughTheGpuWork) {
  Random random(26, 0);
  std::size_t fewer = 0;
  for (int i = 0; i < kShapes; ++i) {
    const auto [shape, job] = random_shape(random);
    const Folded folded = fold(shape, Fold::kStream);
    ASSERT_EQ(longest_path(folded, job, false), longest_path(shape, job, false)) << i;
    fewer += folded.nodes.size() < fold(shape, Fold::kNone).nodes.size() ? 1 : 0;
  }
  EXPECT_GT(fewer, kShapes / 4) << "hardly anything was folded";
}

TEST(Fold, OfATaskIsAChainWhoseLengthIsTheSumOfAllTimes) {
  Random random(27, 0);
  for (int i = 0; i < kShapes; ++i) {
    const auto [shape, job] = random_shape(random);
    const Folded folded = fold(shape, Fold::kTask);
    const Graph graph(static_cast<NodeIndex>(folded.nodes.size()), folded.edges);
    ASSERT_TRUE(graph.is_listed_chain()) << i;
    std::int64_t sum = 0;
    for (const StepTimes& times : job.times) sum += times.gap + times.call + times.lasts;
    ASSERT_EQ(longest_path(folded, job, true), sum) << i;
  }
}

}  // namespace
}  // namespace tactus::exchange
