#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "statistics.hpp"

namespace tactus {
namespace {

using namespace statistics;

double ms(Time time) { return static_cast<double>(time.ns()) / 1e6; }

double demand(const Task& task) {
  double sum = 0;
  for (const Node& node : task.nodes) sum += ms(*node.wcet) + ms(node.launch);
  return sum;
}
double utilisation(const Task& task) { return demand(task) / ms(*task.period); }

TEST(GcapsTable3, DrawsCountsPeriodsRatiosAndLaunchesAsInTheTable) {
  std::vector<std::uint64_t> counts(13), periods(471), segments(3);
  std::vector<double> ratios, launches;
  std::uint64_t tasks = 0, users = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gcaps-table3", i);
    ASSERT_GE(system.tasks.size(), 12u);
    ASSERT_LE(system.tasks.size(), 24u);
    ++counts[system.tasks.size() - 12];
    for (const Task& task : system.tasks) {
      ++tasks;
      ++periods.at(static_cast<std::size_t>(std::llround(ms(*task.period))) - 30);
      EXPECT_EQ(task.deadline, task.period);
      if (task.nodes.size() == 1) continue;
      ++users;
      ++segments.at(task.nodes.size() / 2 - 1);
      double gpu = 0;
      for (const Node& node : task.nodes) {
        if (node.on == 1) gpu += ms(*node.wcet) + ms(node.launch);
      }
      ratios.push_back(scaled(gpu / (demand(task) - gpu), 0.2, 2));
      const Node& kernel = task.nodes[1];
      const double length = ms(*kernel.wcet) + ms(kernel.launch);
      if (length > 0.01) launches.push_back(scaled(ms(kernel.launch) / length, 0.1, 0.3));
    }
  }
  // Four CPUs of 3 to 6 tasks: the sums of four dice of four sides.
  EXPECT_LT(chi_square(counts, {1, 4, 10, 20, 31, 40, 44, 40, 31, 20, 10, 4, 1}), 1);
  EXPECT_LT(chi_square_equal(periods), 1);
  EXPECT_LT(chi_square_equal(segments), 1);
  EXPECT_LT(ks_uniform(ratios), kKsLimit);
  EXPECT_LT(ks_uniform(launches), kKsLimit);
  const auto n = static_cast<double>(tasks);
  EXPECT_NEAR(static_cast<double>(users) / n, 0.5, 3.3 * 0.5 / std::sqrt(n));
}

TEST(GcapsTable3, GivesACpuAUniformUtilisation) {
  for (const char* split : {"uunifast", "discard", "drs"}) {
    std::vector<double> sums;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const System system = draw("gcaps-table3", i,
                                 {{"cpus", "1"},
                                  {"split", split},
                                  {"task-util-min", "0.01"},
                                  {"task-util-max", "0.5"},
                                  {"util-min", "0.4"}});
      double sum = 0;
      bool raised = false;
      for (const Task& task : system.tasks) {
        sum += utilisation(task);
        EXPECT_GE(utilisation(task), 0.01 - 1e-6);
        raised = raised || utilisation(task) < 0.01 + 1e-6;
        EXPECT_LE(utilisation(task), split == std::string_view("uunifast") ? 1 : 0.5 + 1e-6);
      }
      // A share that UUniFast made too small was raised, and the sum with it.
      if (!raised) sums.push_back(scaled(sum, 0.4, 0.6));
    }
    EXPECT_GT(sums.size(), kDraws / 2);
    EXPECT_LT(ks_uniform(sums), kKsLimit + (split == std::string_view("uunifast") ? 1 : 0));
  }
}

TEST(GcapsTable3, GivesTasksTheirOwnUtilisationForFigure8a) {
  std::vector<double> shares;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gcaps-table3", i, {{"tasks", "10"}});
    ASSERT_EQ(system.tasks.size(), 10u);
    EXPECT_EQ(system.platform.elements[0].units, 4);
    for (const Task& task : system.tasks) shares.push_back(scaled(utilisation(task), 0.05, 0.3));
  }
  EXPECT_LT(ks_uniform(shares), kKsLimit);
}

TEST(GcapsTable3, IsRateMonotonicAndWorstFitDecreasing) {
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gcaps-table3", i, {{"tasks", "12"}});
    std::vector<const Task*> by_size;
    for (const Task& task : system.tasks) {
      by_size.push_back(&task);
      for (const Task& other : system.tasks) {
        EXPECT_TRUE(*task.period >= *other.period || *task.priority > *other.priority);
      }
    }
    std::stable_sort(by_size.begin(), by_size.end(), [](const Task* a, const Task* b) {
      return utilisation(*a) > utilisation(*b);
    });
    std::vector<double> loads(4);
    for (const Task* task : by_size) {
      const double least = *std::min_element(loads.begin(), loads.end());
      double& load = loads.at(static_cast<std::size_t>(*task->core - 1));
      ASSERT_LE(load, least + 1e-5);
      load += utilisation(*task);
    }
  }
}

TEST(GcapsTable3, TakesThePriorityOfAShareOfTheTasks) {
  std::vector<std::uint64_t> places(20);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gcaps-table3", i, {{"tasks", "20"}, {"best-effort", "0.4"}});
    std::size_t count = 0;
    for (std::size_t k = 0; k < 20; ++k) {
      EXPECT_EQ(system.tasks[k].best_effort, !system.tasks[k].priority);
      if (!system.tasks[k].best_effort) continue;
      ++places[k];
      ++count;
    }
    EXPECT_EQ(count, 8u);
  }
  EXPECT_LT(chi_square_equal(places), 1);
}

