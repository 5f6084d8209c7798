// Jitter, tasks that start tasks, and chains in the event engine: what is released when, what a chain
// is seen to take, that no run exceeds a bound, and that where a term of a bound is forgotten some
// run does.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/simulate/registry.hpp"
#include "tactus/trace/script.hpp"
#include "tactus/trace/script_file.hpp"
#include "tests/methods/gcaps/boost/naive.hpp"
#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/pipelines.hpp"
#include "tests/simulate/support.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::simulate {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// Tasks on a cpu with three cores, one each, and what stands behind them.
System pipeline(const std::string& tasks, const std::string& more = "") {
  return read(fmt::format(
      R"({{"tactus": 1, "name": "pipeline", "platform": {{"elements": [{{"name": "cpu", "kind": "cpu", "units": 3}}]}},
          "tasks": [{}]{}}})",
      tasks, more));
}

std::string task(const char* name, int core, const char* more, const char* work) {
  return fmt::format(
      R"({{"name": "{}", "core": {}, "priority": {}, {}, "nodes": [{{"name": "n", "on": "cpu", {}}}]}})",
      name, core, 10 - core, more, work);
}

/// Arrival, lateness, end in ms, of each job of a task.
std::vector<std::tuple<int, int, int>> jobs_of(const Seen& seen, TaskIndex task) {
  std::vector<std::tuple<int, int, int>> jobs;
  const auto ms = [](Time time) { return static_cast<int>(time.ns() / kMs); };
  for (const trace::JobSpan& job : seen.trace.jobs) {
    if (job.task == task) jobs.emplace_back(ms(job.release), ms(job.late), ms(job.end));
  }
  return jobs;
}

using Jobs = std::vector<std::tuple<int, int, int>>;

TEST(Jitter, IsUsedAsTheScenarioSays) {
  const System system = pipeline(task("a", 1, R"("period": 20, "jitter": 5)", R"("wcet": 2)"));
  EXPECT_EQ(jobs_of(simulate(system, "mpcp.suspend", "sync,jitter-none", 2), 0),
            (Jobs{{0, 0, 2}, {20, 0, 22}}));
  EXPECT_EQ(jobs_of(simulate(system, "mpcp.suspend", "sync,jitter-late", 2), 0),
            (Jobs{{0, 5, 7}, {20, 5, 27}}));
  const Jobs burst = jobs_of(simulate(system, "mpcp.suspend", "sync,jitter-burst", 2), 0);
  EXPECT_TRUE(burst == (Jobs{{0, 5, 7}, {20, 0, 22}}) || burst == (Jobs{{0, 0, 2}, {20, 5, 27}}));
  const Seen uniform = simulate(system, "mpcp.suspend", "sync,jitter-uniform", 50);
  std::set<std::int64_t> drawn;
  for (const trace::JobSpan& job : uniform.trace.jobs) {
    drawn.insert(job.late.ns());
    EXPECT_LE(job.late.ns(), 5 * kMs);
  }
  EXPECT_GT(drawn.size(), 40U);
}

TEST(Jitter, CountsInTheResponseAndReachesTheBound) {
  const System system = pipeline(task("a", 1, R"("period": 20, "jitter": 5)", R"("wcet": 2)"));
  const Seen seen = simulate(system, "mpcp.suspend", "sync,jitter-late", 3);
  EXPECT_EQ(seen.outcome.tasks[0].longest.ns(), 7 * kMs);
  EXPECT_EQ(seen.outcome.tasks[0].bound->ns(), 7 * kMs);
  EXPECT_FALSE(seen.exceeds_a_bound());
}

TEST(After, ReleasesWhenTheOtherCompletes) {
  const System system =
      pipeline(task("a", 1, R"("period": 20, "jitter": 3)", R"("wcet": 4, "bcet": 2)") + "," +
               task("b", 2, R"("after": "a")", R"("wcet": 5)") + "," +
               task("c", 3, R"("after": "b", "jitter": 1)", R"("wcet": 1)"));
  const Seen seen = simulate(system, "mpcp.suspend", "sync,jitter-late", 2);
  EXPECT_EQ(jobs_of(seen, 0), (Jobs{{0, 3, 7}, {20, 3, 27}}));
  // From the nominal arrivals, 2 after those of `a`; released at 7 and 27.
  EXPECT_EQ(jobs_of(seen, 1), (Jobs{{2, 5, 12}, {22, 5, 32}}));
  EXPECT_EQ(jobs_of(seen, 2), (Jobs{{2, 11, 14}, {22, 11, 34}}));
  EXPECT_FALSE(seen.exceeds_a_bound());
  EXPECT_EQ(seen.verdict.tasks[2].latency->ns(), 14 * kMs);
}

