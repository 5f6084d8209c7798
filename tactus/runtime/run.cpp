#include "tactus/runtime/run.hpp"

#include <fmt/core.h>

#include "tactus/methods/gcaps/plan.hpp"
#include "tactus/model/diagnostic.hpp"
#include "tactus/runtime/executors.hpp"
#include "tactus/runtime/loop.hpp"

namespace tactus::runtime {
namespace {

MadeExecutor make_executor(const System& system, const PlanToRun& source,
                           const RunOptions& options) {
  const Plan* plan = source.plan.get();
  if (const auto* graph = dynamic_cast<const dag::DagPlan*>(plan)) {
    return make_dag_executor(system, *graph, options);
  }
  if (const auto* shares = dynamic_cast<const gang::SharePlan*>(plan)) {
    const bool semi = source.method.starts_with("gang.swc");
    return make_gang_executor(
        system, *shares,
        semi ? gang::Scheduler::kSemiWorkConserving : gang::Scheduler::kWorkConserving, options);
  }
  if (const auto* table = dynamic_cast<const pbs::ScheduleTable*>(plan)) {
    return make_pbs_executor(system, *table, options);
  }
  if (const auto* allocation = dynamic_cast<const rtgpu::AllocationPlan*>(plan)) {
    if (source.method == "stgm") {
      return Error{
          "jobs of stgm spin on the core while the GPU works, which is only simulated "
          "(`tactus simulate`)"};
    }
    return make_rtgpu_executor(
        system, *allocation,
        source.method == "self-suspension" ? Holding::kAccelerator : Holding::kEngines, options);
  }
  if (dynamic_cast<const gcaps::PriorityPlan*>(plan) != nullptr) {
    return Error{
        "plans of GPU priorities are run by the arbiter, between processes (`tactus exec`)"};
  }
  return Error{fmt::format("plans of {} cannot be run", source.method)};
}

/// Nodes that are shorter than what it takes to run them as an operation of their own.
void note_short_nodes(const System& system, Time cost, trace::Observed& observed) {
  for (const trace::ObservedNode& piece : observed.nodes) {
    const auto& wcet = system.tasks[piece.task].nodes[piece.node].wcet;
    if (!wcet || *wcet >= 2 * cost) continue;
    observed.notes.push_back(fmt::format(
        "{} of task {} takes {} ns, which is little beside the {} ns of any operation here",
        quote(piece.label), quote(system.tasks[piece.task].name), wcet->ns(), cost.ns()));
  }
}

}  // namespace

Result<trace::Observed> run_plan(const System& system, const PlanToRun& plan, Device& device,
                                 const RunOptions& options) {
  const MadeExecutor executor = make_executor(system, plan, options);
  if (!executor) return executor.error();
  try {
    auto observed = Loop(system, **executor, device, options).run();
    if (observed) note_short_nodes(system, device.capabilities().operation_cost, *observed);
    return observed;
  } catch (const OverflowError& overflow) {
    return Error{overflow.what()};
  }
}

}  // namespace tactus::runtime
