// What a run did can be written as a script, and the script makes the same run again.
#include "tactus/trace/script_file.hpp"

#include <gtest/gtest.h>

#include "tactus/methods/promise.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::simulate {
namespace {

struct Seen {
  trace::Observed observed;
  trace::Trace trace;
};

Seen simulated(const System& system, const MethodPolicy& policy, const Verdict& verdict,
               const trace::Scenario& scenario, const Until& until) {
  Seen seen;
  const auto made = policy.make(system, verdict);
  seen.observed = run(system, **made, policy.admit(scenario), until, &seen.trace);
  return seen;
}

/// Everything that happened, as one text.
std::string told(const Seen& seen) {
  std::string text = std::to_string(seen.observed.end.ns());
  const auto add = [&](std::initializer_list<std::int64_t> numbers) {
    for (const std::int64_t number : numbers) text += ' ' + std::to_string(number);
    text += '\n';
  };
  for (const trace::Interval& i : seen.trace.intervals) {
    add({i.task, i.job, i.node, i.element, i.unit, i.width, static_cast<int>(i.activity),
         i.start.ns(), i.end.ns(), i.preempted});
  }
  for (const trace::JobSpan& job : seen.trace.jobs) {
    add({job.task, job.job, job.release.ns(), job.begin.ns(), job.end.ns(), job.ended, job.missed});
  }
  for (const Time busy : seen.observed.busy) add({busy.ns()});
  return text;
}

TEST(Script, OfAnyRunMakesTheSameRunAgainUnderEveryPolicy) {
  int policies = 0;
  for (const Method* method : registry()) {
    const auto policy = find_policy(*method);
    const auto ground = hunting_ground(*method);
    if (!policy || !ground) continue;
    ++policies;
    int runs = 0, scripted = 0;
    const int wanted = support::scaled(12);
    for (std::uint64_t index = 0; runs < wanted && index < 400; ++index) {
      const auto system = generate(**ground, Settings((*ground)->parameters, {}), 5, index);
      ASSERT_TRUE(system);
      const Verdict verdict = analyze(*method, *system);
      if (!promises(verdict) || !policy->make(*system, verdict)) continue;
      ++runs;
      trace::Scenario scenario = policy->admit(trace::random_scenario(7, index));
      scenario.record = std::make_shared<trace::Script>(*system);
      Until until;
      until.jobs = 4;
      const Seen first = simulated(*system, *policy, verdict, scenario, until);
      const std::string text = write_script(*system, *first.observed.scenario);
      auto read = trace::read_script(text, "script", *system);
      ASSERT_TRUE(std::holds_alternative<trace::Scenario>(read))
          << method->id << ": " << std::get<1>(read).front().message << "\n"
          << text;
      trace::Scenario replayed = std::get<trace::Scenario>(read);
      replayed.record = std::make_shared<trace::Script>(*system);
      Until same;
      same.duration = replayed.script->end;
      const Seen second = simulated(*system, *policy, verdict, replayed, same);
      ASSERT_EQ(told(first), told(second)) << method->id << " on " << system->name << "\n" << text;
      EXPECT_FALSE(replayed.script->left_over()) << method->id;
      EXPECT_EQ(text, write_script(*system, *second.observed.scenario)) << method->id;
      scripted += text.find("\"times\"") != std::string::npos ? 1 : 0;
    }
    EXPECT_GT(runs, 0) << method->id << ": nothing was tried";
    EXPECT_EQ(scripted, runs) << method->id << ": the script says how long nothing takes";
  }
  EXPECT_GE(policies, 20);
}

/// Two tasks on a core; `a` comes first.
System two_tasks() {
  System system;
  system.name = "two";
  Element& cpu = system.platform.elements.emplace_back();
  cpu.name = "cpu";
  cpu.kind = ElementKind::kCpu;
  Element& gpu = system.platform.elements.emplace_back();
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.runlist_update = Time();
  const auto add = [&](const std::string& name, std::int64_t priority) {
    Task& task = system.tasks.emplace_back();
    task.name = name;
    task.period = task.deadline = Time::from_ns(10'000'000);
    task.priority = priority;
    task.core = 1;
    Node& node = task.nodes.emplace_back();
    node.name = "n";
    node.wcet = Time::from_ns(4'000'000);
    node.bcet = Time::from_ns(1'000'000);
    task.graph = Graph(1, {});
  };
  add("a", 2);
  add("b", 1);
  return system;
}

class ScriptedRun : public testing::Test {
 protected:
  /// The responses of both tasks in ms, or what is wrong with the script.
  std::string responses(const std::string& tasks, const std::string& more = "") {
    auto read = trace::read_script(
        "{ \"tactus_script\": 1, " + more + "\"tasks\": [ " + tasks + " ] }", "s", system_);
    if (auto* problems = std::get_if<1>(&read)) return problems->front().message;
    const auto policy = find_policy("gcaps.suspend");
    const Verdict verdict = analyze(*policy->method, system_);
    Until until;
    until.duration = std::get<0>(read).script->end;
    std::string text;
    try {
      const Seen seen = simulated(system_, *policy, verdict, std::get<0>(read), until);
      for (const auto& task : seen.observed.tasks) {
        for (const Time response : task.responses) {
          text += format_time(response, system_.time_unit) + ' ';
        }
        text += "| ";
      }
      if (const auto bad = std::get<0>(read).script->left_over()) return bad->what();
    } catch (const trace::BadScript& bad) {
      return bad.what();
    }
    return text;
  }
  System system_ = two_tasks();
};

TEST_F(ScriptedRun, FollowsEveryReleaseAndEveryTime) {
  EXPECT_EQ(responses(R"({ "task": "a", "jobs": [ { "release": 1, "times": { "n": 2 } },
                                                  { "release": 14, "times": { "n": 1.5 } } ] },
                         { "task": "b", "jobs": [ { "release": 0, "times": { "n": 3 } } ] })"),
            "2 1.5 | 5 | ");
}

