#pragma once

#include <optional>
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

/// Adds somebody's own executor, behind the others, or says why it cannot be added. Its texts and
/// its function must outlive the use of the library.
std::optional<Error> add_executor(const ExecutorEntry& executor);

/// What runs the plans of a method, or why nothing does.
Result<const ExecutorEntry*> find_executor(const Method& method);

}  // namespace tactus::runtime
