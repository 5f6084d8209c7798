#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::pbs {

/// A task as one kernel: its nodes, all on the gpu, run one after the other in one stream.
struct KernelTime {
  Time wcet, bcet;                 ///< sums over the nodes, each with the whole GPU
  std::vector<std::string> notes;  ///< derived because the file does not state it
};

/// Nothing if a node has no time. @pre every node of the task is on a gpu element.
std::optional<KernelTime> kernel_time(const System& system, const Task& task);

}  // namespace tactus::pbs
