#pragma once

#include "tactus/runtime/executor.hpp"

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
Result<std::vector<Partition>> carve(Device& device, trace::Observed& observed,
                                     const RunOptions& options, const std::vector<Claim>& claims);

}  // namespace tactus::runtime
