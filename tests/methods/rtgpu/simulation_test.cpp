#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tests/methods/rtgpu/builder.hpp"
#include "tests/methods/rtgpu/simulator.hpp"

/// Bounds against what happens: safe and tight bounds are never exceeded, printed ones of the
/// baselines are.
namespace tactus::rtgpu {
namespace {

using namespace testing;
using reference::Counts;
using reference::Model;
using PartsOf = std::vector<Part> (*)(const reference::TaskModel&, std::int64_t);

std::vector<SimulatedTask> simulated(const Model& model, const Counts& counts, PartsOf parts) {
  std::vector<SimulatedTask> tasks;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    tasks.push_back({parts(model.tasks[k], counts[k]), model.tasks[k].period});
  }
  for (const auto& task : model.best_effort) {
    tasks.push_back({parts(task, std::max<std::int64_t>(1, task.min_sms)), 60, true});
  }
  return tasks;
}

/// A chain on SMs of its own, as `rtgpu`'s, but without interleaving: the baselines' kernels.
std::vector<Part> plain_parts(const reference::TaskModel& task, std::int64_t sms) {
  reference::TaskModel plain = task;
  for (auto& segment : plain.chain) segment.alpha = 1'000'000;
  std::vector<Part> parts = reference::parts_of(plain, sms);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& segment = task.chain[i];
    if (segment.kind != reference::Segment::kKernel || segment.rigid || segment.upper == 0 ||
        !segment.times.empty()) {
      continue;
    }
    const Ns parallel = segment.upper - segment.overhead;
    parts[i].upper = segment.overhead + (parallel + sms - 1) / sms;
    parts[i].lower = segment.lower / sms;
  }
  return parts;
}

struct Tally {
  int schedulable = 0, runs = 0, violated = 0;
  double closest = 0;  ///< largest observed / bound
};

/// Runs the sets that a method calls schedulable, and counts the runs that exceed one of its
/// bounds; of segments too where the plan has them and the runtime runs those segments.
Tally hunt(std::string_view method, std::string_view variant, PartsOf parts, Waiting waiting,
           std::uint64_t seed, bool segments) {
  Tally tally;
  Random random(seed, 0);
  const int count = sets(1500);
  for (int set = 0; set < count; ++set) {
    Shape shape{.lowers = set % 3 != 0, .utilization = 70};
    if (set % 4 == 3) shape = {.buses_most = 2, .odd = true, .utilization = 60};
    if (set % 8 == 3 && waiting == Waiting::kSuspend) shape.cores_most = 2;
    if (set % 3 == 1) shape.measured = 0.7;
    const System system = random_system(random, shape);
    const Verdict verdict = analyze(*find_method(method), system, with(variant));
    if (verdict.status != Status::kSchedulable) continue;
    ++tally.schedulable;
    const auto& plan = dynamic_cast<const AllocationPlan&>(*verdict.plan);
    Counts counts;
    for (const auto& entry : plan.entries) counts.push_back(entry.sms);
    const auto tasks = simulated(reference::model_of(system), counts, parts);
    Ns longest = 0;
    for (const SimulatedTask& task : tasks) longest = std::max(longest, task.period);
    for (int run = 0; run < 8; ++run) {
      ++tally.runs;
      const Observed observed =
          simulate(tasks, random_behaviour(tasks, random), waiting, 12 * longest, random);
      bool violated = observed.missed;
      for (std::size_t k = 0; k < counts.size(); ++k) {
        const Ns bound = plan.entries[k].bound->ns();
        violated = violated || observed.responses[k] > bound;
        tally.closest = std::max(
            tally.closest, static_cast<double>(observed.responses[k]) / static_cast<double>(bound));
        for (std::size_t i = 0; segments && i < plan.entries[k].segments.size(); ++i) {
          const auto& limit = plan.entries[k].segments[i].bound;
          violated = violated || (limit && observed.part_responses[k][i] > limit->ns());
        }
      }
      tally.violated += violated ? 1 : 0;
    }
  }
  EXPECT_GT(tally.schedulable, count / 10);
  return tally;
}

TEST(Simulation, NeverExceedsRtgpuBoundsOfTasksOrSegments) {
  const Tally tally = hunt("rtgpu", "safe", reference::parts_of, Waiting::kSuspend, 51, true);
  EXPECT_EQ(tally.violated, 0) << "of " << tally.runs;
  EXPECT_EQ(tally.closest, 1.0);  // attained
}

TEST(Simulation, NeverExceedsTightBounds) {
  const Tally tally = hunt("rtgpu", "tight", reference::parts_of, Waiting::kSuspend, 52, true);
  EXPECT_EQ(tally.violated, 0) << "of " << tally.runs;
}

TEST(Simulation, NeverExceedsSafeSelfSuspensionBounds) {
  const Tally tally =
      hunt("self-suspension", "safe", reference::suspensions_of, Waiting::kSuspend, 53, true);
  EXPECT_EQ(tally.violated, 0) << "of " << tally.runs;
}

