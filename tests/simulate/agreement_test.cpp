// The event engine against a simulator that advances tick by tick: same systems, same scenarios,
// same longest response times.
#include <gtest/gtest.h>

#include "tactus/generate/gcaps_small.hpp"
#include "tactus/methods/chain.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/gcaps.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/methods/gcaps/tick_simulator.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::simulate {
namespace {

using gcaps::tests::Piece;
using gcaps::tests::SimJob;
using gcaps::tests::Ticks;

constexpr Ticks kHorizon = 400;

struct Compared {
  const char* method;
  const char* variant;
  gcaps::tests::Policy policy;
  bool busy;
};

constexpr Compared kCompared[] = {
    {"gcaps.suspend", "safe", gcaps::tests::Policy::kGcaps, false},
    {"gcaps.busy", "safe", gcaps::tests::Policy::kGcaps, true},
    {"gcaps.suspend", "safe-arbiter", gcaps::tests::Policy::kGcapsArbiter, false},
    {"gcaps.busy", "safe-arbiter", gcaps::tests::Policy::kGcapsArbiter, true},
    {"gcaps.suspend", "safe-inherit", gcaps::tests::Policy::kGcapsInherit, false},
    {"gcaps.busy", "safe-inherit", gcaps::tests::Policy::kGcapsInherit, true},
    {"tsg-rr.suspend", "safe", gcaps::tests::Policy::kTsgRr, false},
    {"tsg-rr.busy", "safe", gcaps::tests::Policy::kTsgRr, true},
    {"mpcp.suspend", "safe", gcaps::tests::Policy::kMpcp, false},
    {"mpcp.busy", "safe", gcaps::tests::Policy::kMpcp, true},
    {"fmlp.suspend", "safe", gcaps::tests::Policy::kFmlp, false},
    {"fmlp.busy", "safe", gcaps::tests::Policy::kFmlp, true},
};

/// One nanosecond a tick, so that whatever a scenario draws is whole. To leave the GPU takes time in
/// most systems, and some pieces take none.
System draw(std::uint64_t index) {
  Random random(1, index);
  System system = gcaps::small_system(random, Time::from_ns(1));
  system.time_unit = TimeUnit::kNs;
  Element& gpu = system.platform.elements[1];
  if (random.chance(0.7)) gpu.preemption_delay = Time::from_ns(random.integer(0, 5));
  const bool zeroes = random.chance(0.3);
  const bool overlaps = random.chance(0.3);
  for (Task& task : system.tasks) {
    if (task.best_effort && !task.period) task.period = task.deadline = Time::from_ns(50);
    for (Node& node : task.nodes) {
      if (zeroes && random.chance(0.4)) node.wcet = Time();
    }
  }
  if (overlaps) gcaps::add_overlaps(system, random, Time::from_ns(1));
  return system;
}

/// The jobs that the scenario implies, as the tick simulator wants them.
void add_jobs(const System& system, const trace::Scenario& scenario,
              gcaps::tests::Scenario& ticks) {
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const auto chain = std::get<std::vector<NodeIndex>>(chain_of(task, {}));
    Time release = scenario.first_release(system, i);
    for (std::uint32_t number = 0; release.ns() < kHorizon; ++number) {
      SimJob job;
      job.release = release.ns();
      for (NodeIndex index : chain) {
        const Node& node = task.nodes[index];
        const bool gpu = node.on != 0;
        if (job.pieces.empty() || job.pieces.back().gpu != gpu) job.pieces.push_back({.gpu = gpu});
        const auto length = [&](std::uint32_t piece, Time least, Time most) {
          return scenario.length(i, number, {.number = piece}, least, most).ns();
        };
        Piece& piece = job.pieces.back();
        const Ticks work = length(2 * index, node.bcet, *node.wcet);
        (gpu ? piece.exec : piece.cpu) += work;
        if (!gpu) continue;
        const Ticks launch = length(2 * index + 1, Time(), node.launch);
        piece.launch += launch;
        piece.launched.push_back(
            {launch, work, std::min(launch, (node.launch - node.overlap).ns())});
      }
      for (std::size_t k = 0; k < job.pieces.size(); ++k) {
        if (ticks.tasks[i].worst[k].launched.empty()) job.pieces[k].launched.clear();
      }
      ticks.tasks[i].jobs.push_back(std::move(job));
      release += scenario.gap_after(system, i, number);
    }
  }
}

TEST(Engine, AgreesWithATickByTickSimulatorOnRandomSystems) {
  const auto count = static_cast<std::uint64_t>(support::scaled(2000));
  std::uint64_t responses = 0;
  for (std::uint64_t index = 0; index < count; ++index) {
    System system = draw(index);
    const trace::Scenario scenario = trace::random_scenario(7, index);
    const Compared& compared = kCompared[index % std::size(kCompared)];
    // The tick simulator lets best-effort tasks take turns tick by tick.
    const bool arbitrated = std::string_view(compared.method).starts_with("gcaps");
    if (arbitrated) system.platform.elements[1].time_slice = Time::from_ns(1);
    Options options;
    options.variant = compared.variant;
    if (options.variant == "safe-inherit") {
      for (Task& task : system.tasks) task.gpu_priority.reset();
    }
    const Verdict verdict = analyze(*find_method(compared.method), system, options);
    ASSERT_NE(verdict.status, Status::kNotApplicable) << verdict.reason;
    const auto policy = find_policy(compared.method)->make(system, verdict);
    Until until;
    until.audit = true;
    until.duration = Time::from_ns(kHorizon);
    const trace::Observed outcome = run(system, **policy, scenario, until);
    ASSERT_EQ(outcome.broken_rule, "");

    auto ticks =
        gcaps::tests::scenario_of(system, compared.policy, compared.busy, Time::from_ns(1));
    add_jobs(system, scenario, ticks);
    if (arbitrated) ticks.context = system.tasks.size() - 1;
    ticks.ties = [&](Ticks now) { return trace::ties_at(scenario, Time::from_ns(now)); };
    if (ticks.delay > 0) {
      ticks.stays = [&](std::size_t task, std::uint32_t job, std::uint32_t order) {
        const auto who = static_cast<TaskIndex>(task);
        return scenario
            .length(who, job, {.number = leave_piece(order)}, Time(), Time::from_ns(ticks.delay))
            .ns();
      };
    }
    const std::vector<Ticks> slow = gcaps::tests::worst_responses(ticks, kHorizon);
    for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
      ++responses;
      ASSERT_EQ(outcome.tasks[i].longest.ns(), slow[i])
          << "system " << index << ", " << compared.method << " " << compared.variant << ", task "
          << system.tasks[i].name << ", scenario " << to_string(scenario) << ", seed "
          << scenario.seed << "\n"
          << write_system_line(system);
    }
  }
  EXPECT_GT(responses, 3 * count);
}

}  // namespace
}  // namespace tactus::simulate
