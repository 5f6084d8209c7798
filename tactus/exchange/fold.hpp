#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tactus/base/words.hpp"
#include "tactus/exchange/shape.hpp"

namespace tactus::exchange {

/// How much of a recorded task becomes one node.
enum class Fold : std::uint8_t {
  kNone,        ///< each kernel, copy and memset is a node
  kStream,      ///< what follows each other in a stream, between waits
  kAnnotation,  ///< what is launched under one name of the program
  kTask,        ///< everything: a chain of CPU, GPU and copy nodes
};

inline constexpr auto kFoldWords =
    words_up_to<Fold::kTask>(std::string_view("none"), "stream", "annotation", "task");

/// Where a time of a step goes: to the time of a node, or to its `launch`.
struct Target {
  static constexpr NodeIndex kNowhere = static_cast<NodeIndex>(-1);

  NodeIndex node = kNowhere;
  bool launch = false;
};

/// A task after folding. Each time of each step has one node that it goes to, so that nothing is lost
/// and nothing is counted twice. A path through the nodes is never shorter than the longest path
/// through the steps.
struct Folded {
  static constexpr std::uint32_t kCpu = kCpuElement;

  struct Node {
    std::uint32_t element = kCpu;       ///< of the recording, or the CPU
    std::vector<NodeIndex> steps = {};  ///< whose work it does
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;              ///< each once
  std::vector<Target> gap, call, work;  ///< by step
};

Folded fold(const Shape& shape, Fold how);

/// What the nodes took in one job.
struct NodeTimes {
  std::vector<std::int64_t> lasts, launch;  ///< by node
  std::vector<bool> present;                ///< did the job do any of its steps?
};
NodeTimes times_of(const Folded& folded, const Job& job);

}  // namespace tactus::exchange
