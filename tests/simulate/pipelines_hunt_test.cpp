// Jitter, tasks that start tasks, and chains in the event engine: no run exceeds a bound, and where a
// term of a bound is forgotten some run does. bench/results/validate-pipelines-2026-11-18.md has the
// figures of the full sweep.
#include <gtest/gtest.h>

#include <iostream>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/methods/gcaps/boost/naive.hpp"
#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/pipelines.hpp"
#include "tests/simulate/support.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::simulate {
namespace {

/// Systems of the method's hunting ground, which speak of releases.
std::vector<System> hunting_systems(const Method& method, int count) {
  const Recipe& recipe = **hunting_ground(method);
  std::vector<System> systems;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    auto drawn = generate(recipe, Settings(recipe.parameters, {}), 39, index);
    if (!drawn) continue;
    Random random(390, index);
    systems.push_back(gcaps::tests::with_pipelines(
        std::move(*drawn), random,
        {.jitters = 0.6, .afters = 0.25, .chains = 0.4, .deadlines = 0.3}));
  }
  return systems;
}

/// Looks for violations, and says how much was looked at.
std::uint64_t hunted(const Method& method, std::span<const System> systems,
                     const std::string& label) {
  Hunt what;
  what.method = &method;
  what.given = systems;
  what.runs = 6;
  what.jobs = 6;
  const Bag bag = hunt(what);
  EXPECT_EQ(bag.violations, 0U) << label;
  for (const Catch& caught : bag.catches) {
    ADD_FAILURE() << (caught.violation.chain ? "chain " : "task ")
                  << caught.system.tasks[caught.violation.task].name << " took "
                  << caught.violation.observed.ns() << ", bound " << caught.violation.bound.ns()
                  << "\n"
                  << write_system_line(caught.system) << caught.script;
  }
  EXPECT_EQ(bag.broken_rule, "") << label;
  EXPECT_GT(bag.promised, 0U) << label << ": " << bag.why_not_applicable;
  std::cout << label << " systems " << bag.systems << " bounds " << bag.promised << " runs "
            << bag.runs << " violations " << bag.violations << '\n';
  return bag.promised;
}

TEST(PipelineHunt, FindsNoRunThatExceedsABound) {
  std::uint64_t followed = 0;
  for (const Method* method : registry()) {
    if (!find_policy(*method)) continue;
    const std::vector<System> systems = hunting_systems(*method, support::scaled(200, 50));
    followed += hunted(*method, systems, std::string(method->id));
  }
  EXPECT_GT(followed, 500U);
}

/// With late releases, a GPU that is left after a while only, and no task that starts another.
std::vector<System> systems_with_delay(int count) {
  const Recipe& recipe = *find_recipe("gcaps-small");
  std::vector<System> systems;
  for (std::uint64_t index = 0; systems.size() < static_cast<std::size_t>(count); ++index) {
    auto drawn = generate(recipe, Settings(recipe.parameters, {}), 41, index);
    if (!drawn || drawn->platform.elements[1].preemption_delay.value_or(Time()) == Time()) continue;
    Random random(392, index);
    systems.push_back(gcaps::tests::with_pipelines(std::move(*drawn), random,
                                                   {.jitters = 0.8, .afters = 0, .chains = 0}));
  }
  return systems;
}

TEST(PipelineHunt, FindsNoRunThatExceedsABoundWhereTheGpuIsLeftLate) {
  const std::vector<System> systems = systems_with_delay(support::scaled(200, 50));
  for (const char* id : {"gcaps.suspend", "gcaps.busy", "gcaps.suspend.prio", "gcaps.busy.prio"}) {
    hunted(*find_method(id), systems, std::string(id) + ", preemption_delay");
  }
}

/// Does a run take longer than these bounds?
bool exceeded(const Method& method, const System& system, const Verdict& verdict,
              std::uint64_t index) {
  for (std::uint64_t k = 0; k < 6; ++k) {
    Until until;
    until.jobs = 10;
    until.events = 100'000;
    trace::Observed seen = run(system, **find_policy(method)->make(system, verdict),
                               trace::random_scenario(index, k), until);
    hold_to(verdict, seen);
    if (!trace::violations(seen).empty()) return true;
  }
  return false;
}

/// How many systems it takes to see more than the bounds of a mutant, which `bounds_of` gives by task;
/// nothing when none does.
template <typename BoundsOf>
std::optional<int> systems_until_exceeded(std::string_view id, int most, BoundsOf bounds_of) {
  const Method& method = *find_method(id);
  const Recipe& recipe = **hunting_ground(method);
  for (int tried = 1; tried <= most; ++tried) {
    const auto index = static_cast<std::uint64_t>(tried);
    Random random(391, index);
    const System system =
        gcaps::tests::with_pipelines(*generate(recipe, Settings(recipe.parameters, {}), 40, index),
                                     random, {.jitters = 0.8, .afters = 0, .chains = 0});
    Verdict verdict = analyze(method, system);
    if (verdict.status == Status::kNotApplicable) continue;
    const auto bounds = bounds_of(system);
    bool all = true;
    for (TaskVerdict& task : verdict.tasks) {
      const auto& bound = bounds.at(system.tasks[task.task].name);
      all = all && bound;
      task.bound = bound ? std::optional(Time::from_ns(*bound)) : std::nullopt;
    }
    verdict.status = all ? Status::kSchedulable : Status::kUnschedulable;
    if (all && exceeded(method, system, verdict, index)) return tried;
  }
  return std::nullopt;
}

