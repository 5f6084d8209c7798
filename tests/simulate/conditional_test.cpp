// A conditional bound holds in every run in which the tasks without a bound meet their deadlines:
// systems that are not proved, in runs in which the tasks that fail take only a part of their times
// (such a run is one of the same system), until they are in time.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include "tactus/generate/gcaps_small.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/writer.hpp"
#include "tests/simulate/support.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::simulate {
namespace {

struct Asked {
  const char* method;
  const char* variant;
};

constexpr Asked kAsked[] = {
    {"gcaps.suspend", "safe"},      {"gcaps.busy", "safe"},     {"gcaps.suspend", "safe-arbiter"},
    {"gcaps.busy", "safe-arbiter"}, {"tsg-rr.suspend", "safe"}, {"tsg-rr.busy", "safe"},
    {"mpcp.suspend", "safe"},       {"mpcp.busy", "safe"},      {"fmlp.suspend", "safe"},
    {"fmlp.busy", "safe"},
};

/// A small system in which one of the tasks takes too long.
System overloaded(std::uint64_t index) {
  Random random(19, index);
  System system = gcaps::small_system(random, Time::from_ns(1));
  system.time_unit = TimeUnit::kNs;
  const auto last = static_cast<std::int64_t>(system.tasks.size()) - 1;
  Task& task = system.tasks[static_cast<std::size_t>(random.integer(0, last))];
  const std::int64_t factor = random.integer(2, 6);
  for (Node& node : task.nodes) node.wcet = factor * *node.wcet;
  return system;
}

/// Neither a bound nor a conditional one.
bool fails(const TaskVerdict& task) { return !task.bound && !task.conditional_bound; }

/// The same system with only a part of the times of the tasks that fail.
System with_part(const System& system, const Verdict& verdict, std::int64_t percent) {
  System lighter = system;
  for (const TaskVerdict& task : verdict.tasks) {
    if (!fails(task)) continue;
    for (Node& node : lighter.tasks[task.task].nodes) {
      const auto part = [&](Time time) { return Time::from_ns(time.ns() * percent / 100); };
      node.wcet = part(*node.wcet);
      node.bcet = std::min(node.bcet, *node.wcet);
      node.launch = part(node.launch);
    }
  }
  return lighter;
}

/// How the runs of one system went.
struct Tally {
  int runs = 0;      ///< in which the tasks that fail were in time
  int exceeded = 0;  ///< of them, with a longer response than the conditional bound
};

Tally judge(const System& system, const Verdict& verdict, const Asked& asked, std::uint64_t seed) {
  Tally tally;
  for (const std::int64_t percent : {100, 70, 45, 25, 10, 0}) {
    const System lighter = with_part(system, verdict, percent);
    for (const char* scenario : {"sync,worst", "random,uniform", "sporadic,uniform"}) {
      const Seen seen = simulate(lighter, asked.method, scenario, 4, asked.variant, seed);
      bool in_time = true;
      for (const TaskVerdict& task : verdict.tasks) {
        const trace::ObservedTask& observed = seen.outcome.tasks[task.task];
        in_time = in_time && (!fails(task) || observed.longest <= *task.deadline);
      }
      if (!in_time) continue;
      ++tally.runs;
      for (const TaskVerdict& task : verdict.tasks) {
        if (!task.conditional_bound) continue;
        const Time longest = seen.outcome.tasks[task.task].longest_covered;
        if (longest <= *task.conditional_bound) continue;
        ++tally.exceeded;
        ADD_FAILURE() << fmt::format("{} ({}), {} % {}: task {} took {}, not {}\n", asked.method,
                                     asked.variant, percent, scenario, system.tasks[task.task].name,
                                     longest.ns(), task.conditional_bound->ns())
                      << write_system(system);
      }
    }
  }
  return tally;
}

TEST(ConditionalBound, HoldsInEveryRunInWhichTheTasksWithoutABoundAreInTime) {
  const std::uint64_t systems = support::scaled<std::uint64_t>(1000);
  for (const Asked& asked : kAsked) {
    int with_condition = 0, runs = 0;
    Options options;
    options.variant = asked.variant;
    int exceeded = 0;
    for (std::uint64_t index = 0; index < systems && exceeded == 0; ++index) {
      const System system = overloaded(index);
      const Verdict verdict = analyze(*find_method(asked.method), system, options);
      const bool any =
          std::any_of(verdict.tasks.begin(), verdict.tasks.end(),
                      [](const auto& task) { return task.conditional_bound.has_value(); });
      if (!any) continue;
      EXPECT_EQ(verdict.status, Status::kUnschedulable);
      ++with_condition;
      const Tally tally = judge(system, verdict, asked, index);
      runs += tally.runs;
      exceeded += tally.exceeded;
    }
    EXPECT_GT(with_condition, 40) << asked.method;
    EXPECT_GT(runs, 400) << asked.method;
  }
}

}  // namespace
}  // namespace tactus::simulate