TEST(After, IsTheSameAgainFromAScript) {
  const System system =
      pipeline(task("a", 1, R"("period": 20, "jitter": 3)", R"("wcet": 4, "bcet": 2)") + "," +
               task("b", 2, R"("after": "a", "jitter": 2)", R"("wcet": 5)"));
  const Verdict verdict = analyze(*find_method("mpcp.suspend"), system);
  trace::Scenario scenario = *trace::parse_scenario("random,uniform,jitter-uniform", 7);
  scenario.record = std::make_shared<trace::Script>(system);
  const auto policy = [&] {
    return std::move(*find_policy("mpcp.suspend")->make(system, verdict));
  };
  Until until;
  until.jobs = 5;
  trace::Trace first, second;
  run(system, *policy(), scenario, until, &first);
  const auto script = trace::read_script(trace::write_script(system, scenario), "script", system);
  ASSERT_TRUE(std::holds_alternative<trace::Scenario>(script))
      << std::get<std::vector<Diagnostic>>(script).front().message;
  until.duration = std::get<trace::Scenario>(script).script->end;
  run(system, *policy(), std::get<trace::Scenario>(script), until, &second);
  ASSERT_EQ(first.jobs.size(), second.jobs.size());
  for (std::size_t k = 0; k < first.jobs.size(); ++k) {
    EXPECT_EQ(first.jobs[k].release, second.jobs[k].release);
    EXPECT_EQ(first.jobs[k].late, second.jobs[k].late);
    EXPECT_EQ(first.jobs[k].end, second.jobs[k].end);
  }
}

TEST(ChainsAreFollowed, ValueByValue) {
  // The consumer starts at 5, 15, ..: at 15 it reads what was read at 10 and written at 11, and
  // writes at 17. What happens just after the read at 0 is in the output of 17.
  const System system =
      pipeline(task("a", 1, R"("period": 10)", R"("wcet": 1)") + "," +
                   task("b", 2, R"("period": 10, "offset": 5)", R"("wcet": 2)"),
               R"(, "chains": [{"name": "x", "tasks": ["a", "b"], "phases": "fixed"},
                               {"name": "y", "tasks": ["a", "b"]},
                               {"name": "z", "tasks": ["b"]}])");
  const Seen seen = simulate(system, "mpcp.suspend", "offsets", 10);
  ASSERT_EQ(seen.outcome.chains.size(), 3U);
  EXPECT_EQ(seen.outcome.chains[0].reaction.ns(), 17 * kMs);
  EXPECT_EQ(seen.outcome.chains[0].age.ns(), 17 * kMs);
  EXPECT_EQ(seen.outcome.chains[0].bound->ns(), 17 * kMs);
  EXPECT_EQ(seen.outcome.chains[1].bound->ns(), 23 * kMs);
  EXPECT_EQ(seen.outcome.chains[2].reaction.ns(), 12 * kMs);
  EXPECT_EQ(seen.outcome.chains[2].bound->ns(), 12 * kMs);
  // Other phases: the bound of fixed ones is not held against them.
  EXPECT_FALSE(simulate(system, "mpcp.suspend", "sync", 10).outcome.chains[0].bound);
  EXPECT_FALSE(simulate(system, "mpcp.suspend", "sporadic", 10).outcome.chains[1].bound);
}

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

TEST(PipelineHunt, FindsNoRunThatExceedsABound) {
  std::uint64_t followed = 0;
  for (const Method* method : registry()) {
    if (!find_policy(*method)) continue;
    const std::vector<System> systems = hunting_systems(*method, support::scaled(200, 50));
    Hunt what;
    what.method = method;
    what.given = systems;
    what.runs = 6;
    what.jobs = 6;
    const Bag bag = hunt(what);
    EXPECT_EQ(bag.violations, 0U) << method->id;
    for (const Catch& caught : bag.catches) {
      ADD_FAILURE() << (caught.violation.chain ? "chain " : "task ")
                    << caught.system.tasks[caught.violation.task].name << " took "
                    << caught.violation.observed.ns() << ", bound " << caught.violation.bound.ns()
                    << "\n"
                    << write_system_line(caught.system) << caught.script;
    }
    EXPECT_EQ(bag.broken_rule, "") << method->id;
    EXPECT_GT(bag.promised, 0U) << method->id << ": " << bag.why_not_applicable;
    followed += bag.promised;
    RecordProperty(std::string(method->id), std::to_string(bag.promised) + " of " +
                                                std::to_string(bag.systems) + ", runs " +
                                                std::to_string(bag.runs));
  }
  EXPECT_GT(followed, 500U);
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

}  // namespace
}  // namespace tactus::simulate