TEST(PipelineMutants, AreCaughtInTheTenMethods) {
  using gcaps::naive::Row;
  const std::pair<std::string_view, Row> mutants[] = {
      {"gcaps.suspend", Row::kOwnJitter},  {"gcaps.suspend", Row::kOthersJitter},
      {"gcaps.busy", Row::kOthersJitter},  {"tsg-rr.busy", Row::kOwnJitter},
      {"tsg-rr.busy", Row::kOthersJitter}, {"mpcp.suspend", Row::kOwnJitter},
  };
  for (const auto& [id, row] : mutants) {
    EXPECT_TRUE(
        systems_until_exceeded(id, 5'000,
                               [&, id = id, row = row](const System& system) {
                                 return gcaps::naive::analyze(system, id, kSafe, row).bounds;
                               }))
        << id << ", row " << static_cast<int>(row);
  }
}

TEST(PipelineMutants, AreCaughtInBoost) {
  using gcaps::boost::naive::Forget;
  const std::pair<bool, Forget> mutants[] = {{false, Forget::kOwnJitter},
                                             {false, Forget::kOthersJitter},
                                             {true, Forget::kOwnJitter},
                                             {true, Forget::kOthersJitter}};
  for (const auto& [busy, forget] : mutants) {
    const std::string_view id = busy ? "gcaps.boost.busy" : "gcaps.boost.suspend";
    EXPECT_TRUE(systems_until_exceeded(
        id, 5'000,
        [busy = busy, forget = forget](const System& system) {
          return gcaps::boost::naive::analyze(system, busy, false, forget).responses;
        }))
        << id << ", term " << static_cast<int>(forget);
  }
}

/// What a bound can forget of jitter, whatever the method: its own, or that others are late, too.
enum class Forgot { kOwn, kOthers, kDelay };

System on_time(System system, Forgot forgot) {
  for (Task& task : system.tasks) {
    if (forgot == Forgot::kOthers) task.jitter = Time();
  }
  for (Element& element : system.platform.elements) {
    if (forgot == Forgot::kDelay) element.preemption_delay.reset();
  }
  return system;
}

/// As `systems_until_exceeded`, with bounds that the method itself finds where something is left out.
/// Who runs the system does it as the proof with everything says.
std::optional<int> systems_until_seen(const Method& method, std::span<const System> systems,
                                      Forgot forgot) {
  for (std::size_t k = 0; k < systems.size(); ++k) {
    const System& system = systems[k];
    Verdict verdict = analyze(method, system);
    if (verdict.status != Status::kSchedulable) continue;
    const Verdict without =
        forgot == Forgot::kOwn ? verdict : analyze(method, on_time(system, forgot));
    if (without.status != Status::kSchedulable) continue;
    for (std::size_t i = 0; i < verdict.tasks.size(); ++i) {
      const Time jitter = system.tasks[verdict.tasks[i].task].jitter;
      const auto& bound = without.tasks[i].bound;
      if (!bound) continue;
      verdict.tasks[i].bound = forgot == Forgot::kOwn      ? *bound - jitter
                               : forgot == Forgot::kOthers ? *bound + jitter
                                                           : *bound;
    }
    if (exceeded(method, system, verdict, k)) return static_cast<int>(k) + 1;
  }
  return std::nullopt;
}

TEST(PipelineMutants, AreCaughtWhereTheGpuIsLeftLate) {
  const std::vector<System> systems = systems_with_delay(1'000);
  const std::pair<const char*, Forgot> mutants[] = {{"gcaps.suspend", Forgot::kOwn},
                                                    {"gcaps.suspend", Forgot::kOthers},
                                                    {"gcaps.suspend", Forgot::kDelay},
                                                    {"gcaps.busy", Forgot::kOwn},
                                                    {"gcaps.busy", Forgot::kDelay}};
  for (const auto& [id, forgot] : mutants) {
    EXPECT_TRUE(systems_until_seen(*find_method(id), systems, forgot))
        << id << ", " << static_cast<int>(forgot);
  }
}

/// That others come more often with jitter is seen where bounds are nearly reached. In the families
/// that leave much room only LateReleases (tests/methods/many) notices it.
TEST(PipelineMutants, AreCaughtInMethodsForSporadicTasksAndTables) {
  int methods = 0;
  for (const Method* method : registry()) {
    const auto is_of = [&](std::initializer_list<std::string_view> families) {
      return std::any_of(families.begin(), families.end(),
                         [&](std::string_view family) { return method->id.starts_with(family); });
    };
    if (is_of({"gcaps.", "tsg-rr.", "mpcp.", "fmlp."}) || !find_policy(*method)) continue;
    ++methods;
    const Recipe& recipe = **hunting_ground(*method);
    std::vector<System> systems;
    for (std::uint64_t index = 0; index < 300; ++index) {
      auto drawn = generate(recipe, Settings(recipe.parameters, {}), 42, index);
      if (!drawn) continue;
      Random random(393, index);
      systems.push_back(gcaps::tests::with_pipelines(std::move(*drawn), random,
                                                     {.jitters = 0.8, .afters = 0, .chains = 0}));
    }
    EXPECT_TRUE(systems_until_seen(*method, systems, Forgot::kOwn)) << method->id;
    if (!is_of({"pbs.", "stgm"})) continue;
    EXPECT_TRUE(systems_until_seen(*method, systems, Forgot::kOthers)) << method->id;
  }
  EXPECT_GE(methods, 12);
}

}  // namespace
}  // namespace tactus::simulate
