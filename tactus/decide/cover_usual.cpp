// How a plan is started where nobody says how, and what no start covers.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "tactus/decide/cover.hpp"
#include "tactus/decide/deployment.hpp"
#include "tactus/methods/gcaps/boost/boost_plan.hpp"
#include "tactus/methods/promise.hpp"

namespace tactus::decide {

bool describes(const Deployment& deployment, std::string_view variant) {
  return variant == deployment.variant || (deployment.variant == kSafe && is_guaranteed(variant));
}

Tier usual_tier(const Verdict& plan) {
  const bool gates = dynamic_cast<const gcaps::boost::BoostPlan*>(plan.plan.get()) != nullptr;
  return gates ? Tier::kHold : Tier::kGate;
}

Start usual_start(const System& system, const Verdict& verdict, Tier tier) {
  const auto* const boost = dynamic_cast<const gcaps::boost::BoostPlan*>(verdict.plan.get());
  const auto* const plan = boost != nullptr
                               ? &boost->priorities
                               : dynamic_cast<const gcaps::PriorityPlan*>(verdict.plan.get());
  Start start;
  if (plan == nullptr) return start;
  start.tasks.resize(system.tasks.size());
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    TaskStart& task = start.tasks[i];
    task.cpus = std::set<int>{static_cast<int>(plan->cores[i])};
    task.fifo = 0;
    task.best_effort = true;
    // A program that marks its segments for gcaps waits at its checkpoints, whatever the tier.
    task.tier = tier;
    task.takes_copies_off = true;
  }
  int level = static_cast<int>(plan->entries.size());
  for (const auto& entry : plan->entries) {
    TaskStart& task = start.tasks[entry.task];
    task.fifo = level--;
    task.best_effort = false;
    task.priority = entry.gpu_priority;
    if (boost == nullptr) task.tier = Tier::kGate;
  }
  const auto core = arbiter_core(system, CoresOf::kFile);
  ArbiterStart arbiter{boost != nullptr, std::nullopt, std::numeric_limits<int>::max()};
  if (core) arbiter.cpu = static_cast<int>(*core);
  for (const Element& element : system.platform.elements)
    if (!core && boost != nullptr && element.arbiter_core)
      arbiter.cpu = static_cast<int>(*element.arbiter_core);
  start.arbiter = arbiter;
  return start;
}

std::optional<Cover> cover_of(const System& system, const Verdict& plan) {
  const Method* const method = find_method(plan.method);
  if (method == nullptr || !plan.plan || plan.status != Status::kSchedulable) return std::nullopt;
  const auto deployment = deployment_of(*method);
  if (!deployment || !describes(*deployment, plan.variant)) return std::nullopt;
  const auto under = [&](Tier tier) {
    return Cover{tier, judge(system, plan, usual_start(system, plan, tier))};
  };
  Cover usual = under(usual_tier(plan));
  if (deployment->way != Way::kArbiter || conclusion(usual.conditions) != Holds::kNo) return usual;
  Cover channel = under(Tier::kChannel);
  return conclusion(channel.conditions) == Holds::kNo ? usual : channel;
}

std::vector<std::string> not_covered(const System& system) {
  std::int64_t nodes = 0, alone = 0, bare = 0;
  for (const Task& task : system.tasks) {
    if (task.best_effort) continue;
    for (const Node& node : task.nodes) {
      ++nodes;
      const Measured* const measured = node.measured ? &*node.measured : nullptr;
      if (measured == nullptr || !measured->enemy) ++alone;
      if (measured == nullptr || !measured->margin || measured->margin->billionths == 0) ++bare;
    }
  }
  std::vector<std::string> all;
  if (alone > 0)
    all.push_back(fmt::format(
        "memory contention ({} of {} times were not measured beside an enemy)", alone, nodes));
  all.emplace_back("interrupts and the kernel's own work");
  if (bare > 0)
    all.push_back(
        fmt::format("longer times than those of the file ({} of {} have no margin)", bare, nodes));
  return all;
}

}  // namespace tactus::decide
