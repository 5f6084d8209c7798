#pragma once

#include <memory>

#include "tactus/base/result.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/simulate/policy.hpp"

/// The policies behind the methods of methods/rtgpu.
namespace tactus::simulate {

/// What a job does between two CPU segments.
enum class Waiting {
  kSuspend,       ///< asks for each copy by itself; kernels start at once on the task's own SMs
  kSuspendAsOne,  ///< holds one accelerator, granted by priority, for all copies and kernels
  kBusy,          ///< as kSuspend, but keeps the core, and asks only while it owns that
};

/// Partitioned preemptive fixed-priority cores, non-preemptive fixed-priority copy engines, and
/// kernels on the SMs that the verdict's plan gives their task. A best-effort task comes after all
/// others; its kernels run on spare SMs, and if there are too few, it never starts.
Result<std::unique_ptr<Policy>> make_federated(const System& system, const Verdict& verdict,
                                               Waiting waiting);

}  // namespace tactus::simulate
