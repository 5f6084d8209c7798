// The event engine against the second simulators of naive.hpp: same systems, same scenarios, the
// same response of every single job.
#include <gtest/gtest.h>

#include "tactus/generate/recipe.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/simulate/naive.hpp"
#include "tests/support/rigid.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::simulate {
namespace {

/// Ten nanoseconds a unit, so that a simulator may step through all of them.
Time shrunk(Time time) { return Time::from_ns((time.ns() + 99'999) / 100'000); }

System draw(std::string_view recipe_name, std::uint64_t index) {
  const Recipe& recipe = *find_recipe(recipe_name);
  std::map<std::string, std::string, std::less<>> set;
  if (recipe_name == "dag-small") set = {{"copies", "0.4"}};
  System system = *generate(recipe, Settings(recipe.parameters, set), 9, index);
  system.time_unit = TimeUnit::kNs;
  for (Element& element : system.platform.elements) {
    if (element.t_min) element.t_min = shrunk(*element.t_min);
    if (recipe_name == "gang-small") element.sm.reset();  // widths are those of the file
  }
  for (Task& task : system.tasks) {
    task.period = shrunk(*task.period);
    task.deadline = shrunk(*task.deadline);
    task.offset = shrunk(task.offset);
    for (Node& node : task.nodes) {
      if (node.wcet) node.wcet = shrunk(*node.wcet);
      if (node.load) node.load = shrunk(*node.load);
      node.bcet = shrunk(node.bcet);
      node.launch = shrunk(node.launch);
      for (TimesEntry& entry : node.times) {
        entry.wcet = shrunk(entry.wcet);
        entry.bcet = shrunk(entry.bcet);
      }
      node.load_min = shrunk(node.load_min);
    }
  }
  for (Batch& batch : system.batches) {
    if (batch.completion) batch.completion = shrunk(*batch.completion);
  }
  return system;
}

struct Compared {
  System system;
  std::string_view method;
  trace::Scenario scenario;
  Verdict verdict;
  std::int64_t horizon = 0;
};

/// The index-th comparison, or nothing when the method promises nothing to run.
std::optional<Compared> compared(std::string_view recipe, std::string_view method,
                                 std::uint64_t index) {
  Compared one{draw(recipe, index), method, trace::random_scenario(11, index), {}, 0};
  one.scenario.order =
      trace::Order::kLatest;  // the one order that needs no knowledge of the engine
  one.scenario = find_policy(method)->admit(one.scenario);
  one.verdict = analyze(*find_method(method), one.system);
  for (const Task& task : one.system.tasks) {
    one.horizon = std::max(one.horizon, 4 * task.period->ns());
  }
  if (!find_policy(method)->make(one.system, one.verdict)) return std::nullopt;
  return one;
}

/// How many responses agree; a fatal failure when one does not.
void expect_same(const Compared& one, const naive::Responses& slow, std::uint64_t& responses) {
  const auto policy = find_policy(one.method)->make(one.system, one.verdict);
  Until until;
  until.duration = Time::from_ns(one.horizon);
  until.audit = true;
  const trace::Observed fast = run(one.system, **policy, one.scenario, until);
  ASSERT_EQ(fast.broken_rule, "") << write_system_line(one.system);
  for (TaskIndex task = 0; task < slow.size(); ++task) {
    std::vector<std::int64_t> seen;
    for (const Time response : fast.tasks[task].responses) seen.push_back(response.ns());
    ASSERT_EQ(seen, slow[task]) << one.method << " with " << to_string(one.scenario) << ", seed "
                                << one.scenario.seed << ", until " << one.horizon << "\n"
                                << write_system_line(one.system);
    responses += seen.size();
  }
}

std::uint64_t count() { return static_cast<std::uint64_t>(support::scaled(2000)); }

TEST(SmPool, AgreesWithASecondSimulatorOnRandomSystems) {
  constexpr std::string_view kMethods[] = {"dag.balanced", "dag.greedy", "dag.greedy-unaware",
                                           "dag.graham"};
  std::uint64_t responses = 0, copying = 0;
  for (std::uint64_t index = 0; index < count(); ++index) {
    const auto one = compared("dag-small", kMethods[index % 4], index);
    ASSERT_TRUE(one);
    const auto& plan = dynamic_cast<const dag::DagPlan&>(*one->verdict.plan);
    copying += one->system.platform.elements.size() > 1 ? 1 : 0;
    expect_same(*one, naive::run_dag(one->system, plan, one->scenario, one->horizon), responses);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(responses, 2 * count());
  EXPECT_GT(copying, count() / 4);
}

TEST(Gang, AgreesWithASecondSimulatorOnRandomSystems) {
  std::uint64_t responses = 0, runs = 0, preemptive = 0, moldable = 0;
  for (std::uint64_t index = 0; runs < count(); ++index) {
    auto one = compared("gang-small", index % 2 == 0 ? "gang.wc" : "gang.swc", index);
    if (!one) continue;
    std::vector<std::vector<std::int64_t>> units(one->system.tasks.size());
    // The second simulator knows neither measured kernels nor launches.
    const System plain = support::rigid(one->system, one->verdict);
    moldable += plain == one->system ? 0 : 1;
    if (one->system.tasks.size() == 1) {
      one->verdict.plan.reset();  // alone it has the whole platform
      for (const Element& element : one->system.platform.elements) {
        units[0].push_back(element.units);
      }
    } else {
      const auto& plan = dynamic_cast<const gang::SharePlan&>(*one->verdict.plan);
      for (const auto& share : plan.shares) units[share.task] = share.units;
    }
    ++runs;
    preemptive += one->scenario.preemptive ? 1 : 0;
    expect_same(*one, naive::run_gangs(plain, units, index % 2 == 0, one->scenario, one->horizon),
                responses);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(responses, 2 * count());
  EXPECT_GT(preemptive, count() / 3);
  EXPECT_GT(moldable, count() / 10);
}

TEST(TablePlayer, AgreesWithASecondSimulatorOnRandomSystems) {
  constexpr std::string_view kMethods[] = {"pbs.graph", "pbs.edf-serial", "pbs.edf-parallel"};
  std::uint64_t responses = 0, runs = 0;
  for (std::uint64_t index = 0; runs < count(); ++index) {
    const auto one = compared("pbs-small", kMethods[index % 3], index);
    if (!one || !one->verdict.plan) continue;
    ++runs;
    const auto& table = dynamic_cast<const pbs::ScheduleTable&>(*one->verdict.plan);
    expect_same(*one, naive::run_table(one->system, table, one->scenario, one->horizon), responses);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(responses, 10 * count());
}

}  // namespace
}  // namespace tactus::simulate
