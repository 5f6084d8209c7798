#pragma once

#include "tactus/methods/verdict.hpp"
#include "tactus/runtime/executors/executor.hpp"

namespace tactus::runtime {

/// A plan and the method it is of.
struct PlanToRun {
  std::string_view method;
  std::shared_ptr<const Plan> plan;
  std::string_view variant = {};  ///< of the method; for the record
};

/// Runs a plan on a machine and says what was seen. An `Error`, one line, when this plan cannot be
/// run, the machine cannot run it, or fails on the way.
Result<trace::Observed> run_plan(const System& system, const PlanToRun& plan, Device& device,
                                 const RunOptions& options);

}  // namespace tactus::runtime
