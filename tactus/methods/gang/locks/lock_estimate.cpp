#include "tactus/methods/gang/locks/lock_estimate.hpp"

#include <algorithm>

namespace tactus::gang {

LockEstimate estimate(const System& system, const LockView& view, const Partitions& partitions,
                      const Waiting& waiting) {
  // The length of an access on its partition, as `access_length` has it.
  const auto length_of = [&](const Access& access) {
    const AccessParts parts = access_parts(system.platform.elements[access.element], access,
                                           partitions.at(access.element).units);
    return static_cast<double>(access.wcet.ns()) +
           static_cast<double>(parts.others) / static_cast<double>(parts.capacity);
  };
  std::map<ElementIndex, std::pair<std::int64_t, double>> seen;  // accesses, the longest
  for (const LockDag& dag : view.dags) {
    for (const auto& node : dag.nodes) {
      if (!node.access) continue;
      auto& [count, longest] = seen[node.access->element];
      ++count;
      longest = std::max(longest, length_of(*node.access));
    }
  }
  std::map<ElementIndex, double> blocking;
  for (const auto& [element, found] : seen) {
    const std::int64_t times =
        blocking_requests(found.first, partitions.at(element).count, view.cpus, waiting.protocol);
    blocking[element] =
        (waiting.requests ? waiting.requests->get_d() : static_cast<double>(times)) * found.second;
  }
  LockEstimate out;
  for (const LockDag& dag : view.dags) {
    double volume = 0, longest = 0;
    std::vector<double> finish(dag.nodes.size());
    for (NodeIndex v = 0; v < dag.nodes.size(); ++v) {
      for (NodeIndex u : dag.graph.predecessors(v)) finish[v] = std::max(finish[v], finish[u]);
      const auto& node = dag.nodes[v];
      const double wcet = node.access ? length_of(*node.access) + blocking[node.access->element]
                                      : static_cast<double>(node.wcet.ns());
      finish[v] += wcet;
      volume += wcet;
      longest = std::max(longest, finish[v]);
    }
    out.length.push_back(longest);
    out.volume.push_back(volume);
  }
  return out;
}

}  // namespace tactus::gang
