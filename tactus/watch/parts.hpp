#pragma once

#include <vector>

#include "tactus/model/system.hpp"

/// How a program sees its task: what it does on the CPU, and the GPU segments between.
namespace tactus::watch {

/// Nodes of a chain, one after the other, all on a CPU or all in one GPU segment.
struct Part {
  bool on_gpu = false;
  std::vector<NodeIndex> nodes;
  std::optional<Time> most;  ///< the sum of their times; nothing where one is not known
  Time launch;               ///< of a segment, on the CPU
};

/// Empty where the nodes are no chain: only whole jobs are seen then.
std::vector<Part> parts_of(const System& system, const Task& task);

/// "pre", "conv + pool".
std::string name_of(const Part& part, const Task& task);

}  // namespace tactus::watch
