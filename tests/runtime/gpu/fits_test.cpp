#include "tactus/runtime/gpu/fits.hpp"

#include <gtest/gtest.h>

#include "tactus/runtime/gpu/switches.hpp"

namespace tactus::runtime::gpu {
namespace {

TEST(FitLine, FindsALineOverManyDecades) {
  std::vector<std::pair<double, double>> points;
  for (double x = 1; x < 1e7; x *= 10) points.emplace_back(x, 40 + 0.25 * x);
  const Line line = fit_line(points);
  EXPECT_NEAR(line.fixed, 40, 1e-6);
  EXPECT_NEAR(line.slope, 0.25, 1e-9);
  EXPECT_LT(line.worst_error, 1e-9);
}

TEST(FitScaling, RecoversWorkAndOverheadOfTheRtgpuModel) {
  std::vector<std::pair<std::int64_t, double>> times;
  for (const std::int64_t m : {1, 2, 4, 8, 16, 64, 132}) {
    times.emplace_back(m, (2650.0 - 5) / static_cast<double>(m) + 5);
  }
  const ScalingFit fit = fit_scaling(times);
  EXPECT_NEAR(fit.work, 2650, 1e-6);
  EXPECT_NEAR(fit.overhead, 5, 1e-6);
  EXPECT_LT(fit.rtgpu_error, 1e-9);
}

TEST(FitScaling, NeverPromisesLessThanWasSeenWhereTheLoadOfTheDagModelBinds) {
  std::vector<std::pair<std::int64_t, double>> times;
  for (const std::int64_t m : {1, 2, 3, 8, 30, 132}) {
    times.emplace_back(m, 1000.0 / static_cast<double>(m) + 4);
  }
  const ScalingFit fit = fit_scaling(times);
  for (const auto& [m, time] : times) {
    if (time <= 2 * fit.t_min) continue;
    EXPECT_GE(fit.load / static_cast<double>(m), time) << m;
  }
  EXPECT_NEAR(fit.t_min, times.back().second, 1e-9);
}

TEST(SwitchCost, IsTheFormulaOfThePaper) {
  // Two kernels of 10 ms together take 21 ms, slices of 1 ms: each slice costs 50 us more.
  EXPECT_NEAR(switch_cost(21, 10, 2, 1), 0.05, 1e-12);
  EXPECT_LT(switch_cost(15, 10, 2, 1), 0) << "they ran side by side";
}

TEST(SwitchTimes, ReadsSlicesAndSwitchesOffTheHolesOfTwoProcesses) {
  // a runs [0,100) [320,420) ..., b runs [110,310) [430,630) ...: switches of 10.
  std::vector<Hole> a, b;
  for (std::int64_t k = 0; k < 5; ++k) {
    a.emplace_back(k * 320 + 100, (k + 1) * 320);
    b.emplace_back(k * 320 - 10, k * 320 + 110);
  }
  const SwitchTimes times = switch_times(a, b);
  ASSERT_FALSE(times.switches.empty());
  for (const double idle : times.switches) EXPECT_EQ(idle, 10);
  for (const double slice : times.slices) EXPECT_TRUE(slice == 100 || slice == 200) << slice;
}

TEST(SwitchTimes, SaysNothingOfProcessesThatDidNotTakeTurns) {
  EXPECT_TRUE(switch_times({}, {}).slices.empty());
  EXPECT_TRUE(switch_times({{10, 20}}, {}).switches.empty());
}

}  // namespace
}  // namespace tactus::runtime::gpu
