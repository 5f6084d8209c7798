#pragma once

#include <algorithm>

#include "tactus/runtime/device.hpp"

namespace tactus::runtime {

/// The kernel of a pbs task: the grid of its node, placed by the hardware. Alone on `sms` SMs it
/// takes `work`: each SM does its blocks one after another, or several together, which is no
/// slower.
inline Kernel batch_kernel(const System& system, TaskIndex task, Time work, std::int64_t sms) {
  const Node& node = system.tasks[task].nodes.front();
  Kernel kernel;
  kernel.task = task;
  kernel.blocks = node.blocks.value_or(sms);
  kernel.threads = node.threads.value_or(0);
  kernel.share = {0, 1};
  const std::int64_t blocks_an_sm = (kernel.blocks - 1) / std::max<std::int64_t>(sms, 1) + 1;
  kernel.load = kernel.blocks * Time::from_ns(work.ns() / blocks_an_sm);
  kernel.whole = kernel.load;
  return kernel;
}

}  // namespace tactus::runtime
