#include <gtest/gtest.h>

#include <numeric>

#include "tests/methods/dag/simulation.hpp"

/// Section 14.
namespace tactus::dag {
namespace {

constexpr std::string_view kMethods[] = {"dag.balanced", "dag.greedy", "dag.greedy-unaware",
                                         "dag.graham"};

template <typename Check>
void for_many(std::uint64_t count, Check check) {
  for (std::uint64_t index = 0; index < sweep(count); ++index) {
    const Sample sample = random_sample(index);
    check(sample, index);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "sample " << index << ": " << describe(sample);
      return;
    }
  }
}

std::int64_t longest_path(const Sample& sample) {
  const Graph graph(sample.size(), sample.edges);
  std::vector<std::int64_t> length(sample.size(), 1);
  std::int64_t longest = 0;
  for (NodeIndex node : topological_order(graph)) {
    longest = std::max(longest, length[node]);
    for (NodeIndex next : graph.successors(node)) {
      length[next] = std::max(length[next], length[node] + 1);
    }
  }
  return longest;
}

TEST(Bounds, BalancedIsAtMostGreedyWhichIsAtMostUnaware) {
  for_many(20'000, [](const Sample& sample, std::uint64_t) {
    const std::int64_t balanced = bound_of(sample, "dag.balanced");
    const std::int64_t greedy = bound_of(sample, "dag.greedy");
    EXPECT_LE(bound_of(sample, "dag.balanced", kSafe, "high"), balanced);
    EXPECT_LE(balanced, greedy);
    EXPECT_LE(greedy, bound_of(sample, "dag.greedy-unaware"));
  });
}

TEST(Bounds, AreAtLeastTheLongestPathAndTheWorkOnAllSms) {
  for_many(20'000, [](const Sample& sample, std::uint64_t) {
    const std::int64_t work =
        std::accumulate(sample.loads.begin(), sample.loads.end(), std::int64_t{0});
    for (std::string_view method : kMethods) {
      const std::int64_t bound = bound_of(sample, method, kSafe, "high");
      EXPECT_GE(bound, sample.t_min * longest_path(sample)) << method;
      EXPECT_GE(bound, (work + sample.sms - 1) / sample.sms) << method;
    }
  });
}

TEST(Bounds, OfAChainAreThoseOfGreedy) {
  for_many(20'000, [](Sample sample, std::uint64_t) {
    sample.edges.clear();
    for (NodeIndex v = 1; v < sample.size(); ++v) sample.edges.emplace_back(v - 1, v);
    EXPECT_EQ(bound_of(sample, "dag.balanced"), bound_of(sample, "dag.greedy"));
  });
}

TEST(Bounds, OnOneSmAddUpTheLoads) {
  for_many(20'000, [](Sample sample, std::uint64_t) {
    sample.sms = 1;
    std::int64_t sum = 0;
    for (std::int64_t load : sample.loads) sum += std::max(load, sample.t_min);
    EXPECT_EQ(bound_of(sample, "dag.balanced"), sum);
  });
}

TEST(Bounds, ScaleWithTheLoads) {
  for_many(20'000, [](const Sample& sample, std::uint64_t index) {
    Sample scaled = sample;
    const std::int64_t factor = Random(3, index).integer(2, 1000);
    scaled.t_min *= factor;
    for (std::int64_t& load : scaled.loads) load *= factor;
    for (std::string_view method : kMethods) {
      const Verdict verdict = analyze_sample(sample, method);
      const auto expected = static_cast<double>(factor * bound_of(verdict));
      const auto steps = static_cast<double>(plan_of(verdict).schedule.steps.size());
      // The smaller one rounds by a tick a step, which the factor enlarges.
      EXPECT_NEAR(static_cast<double>(bound_of(scaled, method)), expected,
                  1e-6 * expected + steps * static_cast<double>(factor))
          << method;
    }
  });
}

TEST(Bounds, DoNotDependOnNames) {
  for_many(2'000, [](const Sample& sample, std::uint64_t) {
    System renamed = system_of(sample);
    for (NodeIndex v = 0; v < sample.size(); ++v) {
      renamed.tasks[0].nodes[v].name = std::string(1 + sample.size() - v, 'x');
    }
    for (std::string_view method : kMethods) {
      EXPECT_EQ(bound_of(analyze(*find_method(method), renamed)), bound_of(sample, method));
    }
  });
}

TEST(Bounds, OfTheBaselinesAreTheSameInBothVariants) {
  for_many(2'000, [](const Sample& sample, std::uint64_t) {
    for (std::string_view method : {"dag.greedy", "dag.greedy-unaware", "dag.graham"}) {
      EXPECT_EQ(bound_of(sample, method), bound_of(sample, method, "paper"));
    }
  });
}

TEST(Terms, AddUpToTheBoundAndStayReadable) {
  for_many(20'000, [](const Sample& sample, std::uint64_t) {
    for (std::string_view method : kMethods) {
      for (std::string_view variant : {kSafe, std::string_view("paper")}) {
        const Verdict verdict = analyze_sample(sample, method, variant);
        Time sum;
        for (const Term& term : verdict.tasks[0].terms) sum += term.amount;
        EXPECT_EQ(sum, verdict.tasks[0].bound);
      }
    }
  });
  const Sample many = sample_of(1, std::vector<std::int64_t>(1000, 3), {});
  const Verdict verdict = analyze_sample(many, "dag.balanced");
  ASSERT_EQ(verdict.tasks[0].terms.size(), 50u);
  EXPECT_EQ(verdict.tasks[0].terms.back().label, "all later steps");
  EXPECT_EQ(verdict.tasks[0].terms.back().amount, Time::from_ms(3 * 951));
}

/// Every plan, with every dispatcher, in the worst case and with early completions.
TEST(Plans, KeepTheirBoundInSimulation) {
  for_many(20'000, [](const Sample& sample, std::uint64_t index) {
    Random random(11, index);
    const System system = system_of(sample);
    const Policy policy = kPolicies[random.integer(0, 3)];
    const std::string_view effort = random.chance(0.5) ? "normal" : "high";
    for (std::string_view method : kMethods) {
      const Verdict verdict = analyze_sample(sample, method, kSafe, effort);
      const DagPlan& plan = plan_of(verdict);
      std::int64_t blocks = 0;
      for (const Kernel& kernel : plan.schedule.kernels) blocks += kernel.m;
      if (blocks > 5'000) continue;  // unit blocks of loads far above t_min
      EXPECT_LE(makespan(system, plan, worst_durations(plan), policy, random), bound_of(verdict))
          << method;
      EXPECT_LE(makespan(system, plan, random_durations(plan, random), policy, random),
                bound_of(verdict))
          << method;
    }
  });
}

}  // namespace
}  // namespace tactus::dag
