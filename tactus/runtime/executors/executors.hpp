#pragma once

#include "tactus/runtime/executors/executor.hpp"

// Only their names: no executor is to see the plans of the other families.
namespace tactus::dag {
class DagPlan;
}
namespace tactus::gang {
class SharePlan;
enum class Scheduler;
}  // namespace tactus::gang
namespace tactus::pbs {
class ScheduleTable;
}
namespace tactus::rtgpu {
class AllocationPlan;
}

/// The executors, one file per family; registry.cpp says which behaviour each is for. Each refuses,
/// with the reason, a system it cannot run.
namespace tactus::runtime {

/// A graph of kernels, each as wide as planned; prepared once and replayed for every job.
MadeExecutor make_dag_executor(const System& system, const dag::DagPlan& plan,
                               const RunOptions& options);

/// Graphs of gangs, each task on its own cores and SMs. A gang that does not fit starts later; the
/// scheduler decides whether gangs behind it may start before.
MadeExecutor make_gang_executor(const System& system, const gang::SharePlan& plan,
                                gang::Scheduler scheduler, const RunOptions& options);

/// A table of batches, played frame by frame.
MadeExecutor make_pbs_executor(const System& system, const pbs::ScheduleTable& table,
                               const RunOptions& options);

/// What a chain holds between two CPU segments.
enum class Holding {
  kEngines,      ///< its copy engine during each copy; kernels have SMs of their own (`rtgpu`)
  kAccelerator,  ///< the one accelerator, from its first copy or kernel to its last
};

/// Chains whose kernels stay on the task's own SMs; cores, and what is held, go by priority.
MadeExecutor make_rtgpu_executor(const System& system, const rtgpu::AllocationPlan& plan,
                                 Holding holding, const RunOptions& options);

}  // namespace tactus::runtime
