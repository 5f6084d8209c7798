#include "tactus/runtime/stream_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace tactus::runtime {
namespace {

/// Streams belong to a partition and a priority. A barrier is at home on any.
bool may_share(const GraphNode& a, const GraphNode& b) {
  if (!a.kernel || !b.kernel) return true;
  return a.kernel->partition == b.kernel->partition && a.kernel->priority == b.kernel->priority;
}

}  // namespace

Result<StreamPlan> streams_of(std::span<const GraphNode> nodes) {
  StreamPlan plan;
  plan.nodes.resize(nodes.size());
  std::vector<std::uint32_t> tails;  // by stream: its last node
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    StreamPlan::Node& node = plan.nodes[i];
    node.last = true;
    std::optional<std::uint32_t> stream;
    for (const std::uint32_t before : nodes[i].after) {
      const std::uint32_t candidate = plan.nodes[before].stream;
      if (!stream && tails[candidate] == before &&
          may_share(nodes[plan.leaders[candidate]], nodes[i])) {
        stream = candidate;
      }
      plan.nodes[before].last = false;
    }
    if (!stream) {
      stream = static_cast<std::uint32_t>(tails.size());
      tails.push_back(i);
      plan.leaders.push_back(i);
    }
    node.stream = *stream;
    tails[*stream] = i;
    if (!nodes[plan.leaders[*stream]].kernel) plan.leaders[*stream] = i;
    for (const std::uint32_t before : nodes[i].after) {
      if (plan.nodes[before].stream == *stream) continue;
      node.waits.push_back(before);
      plan.nodes[before].records = true;
    }
  }
  for (StreamPlan::Node& node : plan.nodes) node.records = node.records || node.last;
  if (tails.size() > kMostStreams) {
    return Error{
        fmt::format("this plan needs {} streams, and a GPU has queues for {}; run it as "
                    "`planned`",
                    tails.size(), kMostStreams)};
  }
  return plan;
}

}  // namespace tactus::runtime
