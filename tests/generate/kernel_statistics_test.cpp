#include <gtest/gtest.h>

#include <cmath>

#include "statistics.hpp"

/// The recipes of the pbs and rtgpu papers.
namespace tactus {
namespace {

using namespace statistics;

double ms(Time time) { return static_cast<double>(time.ns()) / 1e6; }

TEST(PbsSlowdown, DrawsPeriodsFactorsAndUtilisations) {
  constexpr double kPeriods[] = {400, 600, 800, 1200, 1600};
  std::vector<std::uint64_t> periods(5);
  std::vector<double> factors, shares;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("pbs-slowdown", i);
    double sum = 0;
    for (const Task& task : system.tasks) {
      const double period = ms(*task.period), u = ms(*task.nodes[0].wcet) / period;
      sum += u;
      ++periods.at(static_cast<std::size_t>(std::find(kPeriods, kPeriods + 5, period) - kPeriods));
      EXPECT_NEAR(static_cast<double>(*task.nodes[0].blocks), 256 * u, 1.5);
      const auto billionths = static_cast<double>(task.nodes[0].slowdown->billionths);
      factors.push_back(scaled(billionths / 1e9, 1.1, 1.9));
    }
    ASSERT_NEAR(sum, 1, 5 * 1.0 / 400);  // each wcet is rounded to a whole unit, at least one
    const Task& one = system.tasks[0];
    shares.push_back(std::pow(1 - ms(*one.nodes[0].wcet) / ms(*one.period), 4));
  }
  EXPECT_LT(chi_square_equal(periods), 1);
  EXPECT_LT(ks_uniform(factors), kKsLimit);
  EXPECT_LT(ks_uniform(shares), kKsLimit);
}

TEST(PbsSlowdown, DiscardsSplitsWithAUtilisationAboveOne) {
  for (const char* split : {"discard", "drs"}) {
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const System system = draw("pbs-slowdown", i, {{"u", "3"}, {"n", "4"}, {"split", split}});
      double sum = 0;
      for (const Task& task : system.tasks) {
        EXPECT_LE(*task.nodes[0].wcet, *task.period);
        sum += ms(*task.nodes[0].wcet) / ms(*task.period);
      }
      ASSERT_NEAR(sum, 3, 4 * 1.0 / 400);
    }
  }
}

TEST(PbsSlowdown, DrawsOneFactorABatchInTheTableModel) {
  std::vector<double> factors;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("pbs-slowdown", i, {{"model", "table"}, {"lo", "1"}, {"hi", "1.4"}});
    for (const Batch& batch : system.batches) {
      double longest = 0;
      std::int64_t blocks = 0;
      for (TaskIndex member : batch.tasks) {
        longest = std::max(longest, ms(*system.tasks[member].nodes[0].wcet));
        blocks += *system.tasks[member].nodes[0].blocks;
      }
      EXPECT_LE(blocks, 256);
      EXPECT_GE(ms(*batch.completion), longest);
      EXPECT_LE(ms(*batch.completion), std::ceil(1.4 * longest));
      // Rounded up to a whole unit: fine enough only for long kernels.
      if (longest > 500) factors.push_back(scaled((ms(*batch.completion) - 0.5) / longest, 1, 1.4));
    }
  }
  EXPECT_GT(factors.size(), 1000u);
  EXPECT_LT(ks_uniform(factors), kKsLimit);
}

TEST(PbsSmall, DrawsTasksEvenly) {
  std::vector<std::uint64_t> tasks(4);
  for (std::uint64_t i = 0; i < kDraws; ++i) ++tasks.at(draw("pbs-small", i).tasks.size() - 2);
  EXPECT_LT(chi_square_equal(tasks), 1);
}

TEST(RtgpuTable1, DrawsLengthsKindsAndSharesInBothCopyModels) {
  for (const char* copies : {"1", "2"}) {
    std::vector<double> cpu, copy, gpu;
    std::vector<std::uint64_t> kinds(3);
    double first_share = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const System system = draw("rtgpu-table1", i, {{"copies", copies}});
      double sum = 0;
      for (const Task& task : system.tasks) {
        double length = 0;
        for (const Node& node : task.nodes) {
          const double own = ms(node.load ? *node.load : *node.wcet);
          length += own;
          if (node.on == 0) cpu.push_back(scaled(own, 1, 20));
          if (node.on == 1) copy.push_back(scaled(own, 1, 5));
          if (node.on == 2) gpu.push_back(scaled(own, 1, 20));
        }
        const auto alpha = task.nodes[2].interleave->billionths;
        ++kinds.at(alpha == 1'450'000'000 ? 0 : alpha == 1'700'000'000 ? 1 : 2);
        const double share = length / ms(*task.period);
        if (&task == &system.tasks[0]) first_share += share;
        sum += share;
      }
      ASSERT_EQ(system.tasks[0].nodes.size(), copies == std::string_view("1") ? 13u : 17u);
      ASSERT_NEAR(sum, 1, 1e-3);
    }
    EXPECT_LT(ks_uniform(cpu), kKsLimit);
    EXPECT_LT(ks_uniform(copy), kKsLimit);
    EXPECT_LT(ks_uniform(gpu), kKsLimit);
    EXPECT_LT(chi_square(kinds, {1, 2, 1}), 1);
    EXPECT_NEAR(first_share / static_cast<double>(kDraws), 0.2, 0.005);
  }
}

TEST(RtgpuTable1, SplitsTheUtilisationAsAsked) {
  for (const char* split : {"uunifast", "discard", "drs"}) {
    std::vector<double> shares;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const Task task = draw("rtgpu-table1", i, {{"split", split}, {"subtasks", "1"}}).tasks[0];
      shares.push_back(std::pow(1 - ms(*task.nodes[0].wcet) / ms(*task.period), 4));
    }
    EXPECT_LT(ks_uniform(shares), kKsLimit) << split;
  }
  EXPECT_EQ(refusal("rtgpu-table1", {{"split", "drs"}, {"utilization", "6"}}),
            "5 tasks of at most 1 cannot have the utilization 6 together");
}

TEST(RtgpuSmall, DrawsSmsEvenly) {
  std::vector<std::uint64_t> sms(6);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    ++sms.at(static_cast<std::size_t>(draw("rtgpu-small", i).platform.elements.back().units) - 3);
  }
  EXPECT_LT(chi_square_equal(sms), 1);
}

TEST(PbsAndRtgpuRecipes, RefuseRangesTheWrongWayRound) {
  EXPECT_EQ(refusal("pbs-slowdown", {{"lo", "1.9"}, {"hi", "1.1"}}),
            "parameter `hi` must be a number in [1.9, 100], got `1.1`");
  for (const char* stem : {"cpu", "copy", "gpu"}) {
    const std::string high = std::string(stem) + "-max";
    EXPECT_EQ(refusal("rtgpu-table1", {{std::string(stem) + "-min", "8"}, {high, "4"}}),
              "parameter `" + high + "` must be a number in [8, 1000000], got `4`");
  }
}

}  // namespace
}  // namespace tactus