TEST(GcapsSmall, DrawsCoresAndTasksEvenly) {
  std::vector<std::uint64_t> cores(3), tasks(5);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gcaps-small", i);
    ++cores.at(static_cast<std::size_t>(system.platform.elements[0].units) - 1);
    ++tasks.at(system.tasks.size() - 2);
  }
  EXPECT_LT(chi_square_equal(cores), 1);
  EXPECT_LT(chi_square_equal(tasks), 1);
}

TEST(GcapsTable3, RefusesRangesTheWrongWayRound) {
  for (const char* stem : {"tasks", "util", "task-util", "period", "gpu", "ratio", "launch"}) {
    const std::string low = std::string(stem) + "-min", high = std::string(stem) + "-max";
    const bool whole = low == "tasks-min" || low == "period-min";
    const Given given = {{low, whole ? "9" : "0.9"}, {high, whole ? "3" : "0.3"}};
    const std::string kind = whole ? "whole number" : "number";
    EXPECT_NE(refusal("gcaps-table3", given).find("`" + high + "` must be a " + kind + " in ["),
              std::string::npos)
        << stem << ": " << refusal("gcaps-table3", given);
  }
}

/// A refusal that only some draws meet would come in the middle of an experiment.
TEST(GcapsTable3, RefusesASplitThatOnlySomeDrawsAllow) {
  EXPECT_EQ(refusal("gcaps-table3", {{"split", "drs"}, {"task-util-max", "0.06"}}),
            "6 tasks of [0.05, 0.06] cannot have the utilisation 0.4 together");
  EXPECT_EQ(refusal("gcaps-table3", {{"split", "discard"}, {"util-max", "0.95"}}),
            "3 tasks of [0.05, 0.3] cannot have the utilisation 0.95 together");
}

TEST(GcapsTable3, LeavesTasksOnTheirCpusWhenAsked) {
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gcaps-table3", i, {{"cores", "drawn"}, {"task-util-min", "0"}});
    std::vector<double> loads(4);
    std::vector<std::size_t> counts(4);
    for (const Task& task : system.tasks) {
      loads.at(static_cast<std::size_t>(*task.core - 1)) += utilisation(task);
      ++counts.at(static_cast<std::size_t>(*task.core - 1));
    }
    for (std::size_t cpu = 0; cpu < 4; ++cpu) {
      EXPECT_TRUE(counts[cpu] >= 3 && counts[cpu] <= 6);
      EXPECT_GE(loads[cpu], 0.4 - 1e-5);
      EXPECT_LE(loads[cpu], 0.6 + 0.05 + 1e-5);  // shares below 0.01 are raised to it
    }
  }
}

const Given kReleased = {{"split", "released"}, {"cores", "drawn"}, {"steps", "released"}};

Given released_with(Given more) {
  more.insert(kReleased.begin(), kReleased.end());
  return more;
}

bool is_whole(double value) { return std::abs(value - std::round(value)) < 1e-4; }

/// The draws of the authors' program: UUniFast inverted, so that of three shares the first takes the
/// larger of two uniform numbers, 2/3 of all on average (UUniFast: 1/3).
TEST(GcapsTable3, DrawsSharesAsTheAuthorsProgramDoes) {
  const Given given = released_with(
      {{"cpus", "1"}, {"tasks-min", "3"}, {"tasks-max", "3"}, {"gpu-min", "0"}, {"gpu-max", "0"}});
  std::vector<std::uint64_t> totals(21), largest_at(3);
  double largest = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gcaps-table3", i, given);
    std::vector<double> shares;
    for (const Task& task : system.tasks) {
      shares.push_back(utilisation(task));
      EXPECT_TRUE(is_whole(100 * shares.back())) << shares.back();
      EXPECT_GE(shares.back(), 0.01 - 1e-6);
    }
    const auto most = std::max_element(shares.begin(), shares.end());
    ++largest_at[static_cast<std::size_t>(most - shares.begin())];
    const double total = shares[0] + shares[1] + shares[2];
    largest += *most / total;
    ++totals.at(
        std::min<std::size_t>(static_cast<std::size_t>(std::llround(100 * total)) - 40, 20));
  }
  // max(m, (1 - m) max(u, 1 - u)) with m the larger of two uniform numbers has the mean 0.714 (shares
  // of UUniFast: 0.611); rounding, and raising to 0.01, takes a little of it.
  EXPECT_NEAR(largest / static_cast<double>(kDraws), 0.714, 0.012);
  EXPECT_LT(chi_square_equal(largest_at), 2);  // shuffled; of equal ones the first counts
  EXPECT_GT(*std::min_element(totals.begin(), totals.end()), kDraws / 50);
}

TEST(GcapsTable3, DrawsTheTasksOfFigure8aAsTheAuthorsProgramDoes) {
  std::vector<std::uint64_t> counts(5);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const System system = draw("gcaps-table3", i, released_with({{"tasks", "10"}}));
    std::vector<double> loads(4);
    for (const Task& task : system.tasks) {
      const double twentieths = std::round(20 * utilisation(task));
      EXPECT_NEAR(20 * utilisation(task), twentieths, 0.05);  // times are whole hundredths
      // Not sorted: each goes to the least loaded core in the order of the draws.
      double& load = loads.at(static_cast<std::size_t>(*task.core - 1));
      ASSERT_LE(load, *std::min_element(loads.begin(), loads.end()));
      load += twentieths;
      ++counts.at(static_cast<std::size_t>(std::llround(twentieths)) - 1);
    }
  }
  EXPECT_LT(chi_square_equal(counts), 1);
}

}  // namespace
}  // namespace tactus
