// Jitter, tasks that start tasks, and chains in the event engine: what is released when, and what a
// chain is seen to take.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

#include "tactus/base/file.hpp"
#include "tactus/simulate/registry.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/script.hpp"
#include "tactus/trace/script_file.hpp"
#include "tests/simulate/support.hpp"
#include "tests/support/folder.hpp"

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

/// Arrows of a trace: from the job that wrote to the one that reads it, in us.
TEST(ChainsAreFollowed, InATrace) {
  const System system =
      pipeline(task("a", 1, R"("period": 10, "jitter": 1)", R"("wcet": 1)") + "," +
                   task("b", 2, R"("period": 10, "offset": 5)", R"("wcet": 2)"),
               R"(, "chains": [{"name": "x", "tasks": ["a", "b"]}])");
  const support::TemporaryFolder folder;
  const std::string path = folder.file("trace.json");
  {
    trace::PerfettoWriter writer(system, path);
    const Verdict verdict = analyze(*find_method("mpcp.suspend"), system);
    Until until;
    until.jobs = 2;
    run(system, **find_policy("mpcp.suspend")->make(system, verdict),
        *trace::parse_scenario("offsets,jitter-late", 1), until, &writer);
    EXPECT_FALSE(writer.close());
  }
  const std::string text = *read_text_file(path);
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  // `a` arrives at 10, is released at 11, and ends at 12; `b` reads that at 15.
  EXPECT_TRUE(has(R"("late":1000)")) << text;
  EXPECT_TRUE(has(R"({"ph":"i","s":"t","name":"released","pid":2,"tid":1,"ts":11000})"));
  EXPECT_TRUE(
      has(R"({"ph":"s","name":"is read","cat":"flow","id":2,"pid":2,"tid":1,"ts":11999.999})"));
  EXPECT_TRUE(has(
      R"({"ph":"f","bp":"e","name":"is read","cat":"flow","id":2,"pid":2,"tid":2,"ts":15000})"));
}

}  // namespace
}  // namespace tactus::simulate
