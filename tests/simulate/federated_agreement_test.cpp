// The policies of the RTGPU family against a simulator written by itself for the tests of their
// methods: same systems, same releases and lengths, same longest response times.
#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/methods/rtgpu/simulator.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::simulate {
namespace {

using rtgpu::testing::Behaviour;
using rtgpu::testing::Ns;
using rtgpu::testing::SimulatedTask;

/// Real-time tasks only, with odd nanoseconds on every length: what happens at one instant is
/// ordered differently in the two simulators, and nobody promises an order.
System draw(std::uint64_t index) {
  const Recipe& recipe = *find_recipe("rtgpu-small");
  System system = *generate(recipe, Settings(recipe.parameters, {}), 3, index);
  std::erase_if(system.tasks, [](const Task& task) { return task.best_effort; });
  Random random(5, index);
  const auto odd = [&] { return Time::from_ns(random.integer(1, 99'999)); };
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      (node.wcet ? *node.wcet : *node.load) += odd();
      if (node.launch > Time()) node.launch += odd();
    }
  }
  return system;
}

/// @return how many response times were compared.
int expect_agreement(std::string_view method, rtgpu::testing::Waiting waiting, int systems) {
  int compared = 0;
  for (int index = 0; index < systems; ++index) {
    const System system = draw(static_cast<std::uint64_t>(index));
    const Verdict verdict = analyze(*find_method(method), system);
    if (verdict.status != Status::kSchedulable) continue;
    trace::Scenario scenario = trace::random_scenario(9, static_cast<std::uint64_t>(index));
    if (scenario.releases != trace::Releases::kSporadic)
      scenario.releases = trace::Releases::kRandom;

    const auto& plan = dynamic_cast<const rtgpu::AllocationPlan&>(*verdict.plan);
    const auto set = std::get<rtgpu::TaskSet>(rtgpu::make_task_set(system));
    const auto mode = plan.interleaved ? rtgpu::Interleaving::kSelf : rtgpu::Interleaving::kNone;
    const auto model = rtgpu::reference::model_of(system);
    std::vector<SimulatedTask> tasks;
    Ns horizon = 0;
    for (std::size_t k = 0; k < set.real_time; ++k) {
      const auto sms = std::max<std::int64_t>(1, plan.entries[k].sms);
      tasks.push_back({rtgpu::reference::parts_of(model.tasks[k], sms), model.tasks[k].period});
      horizon = std::max(horizon, 12 * model.tasks[k].period);
    }
    const Behaviour behaviour{
        [&](std::size_t k, int job, Ns earliest) {
          const TaskIndex task = set.tasks[k].index;
          if (job == 0) return scenario.first_release(system, task).ns();
          const auto before = static_cast<std::uint32_t>(job - 1);
          return earliest - tasks[k].period + scenario.gap_after(system, task, before).ns();
        },
        [&](std::size_t k, int job, std::size_t part) {
          const rtgpu::Segment& segment = set.tasks[k].chain[part];
          if (segment.absent()) return Ns{0};
          const bool kernel = segment.kind == rtgpu::Segment::Kind::kKernel;
          const std::int64_t sms = plan.entries[k].sms;
          return scenario
              .length(set.tasks[k].index, static_cast<std::uint32_t>(job),
                      {.number = static_cast<std::uint32_t>(part)},
                      kernel ? segment.kernel.shortest(sms, mode) : segment.lower,
                      kernel ? segment.kernel.longest(sms, mode) : segment.upper)
              .ns();
        }};
    Random ties(11, static_cast<std::uint64_t>(index));
    const auto slow = rtgpu::testing::simulate(tasks, behaviour, waiting, horizon, ties);

    const auto policy = find_policy(method)->make(system, verdict);
    Until until;
    until.audit = true;
    until.duration = Time::from_ns(horizon);
    const trace::Observed outcome = run(system, **policy, scenario, until);
    EXPECT_EQ(outcome.broken_rule, "");
    EXPECT_FALSE(slow.missed);
    for (std::size_t k = 0; k < tasks.size(); ++k, ++compared) {
      const auto& responses = outcome.tasks[set.tasks[k].index].responses;
      const Time longest =
          responses.empty() ? Time() : *std::max_element(responses.begin(), responses.end());
      EXPECT_EQ(longest.ns(), slow.responses[k])
          << method << ", system " << index << ", task " << set.tasks[k].name << ", scenario "
          << to_string(scenario) << ", seed " << scenario.seed;
    }
    if (::testing::Test::HasFailure()) break;  // one is enough to look at
  }
  return compared;
}

TEST(Federated, AgreesWithASecondSimulatorOnRandomSystems) {
  const int systems = support::scaled(1000);
  EXPECT_GT(expect_agreement("rtgpu", rtgpu::testing::Waiting::kSuspend, systems), systems);
  EXPECT_GT(expect_agreement("stgm", rtgpu::testing::Waiting::kBusy, systems), systems / 2);
}

}  // namespace
}  // namespace tactus::simulate
