#pragma once

#include <span>
#include <string_view>

#include "tactus/methods/method.hpp"
#include "tactus/runtime/executors/executor.hpp"

namespace tactus::runtime {

/// The executor of a behaviour (methods/behaviour.hpp); or, if `make` is null, why plans with it
/// are not run here.
struct ExecutorEntry {
  std::string_view behaviour;
  MadeExecutor (*make)(const System& system, const Plan& plan, const RunOptions& options) = nullptr;
  std::string_view why_not = {};
  bool plays_table = false;  ///< batches by a table; else kernels on SMs of their own
};

std::span<const ExecutorEntry> executors();

/// What runs the plans of a method, or why nothing does.
Result<const ExecutorEntry*> find_executor(const Method& method);

}  // namespace tactus::runtime