TEST(Simulation, ExceedsTheWeakReadingOfSelfSuspensionInBothRuntimes) {
  EXPECT_GT(hunt("self-suspension", "paper", reference::suspensions_of, Waiting::kSuspend, 54, true)
                .violated,
            0);
  EXPECT_GT(hunt("self-suspension", "paper", plain_parts, Waiting::kSuspend, 55, false).violated,
            0);
}

TEST(Simulation, NeverExceedsSafeStgmBounds) {
  const Tally tally = hunt("stgm", "safe", plain_parts, Waiting::kBusy, 56, false);
  EXPECT_EQ(tally.violated, 0) << "of " << tally.runs;
}

TEST(Simulation, ExceedsTheWeakReadingOfStgm) {
  EXPECT_GT(hunt("stgm", "paper", plain_parts, Waiting::kBusy, 57, false).violated, 0);
}

/// The longest response of a task over all phases of the second task, every length at its upper
/// bound; several orders of simultaneous events each.
Ns worst_over_phases(const std::vector<SimulatedTask>& tasks, std::size_t watched, Waiting waiting,
                     Ns step) {
  Ns worst = 0;
  Random random(58, 0);
  for (Ns phase = 0; phase < tasks[0].period; phase += step) {
    for (int order = 0; order < 8; ++order) {
      const Behaviour behaviour{
          [&](std::size_t k, int job, Ns earliest) {
            return job > 0 ? earliest : k == 0 ? phase : 0;
          },
          [&](std::size_t k, int, std::size_t part) { return tasks[k].parts[part].upper; }};
      const Observed observed = simulate(tasks, behaviour, waiting, 4 * tasks[0].period, random);
      worst = std::max(worst, observed.responses[watched]);
    }
  }
  return worst;
}

std::optional<Time> bound_of(const System& system, std::string_view method,
                             std::string_view variant, std::string allocation, std::size_t task) {
  return analyze(*find_method(method), system, with(variant, std::move(allocation)))
      .tasks[task]
      .bound;
}

TEST(Counterexample, SelfSuspensionWithoutMoreUrgentCopiesIsUnsafe) {
  const System system = Builder(4)
                            .task("a", 28)
                            .copy(2)
                            .kernel(24, 24)
                            .task("b", 38, 33)
                            .cpu(3)
                            .copy(2)
                            .kernel(16, 16)
                            .cpu(3)
                            .build();
  EXPECT_EQ(bound_of(system, "self-suspension", "paper", "a=2,b=2", 1), ms(16));
  const auto tasks = simulated(reference::model_of(system), {2, 2}, plain_parts);
  EXPECT_EQ(worst_over_phases(tasks, 1, Waiting::kSuspend, 500'000), ms(18).ns());
  EXPECT_GE(bound_of(system, "self-suspension", "safe", "a=2,b=2", 1).value_or(Time::max()),
            ms(18));
}

TEST(Counterexample, StgmWithoutLessUrgentCopiesIsUnsafe) {
  const System system = Builder(4)
                            .task("a", 18)
                            .copy(3)
                            .kernel(6, 6)
                            .cpu(5)
                            .task("b", 54)
                            .cpu(1)
                            .copy(5)
                            .kernel(26, 26)
                            .build();
  EXPECT_EQ(bound_of(system, "stgm", "paper", "a=2,b=2", 0), ms(11));
  const auto tasks = simulated(reference::model_of(system), {2, 2}, plain_parts);
  const Ns observed = worst_over_phases(tasks, 0, Waiting::kBusy, 500'000);
  EXPECT_EQ(observed, ms(16).ns());
  EXPECT_EQ(bound_of(system, "stgm", "safe", "a=2,b=2", 0), ms(16));
}

TEST(Counterexample, TheFirstCpuSegmentCountsWithItsLowerBound) {
  const System system = Builder(4)
                            .task("a", 16)
                            .cpu(10, 0)
                            .copy(5)
                            .task("b", 100)
                            .copy(1)
                            .task("c", 200)
                            .copy(1)
                            .build();
  EXPECT_EQ(bound_of(system, "rtgpu", "safe", "a=0", 1), ms(12));
  // With the upper bound of a's CPU segment (as if it could not be shorter) the bound would be 7.
  System wrong = system;
  wrong.tasks[0].nodes[0].bcet = *wrong.tasks[0].nodes[0].wcet;
  EXPECT_EQ(bound_of(wrong, "rtgpu", "safe", "a=0", 1), ms(7));

  const auto tasks = simulated(reference::model_of(system), {0, 0, 0}, reference::parts_of);
  const Behaviour script{[](std::size_t k, int job, Ns earliest) {
                           return job > 0 ? earliest : k == 0 ? Ns{0} : ms(k == 1 ? 11 : 10).ns();
                         },
                         [&](std::size_t k, int job, std::size_t part) {
                           return k == 0 && job == 1 && part == 0 ? Ns{0}
                                                                  : tasks[k].parts[part].upper;
                         }};
  Ns worst = 0;
  Random random(59, 0);
  for (int order = 0; order < 200; ++order) {
    const Observed observed = simulate(tasks, script, Waiting::kSuspend, ms(31).ns(), random);
    worst = std::max(worst, observed.responses[1]);
  }
  EXPECT_EQ(worst, ms(11).ns());
}

}  // namespace
}  // namespace tactus::rtgpu
