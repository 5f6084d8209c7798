#include "tactus/methods/chain.hpp"

#include <fmt/core.h>

#include "tactus/model/diagnostic.hpp"

namespace tactus {

std::variant<std::vector<NodeIndex>, Refusal> chain_of(const Task& task, std::string_view who) {
  const Graph& graph = task.graph;
  const auto refuse = [&](NodeIndex node, std::string_view problem) {
    return Refusal{fmt::format("task {}: node {} {}; {}", quote(task.name),
                               quote(task.nodes[node].name), problem, who),
                   task.nodes[node].at};
  };
  std::vector<NodeIndex> heads;
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    if (graph.successors(node).size() > 1) return refuse(node, "has two successors");
    if (graph.predecessors(node).size() > 1) return refuse(node, "has two predecessors");
    if (graph.predecessors(node).empty()) heads.push_back(node);
  }
  if (heads.size() > 1) {
    return refuse(heads[1],
                  fmt::format("is not connected with node {}", quote(task.nodes[heads[0]].name)));
  }
  std::vector<NodeIndex> order = heads;  // one head: the graph is acyclic and not empty
  order.reserve(graph.size());
  while (!graph.successors(order.back()).empty()) {
    order.push_back(graph.successors(order.back()).front());
  }
  return order;
}

}  // namespace tactus
