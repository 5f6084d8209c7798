#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/runtime/device.hpp"

/// A graph as CUDA can keep its order without graphs: every node on a stream, and an event wherever a
/// node waits for one on another stream (the dag paper, Section 2.2).
namespace tactus::runtime {

/// More streams share the queues of the hardware, and then a kernel waits for another one that it has
/// nothing to do with.
inline constexpr std::size_t kMostStreams = 30;

struct StreamPlan {
  struct Node {
    std::uint32_t stream = 0;
    std::vector<std::uint32_t> waits;  ///< for the events of these nodes, on other streams
    bool records = false;              ///< an event, because another stream or the end waits for it
    bool last = false;                 ///< nothing comes after it
  };
  std::vector<Node> nodes;             ///< as those of the graph, in the order of launching
  std::vector<std::uint32_t> leaders;  ///< by stream: a node that says partition and priority
};

/// A node goes on with the stream of one it waits for, where nobody has done so yet. An `Error` where
/// that takes too many streams.
Result<StreamPlan> streams_of(std::span<const GraphNode> nodes);

}  // namespace tactus::runtime
