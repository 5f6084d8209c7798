#include <gtest/gtest.h>

#include "tests/methods/dag/slow.hpp"

/// The fast methods against the slow ones.
namespace tactus::dag {
namespace {

template <typename Arithmetic>
void expect_same_steps(const Schedule& fast,
                       const std::vector<typename Slow<Arithmetic>::Step>& slow) {
  ASSERT_EQ(fast.steps.size(), slow.size());
  for (std::size_t j = 0; j < slow.size(); ++j) {
    const Step& step = fast.steps[j];
    EXPECT_EQ(step.r.ns(), slow[j].r) << "step " << j;
    const auto expect_kernels = [&](std::span<const Kernel> ours, const auto& theirs) {
      ASSERT_EQ(ours.size(), theirs.size()) << "step " << j;
      for (std::size_t i = 0; i < theirs.size(); ++i) {
        EXPECT_EQ(ours[i].node, theirs[i].node) << "step " << j;
        EXPECT_EQ(ours[i].load.ns(), theirs[i].load) << "step " << j;
        EXPECT_EQ(ours[i].m, theirs[i].m) << "step " << j;
        EXPECT_EQ(ours[i].c.ns(), theirs[i].c) << "step " << j;
      }
    };
    expect_kernels(fast.primary(step), slow[j].primary);
    expect_kernels(fast.launched(step), slow[j].launched);
  }
}

TEST(FastAndSlowMethods, AgreeInTicksKernelByKernel) {
  for (std::uint64_t index = 0; index < sweep(20'000); ++index) {
    const Sample sample = random_sample(index);
    SCOPED_TRACE(describe(sample));
    Slow<Ticks> slow(sample);
    const Verdict safe = analyze_sample(sample, "dag.balanced");
    expect_same_steps<Ticks>(plan_of(safe).schedule, slow.balanced(sample.sms));
    const Verdict printed = analyze_sample(sample, "dag.balanced", "paper");
    expect_same_steps<Ticks>(plan_of(printed).schedule, slow.printed());
    EXPECT_EQ(bound_of(sample, "dag.greedy"), slow.greedy());
    EXPECT_EQ(bound_of(sample, "dag.greedy-unaware"), slow.greedy_unaware());
    EXPECT_EQ(bound_of(sample, "dag.graham"), slow.graham());
    if (HasFailure()) return;
  }
}

TEST(FastAndSlowMethods, AgreeOnTheBestGroupCap) {
  for (std::uint64_t index = 0; index < sweep(5'000); ++index) {
    const Sample sample = random_sample(index);
    Slow<Ticks> slow(sample);
    __int128 best = Slow<Ticks>::bound(slow.balanced(sample.sms));
    for (std::int64_t cap : {1, 2, 3, 4, 6, 8, 12, 16}) {
      if (cap < sample.sms) best = std::min(best, Slow<Ticks>::bound(slow.balanced(cap)));
    }
    ASSERT_EQ(bound_of(sample, "dag.balanced", kSafe, "high"), best) << describe(sample);
  }
}

/// Whole loads in a unit of 2520^4 ticks: up to four cuts on top of each other divide without
/// remainder for M <= 10, so that no tick is ever rounded and both must agree to the last digit.
Sample divisible_sample(std::uint64_t index) {
  constexpr std::int64_t kDivisible = 2520LL * 2520 * 2520 * 2520;
  Sample sample = random_sample(index);
  Random random(7, index);
  sample.sms = random.integer(1, 10);
  sample.t_min = kDivisible;
  for (std::int64_t& load : sample.loads) load = random.integer(1, 20) * kDivisible;
  return sample;
}

bool whole(const std::vector<Slow<Rationals>::Step>& steps) {
  return std::all_of(steps.begin(), steps.end(), [](const auto& step) {
    const auto is_whole = [](const auto& kernel) {
      return kernel.load.get_den() == 1 && kernel.c.get_den() == 1;
    };
    return step.r.get_den() == 1 &&
           std::all_of(step.primary.begin(), step.primary.end(), is_whole) &&
           std::all_of(step.launched.begin(), step.launched.end(), is_whole);
  });
}

TEST(FastAndSlowMethods, AgreeExactlyWithRationals) {
  const std::uint64_t count = sweep(5'000);
  std::uint64_t rounded = 0;
  for (std::uint64_t index = 0; index < count; ++index) {
    const Sample sample = divisible_sample(index);
    SCOPED_TRACE(describe(sample));
    Slow<Rationals> slow(sample);
    for (std::string_view variant : {kSafe, std::string_view("paper")}) {
      const auto steps = variant == kSafe ? slow.balanced(sample.sms) : slow.printed();
      if (!whole(steps)) {
        ++rounded;
        continue;
      }
      const Verdict verdict = analyze_sample(sample, "dag.balanced", variant);
      expect_same_steps<Rationals>(plan_of(verdict).schedule, steps);
    }
    EXPECT_EQ(bound_of(sample, "dag.greedy"), slow.greedy());
    EXPECT_EQ(bound_of(sample, "dag.greedy-unaware"), slow.greedy_unaware());
    const mpq_class graham = slow.graham();
    EXPECT_EQ(bound_of(sample, "dag.graham"), graham);
    if (HasFailure()) return;
  }
  EXPECT_LT(rounded, count / 50) << "too few samples were compared";
}

/// Ticks that do round: never by more than docs/use/methods/dag.md says, and a bound that is computed
/// by one division a step never below the exact one.
TEST(FastAndSlowMethods, DifferFromRationalsByATickAStep) {
  for (std::uint64_t index = 0; index < sweep(5'000); ++index) {
    const Sample sample = random_sample(index);
    SCOPED_TRACE(describe(sample));
    Slow<Rationals> slow(sample);
    const auto expect_close = [&](std::int64_t ticks, const mpq_class& exact, std::size_t steps) {
      const double error = mpq_class(mpq_class(static_cast<long>(ticks)) - exact).get_d();
      EXPECT_LE(std::abs(error), 1e-6 * exact.get_d() + static_cast<double>(steps));
    };
    for (std::string_view variant : {kSafe, std::string_view("paper")}) {
      const auto steps = variant == kSafe ? slow.balanced(sample.sms) : slow.printed();
      expect_close(bound_of(sample, "dag.balanced", variant), Slow<Rationals>::bound(steps),
                   steps.size());
    }
    const std::size_t nodes = sample.loads.size();
    expect_close(bound_of(sample, "dag.greedy"), slow.greedy(), nodes);
    expect_close(bound_of(sample, "dag.greedy-unaware"), slow.greedy_unaware(), nodes);
    expect_close(bound_of(sample, "dag.graham"), slow.graham(), 1);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tactus::dag
