#include "tactus/runtime/executors/registry.hpp"

#include <fmt/core.h>

#include "tactus/base/growing_list.hpp"
#include "tactus/methods/dag/dag_plan.hpp"
#include "tactus/methods/gang/bound/idle.hpp"
#include "tactus/methods/gang/gang_plan.hpp"
#include "tactus/methods/pbs/table.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tactus/runtime/executors/executors.hpp"

namespace tactus::runtime {
namespace {

/// An executor for plans of one type: `kMake` with `kChoice` between the plan and the options.
template <typename PlanType, auto kMake, auto... kChoice>
MadeExecutor from(const System& system, const Plan& plan, const RunOptions& options) {
  const auto* own = dynamic_cast<const PlanType*>(&plan);
  if (own == nullptr)
    return Error{"this plan is of another type than its method's behaviour takes"};
  return kMake(system, *own, kChoice..., options);
}

constexpr auto kGraph = from<dag::DagPlan, make_dag_executor>;
constexpr auto kGangsAnyOrder =
    from<gang::SharePlan, make_gang_executor, gang::Scheduler::kWorkConserving>;
constexpr auto kGangsInOrder =
    from<gang::SharePlan, make_gang_executor, gang::Scheduler::kSemiWorkConserving>;
constexpr auto kTable = from<pbs::ScheduleTable, make_pbs_executor>;
constexpr auto kEngines = from<rtgpu::AllocationPlan, make_rtgpu_executor, Holding::kEngines>;
constexpr auto kAccelerator =
    from<rtgpu::AllocationPlan, make_rtgpu_executor, Holding::kAccelerator>;

constexpr std::string_view kAsProcesses =
    "their tasks are processes, which share the GPU by an arbiter, a lock or the driver's round "
    "robin (`tactus run --backend cuda`; in virtual time: `tactus simulate`)";
constexpr std::string_view kSpins =
    "its jobs spin on the core while the GPU works, which is only simulated (`tactus simulate`)";

constexpr std::size_t kMost = 256;

GrowingList<ExecutorEntry, kMost>& all_executors() {
  static GrowingList<ExecutorEntry, kMost> all = {
      {"kernel-graph", kGraph},
      {"gangs-any-order", kGangsAnyOrder},
      {"gangs-in-order", kGangsInOrder},
      {"batch-table", kTable, {}, true},
      {"batches-edf-serial", kTable, {}, true},
      {"batches-edf-parallel", kTable, {}, true},
      {"own-sms-suspend", kEngines},
      {"one-accelerator", kAccelerator},
      {"own-sms-busy", nullptr, kSpins},
  };
  return all;
}

}  // namespace

std::span<const ExecutorEntry> executors() { return all_executors().all(); }

std::optional<Error> add_executor(const ExecutorEntry& executor) {
  const auto clashes = [&](const ExecutorEntry& other) {
    return other.behaviour == executor.behaviour;
  };
  return why_not_added(all_executors().add(executor, clashes), "executor", "executors",
                       executor.behaviour, kMost);
}

Result<const ExecutorEntry*> find_executor(const Method& method) {
  const auto refuse = [&](std::string_view why) {
    return Error{fmt::format("plans of {} are not run here: {}", method.id, why)};
  };
  for (const ExecutorEntry& entry : executors()) {
    if (entry.behaviour != method.behaviour.name) continue;
    if (entry.make == nullptr) return refuse(entry.why_not);
    return &entry;
  }
  if (method.behaviour.processes != GpuBetween::kNobody) return refuse(kAsProcesses);
  return refuse(why_no("an executor", method.behaviour));
}

}  // namespace tactus::runtime
