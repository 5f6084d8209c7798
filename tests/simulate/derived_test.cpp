// What the methods of the GCAPS family derive where a file says less (the time with the whole GPU,
// priorities) is what happens: the same system, spelled out from the definitions of docs/use/format.md
// by code of this file, gets the same bounds, and no simulated run of it exceeds them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::simulate {
namespace {

constexpr const char* kMethods[] = {
    "gcaps.suspend", "gcaps.busy",   "gcaps.suspend.prio", "gcaps.busy.prio", "tsg-rr.suspend",
    "tsg-rr.busy",   "mpcp.suspend", "mpcp.busy",          "fmlp.suspend",    "fmlp.busy"};

/// A mistake that a view could make.
enum class Mistake { kNone, kShortestEntry, kOneUnit, kLongestDeadlineFirst };

/// What a kernel takes with all of `units`, slowly: the least time in which the units get the part
/// done that can be divided, beside the part that cannot.
Time from_load(const Node& node, std::int64_t units) {
  Time time = node.overhead;
  while (units * (time - node.overhead) < *node.load - node.overhead) time += Time::from_us(500);
  return time;
}

Time from_times(const Node& node, std::int64_t units, Mistake mistake) {
  Time shortest = Time::max();
  for (const TimesEntry& entry : node.times) {
    if (entry.units == units && mistake != Mistake::kShortestEntry) return entry.wcet;
    shortest = std::min(shortest, entry.wcet);
  }
  return shortest;
}

/// The system with every time and every priority written down.
System spelled_out(System system, Mistake mistake = Mistake::kNone) {
  const std::int64_t units = system.platform.elements[1].units;
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      if (node.wcet) continue;
      node.wcet = node.load ? from_load(node, mistake == Mistake::kOneUnit ? 1 : units)
                            : from_times(node, units, mistake);
      node.load.reset();
      node.overhead = Time();
      node.times.clear();
    }
  }
  std::vector<Task*> urgent_first;
  for (Task& task : system.tasks) {
    if (task.best_effort) continue;
    if (task.priority) return system;
    urgent_first.push_back(&task);
  }
  std::stable_sort(urgent_first.begin(), urgent_first.end(), [&](const Task* a, const Task* b) {
    return mistake == Mistake::kLongestDeadlineFirst ? *a->deadline > *b->deadline
                                                     : *a->deadline < *b->deadline;
  });
  std::int64_t priority = 100;
  for (Task* task : urgent_first) task->priority = priority--;
  return system;
}

struct Tally {
  int systems = 0, bounds = 0, differ = 0, exceeded = 0;
};

/// Compares the bounds of a file that says less with those of, and with runs of, what it means.
Tally chase(std::uint64_t count, Mistake mistake) {
  const Recipe& recipe = *find_recipe("gcaps-small");
  Tally tally;
  for (std::uint64_t index = 0; tally.systems < static_cast<int>(count); ++index) {
    const System vague = *generate(recipe, Settings(recipe.parameters, {}), 31, index);
    if (vague.platform.elements[1].units == 1) continue;  // says everything
    const Method& method = *find_method(kMethods[tally.systems++ % std::size(kMethods)]);
    Options options;
    if (tally.systems % 3 == 0) options.variant = "safe-arbiter";
    const Verdict verdict = analyze(method, vague, options);
    const System plain = spelled_out(vague, mistake);
    const Verdict same = analyze(method, plain, options);
    EXPECT_NE(verdict.status, Status::kNotApplicable) << verdict.reason;
    for (std::size_t i = 0; i < verdict.tasks.size(); ++i) {
      tally.differ += verdict.tasks[i].bound == same.tasks[i].bound ? 0 : 1;
    }
    if (!promises(verdict)) continue;
    for (std::uint64_t run_of = 0; run_of < 2; ++run_of) {
      const trace::Scenario scenario = trace::random_scenario(index, run_of);
      Until until;
      until.jobs = 20;
      until.events = 200'000;
      trace::Observed seen = run(plain, **find_policy(method)->make(plain, same), scenario, until);
      hold_to(verdict, seen);
      for (const trace::ObservedTask& task : seen.tasks) {
        tally.bounds += task.bound ? 1 : 0;
        tally.exceeded += task.exceeds_bound() ? 1 : 0;
        if (mistake != Mistake::kNone || !task.exceeds_bound()) continue;
        ADD_FAILURE() << method.id << ", scenario " << to_string(scenario) << ", seed "
                      << scenario.seed << ": " << write_system_line(vague);
      }
    }
  }
  return tally;
}

TEST(Derived, BoundsAreThoseOfTheSystemSpelledOutAndNoRunExceedsThem) {
  const std::uint64_t count = support::scaled<std::uint64_t>(1000);
  const Tally tally = chase(count, Mistake::kNone);
  EXPECT_EQ(tally.differ, 0);
  EXPECT_EQ(tally.exceeded, 0);
  EXPECT_GT(tally.bounds, static_cast<int>(count));
}

TEST(Derived, MistakesWouldBeSeen) {
  for (const Mistake mistake :
       {Mistake::kShortestEntry, Mistake::kOneUnit, Mistake::kLongestDeadlineFirst}) {
    const Tally tally = chase(600, mistake);
    EXPECT_GT(tally.differ, 0) << static_cast<int>(mistake);
    if (mistake != Mistake::kShortestEntry) {
      EXPECT_GT(tally.exceeded, 0) << static_cast<int>(mistake);
    }
  }
}

}  // namespace
}  // namespace tactus::simulate
