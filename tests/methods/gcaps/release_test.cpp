#include <algorithm>
#include <cmath>

#include "tactus/base/random.hpp"
#include "tests/methods/gcaps/support.hpp"
#include "tests/methods/gcaps/tick_simulator.hpp"

/// Where the code that the authors of GCAPS released does something else than the paper: GCAPS 10
/// and 11 of docs/errata.md, written down anew from its rules.
namespace tactus::gcaps::tests {
namespace {

/// How much of what is left the next of `n` tasks gets, when `i` have theirs and r is drawn.
using Share = double (*)(double r, int n, int i);

double uunifast(double r, int n, int i) { return 1 - std::pow(r, 1.0 / (n - i)); }
double random_divider(double r, int n, int i) { return std::pow(r, 1.0 / (n - i)); }

/// The mean of the largest of `n` shares.
double mean_largest(Share share, int n) {
  constexpr int kDraws = 20'000;
  double sum = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    Random random(10, static_cast<std::uint64_t>(draw));
    double left = 1, largest = 0;
    for (int i = 1; i < n; ++i) {
      const double part = share(random.real(), n, i) * left;
      largest = std::max(largest, part);
      left -= part;
    }
    sum += std::max(largest, left);
  }
  return sum / kDraws;
}

TEST(Release, ItsUUniFastGivesOneTaskMostOfTheUtilisation) {
  // The largest of n uniform shares of 1 has the mean (1 + 1/2 + ... + 1/n) / n.
  EXPECT_NEAR(mean_largest(uunifast, 4), 25.0 / 48, 0.005);
  EXPECT_GT(mean_largest(random_divider, 4), 0.75);
  EXPECT_NEAR(mean_largest(uunifast, 2), mean_largest(random_divider, 2), 0.005)
      << "two shares cannot be told from their order";
}

/// One task of default_driver.py, without launch time: CPU and GPU work of its single segment.
struct Released {
  std::string_view name;
  int cpu;
  double period, work, kernel;
};

/// R of task `i` by its busy test, L = 1, theta = 0; tasks from high to low priority.
double tsg_rr_busy(const std::vector<Released>& tasks, std::size_t i) {
  const auto uses_gpu = [&](std::size_t k) { return tasks[k].kernel > 0; };
  std::size_t others = 0, beside = 0;
  for (std::size_t k = 0; k < tasks.size(); ++k) others += k != i && uses_gpu(k) ? 1 : 0;
  for (std::size_t h = 0; h < i; ++h) beside += tasks[h].cpu != tasks[i].cpu && uses_gpu(h) ? 1 : 0;
  // lp_set counts from 0, not from i + 1.
  for (std::size_t l = 0; l + i + 1 < tasks.size(); ++l) beside += uses_gpu(l) ? 1 : 0;
  const auto interleaved = [](std::size_t nu, double g) {
    return static_cast<double>(nu) * std::ceil(g);
  };
  for (double before = 0;;) {
    double r = tasks[i].work + tasks[i].kernel + interleaved(others, tasks[i].kernel);
    for (std::size_t h = 0; h < i; ++h) {
      if (tasks[h].cpu != tasks[i].cpu || !uses_gpu(h)) continue;  // its CPU time is lost here
      r += std::ceil(before / tasks[h].period) *
           (interleaved(beside, tasks[h].kernel) + tasks[h].kernel + tasks[h].work);
    }
    if (r == before) return r;
    before = r;
  }
}

Sketch sketch(const std::vector<Released>& tasks) {
  Sketch sketch(3);
  sketch.time_slice("1").context_switch("0");
  const auto text = [](double value) { return std::to_string(static_cast<int>(value)); };
  for (const Released& task : tasks) {
    sketch.task(task.name, task.cpu, text(task.period),
                text(task.work) + (task.kernel > 0 ? ", 0+" + text(task.kernel) : ""));
  }
  return sketch;
}

/// All tasks are released at 0 and spin: task `i` takes longer than the released bound, and not
/// longer than that of Eqs. 5 to 7.
void expect_exceeded(const std::vector<Released>& tasks, std::size_t i, double released,
                     Ticks seen) {
  EXPECT_EQ(tsg_rr_busy(tasks, i), released);
  const System system = sketch(tasks).system();
  Scenario scenario = scenario_of(system, Policy::kTsgRr, true, ms(1));
  for (auto& task : scenario.tasks) task.jobs.push_back({0, task.worst});
  const Ticks response = worst_responses(scenario, 100)[i];
  EXPECT_EQ(response, seen);
  EXPECT_GT(response, released);
  for (const std::string_view variant : {"paper", "safe"}) {
    EXPECT_GE(bound_ns("tsg-rr.busy", system, variant, tasks[i].name), response * kMs) << variant;
  }
}

TEST(Release, ItsTsgRrBusyForgetsCpuOnlyTasks) {
  expect_exceeded({{"a", 1, 100, 10, 0}, {"b", 1, 100, 2, 2}}, 1, 4, 14);
}

TEST(Release, ItsTsgRrBusyCountsLowerTasksByWrongIndices) {
  // b spins while its slices alternate with those of d; index 0 is a, which uses no GPU.
  expect_exceeded(
      {{"a", 3, 100, 1, 0}, {"b", 1, 100, 1, 4}, {"c", 1, 100, 2, 0}, {"d", 2, 100, 1, 20}}, 2, 7,
      10);
}

}  // namespace
}  // namespace tactus::gcaps::tests
