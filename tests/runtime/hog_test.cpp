// The CPU half of examples/hog.
#include <gtest/gtest.h>

#include "examples/hog/steps.hpp"
#include "examples/hog/system.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"

namespace hog {
namespace {

TEST(Hog, FindsTheFigureWhereItStands) {
  constexpr int kWidth = 480, kHeight = 320;
  for (const auto& [x, y] : {std::pair(160, 80), std::pair(320, 160)}) {
    const auto results = compute(picture(kWidth, kHeight, x, y), kWidth, kHeight, weights());
    std::array<std::vector<float>, kScales> scores;
    for (std::size_t s = 0; s < kScales; ++s) scores[s] = results[s].scores;
    const Best best = best_of(pyramid_of(kWidth, kHeight), scores);
    EXPECT_EQ(best.level, 0);
    EXPECT_EQ(best.x * kCell, x);
    EXPECT_EQ(best.y * kCell, y);
  }
}

TEST(Hog, PutsAnEdgeIntoTheBinOfItsDirection) {
  const Level level{8, 8};
  std::vector<float> image(64);
  for (int i = 0; i < 64; ++i) image[static_cast<std::size_t>(i)] = i % 8 < 4 ? 0.0F : 10.0F;
  std::vector<float> magnitude(64), angle(64), bins(kBins);
  for (int i = 0; i < 64; ++i) {
    const auto at = static_cast<std::size_t>(i);
    gradient(image.data(), level, i % 8, i / 8, &magnitude[at], &angle[at]);
  }
  histogram(magnitude.data(), angle.data(), level, 0, bins.data());
  EXPECT_FLOAT_EQ(bins[0], 160);  // two columns of eight pixels, a step of 10
  for (std::size_t bin = 1; bin < kBins; ++bin) EXPECT_FLOAT_EQ(bins[bin], 0);
}

TEST(Hog, NormalisesBlocksToLengthOne) {
  const Level level{24, 24};
  const auto image = picture(24, 24, -100, -100);
  const auto cells = compute(image, 24, 24, {})[0].cells;
  std::vector<float> block(kBlock);
  normalise(cells.data(), level, 0, block.data());
  float squares = 0;
  for (const float value : block) squares += value * value;
  EXPECT_NEAR(squares, 1, 1e-3);
}

NodeTimes pretended() {
  NodeTimes times;
  for (std::size_t i = 0; i < steps().size(); ++i) {
    auto& of_node = times.longest.emplace_back();
    for (std::int64_t m = 1; m <= 132; ++m) {
      of_node.push_back(tactus::Time::from_ns(2'000'000 / m + 4'000));
    }
  }
  return times;
}

TEST(Hog, HasLoadsThatNoMeasuredTimeExceeds) {
  const NodeTimes times = pretended();
  const tactus::System system = dag_system(times);
  const tactus::Time t_min = *system.platform.elements[0].t_min;
  for (std::size_t i = 0; i < times.longest.size(); ++i) {
    for (std::int64_t m = 1; m <= times.sms(); ++m) {
      const tactus::Time load = *system.tasks[0].nodes[i].load;
      const tactus::Time seen = times.longest[i][static_cast<std::size_t>(m - 1)];
      EXPECT_LE(seen, std::max(t_min, div_up(load, m)));
    }
  }
}

TEST(Hog, MakesSystemsThatTheirMethodsPlan) {
  const std::pair<tactus::System, const char*> cases[] = {
      {dag_system(pretended()), "dag.balanced"}, {gang_system(pretended(), 4), "gang.swc"}};
  for (const auto& [system, method] : cases) {
    const tactus::ReadResult read = tactus::read_system(write_system(system));
    ASSERT_TRUE(read.system) << method;
    EXPECT_EQ(*read.system, system);
    const auto verdict = analyze(*tactus::find_method(method), system);
    EXPECT_EQ(verdict.status, tactus::Status::kSchedulable) << method << ": " << verdict.reason;
    EXPECT_NE(verdict.plan, nullptr);
  }
}

}  // namespace
}  // namespace hog
