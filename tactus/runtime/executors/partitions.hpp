#pragma once

#include "tactus/runtime/executors/best_effort.hpp"

namespace tactus::runtime {

/// SMs that a plan gives to a task.
struct Claim {
  TaskIndex task = 0;
  ElementIndex element = 0;
  std::int64_t sms = 0;
};

/// Refuses a plan for a larger GPU.
std::optional<Error> refuse_beyond(const Capabilities& machine, std::int64_t sms);

/// A partition for each claim, written into the report: the whole GPU for one that takes all of it,
/// else SMs of its own. Refuses a plan for a larger GPU, and, under `strict`, more SMs than asked.
/// Where best-effort tasks want SMs and some are left, these are one more partition at the end.
Result<std::vector<Partition>> carve(Device& device, trace::Observed& observed,
                                     const RunOptions& options, const std::vector<Claim>& claims,
                                     const BestEffort& best_effort);

}  // namespace tactus::runtime