TEST_F(ScriptedRun, TakesTheUpperBoundWhereNoTimeIsGiven) {
  EXPECT_EQ(responses(R"({ "task": "b", "jobs": [ { "release": 3 } ] })"), "| 4 | ");
  EXPECT_EQ(responses(R"({ "task": "b", "jobs": [ { "release": 3 } ] })",
                      R"("scenario": "uniform", "seed": 3, )") == "| 4 | ",
            false)
      << "unless its scenario says otherwise";
}

TEST_F(ScriptedRun, EndsWhereTheScriptSaysSo) {
  EXPECT_EQ(responses(R"({ "task": "b", "jobs": [ { "release": 3 } ] })", R"("end": 5, )"), "| | ");
}

TEST_F(ScriptedRun, CannotDoWhatTheSystemCannot) {
  const auto one = [&](const std::string& job) {
    return responses(R"({ "task": "a", "jobs": [ )" + job + " ] }");
  };
  EXPECT_EQ(one(R"({ "release": 0, "times": { "n": 5 } })"),
            "`n` of job 0 of task `a` cannot take 5: it takes 1 to 4");
  EXPECT_EQ(one(R"({ "release": 0, "times": { "n": 0.5 } })"),
            "`n` of job 0 of task `a` cannot take 0.5: it takes 1 to 4");
  EXPECT_EQ(one(R"({ "release": 0, "times": { "m": 2 } })"), "task `a` has no node `m`");
  EXPECT_EQ(one(R"({ "release": 0, "launches": { "n": 0 } })"),
            "the launch of `n` of job 0 of task `a` has no time of its own under this policy");
  EXPECT_EQ(one(R"({ "release": 0 }, { "release": 9 })"),
            "job 1 of task `a` is released at 9, but may not be before 10: the period is 10");
  EXPECT_EQ(responses(R"({ "task": "c", "jobs": [] })"), "there is no task `c`");
  EXPECT_EQ(responses(R"({ "task": "a", "jobs": [] }, { "task": "a", "jobs": [] })"),
            "task `a` is listed twice");
  EXPECT_EQ(responses("", R"("system": "three", )"),
            "this script is of the system `three`, not of `two`");
  EXPECT_EQ(responses("", R"("fingerprint": "0", )"),
            "this script is of another system `two`: its `fingerprint` differs");
  EXPECT_EQ(responses("", R"("time_unit": "us", )"),
            "`time_unit` must be that of the system, `ms`");
}

}  // namespace
}  // namespace tactus::simulate
