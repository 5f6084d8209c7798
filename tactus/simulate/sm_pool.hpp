#pragma once

#include <memory>

#include "tactus/base/result.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/simulate/policy.hpp"

namespace tactus::simulate {

/// The policy behind the methods of methods/dag: runs the plan of the verdict on the GPU's SMs. A
/// kernel is m blocks of one SM each, released together when everything before the kernel is
/// complete: the file's edges, the links between segments, and what the plan adds. No SM is idle
/// while a block waits; blocks are not preempted. Tasks that do not use the GPU do nothing.
Result<std::unique_ptr<Policy>> make_sm_pool(const System& system, const Verdict& verdict);

}  // namespace tactus::simulate
