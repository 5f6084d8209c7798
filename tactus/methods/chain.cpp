#include "tactus/methods/chain.hpp"

#include <fmt/core.h>

#include <numeric>
#include <optional>

#include "tactus/base/diagnostic.hpp"

namespace tactus {

Result<std::vector<NodeIndex>, Refusal> chain_of(const Task& task, std::string_view who) {
  const Graph& graph = task.graph;
  if (graph.is_listed_chain()) {
    std::vector<NodeIndex> order(graph.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  const auto refuse = [&](NodeIndex node, std::string_view problem) {
    return Refusal{fmt::format("task {}: node {} {}; {}", quote(task.name),
                               quote(task.nodes[node].name), problem, who),
                   task.nodes[node].at};
  };
  std::optional<NodeIndex> head, second_head;
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    if (graph.successors(node).size() > 1) return refuse(node, "has two successors");
    if (graph.predecessors(node).size() > 1) return refuse(node, "has two predecessors");
    if (!graph.predecessors(node).empty()) continue;
    if (!head) {
      head = node;
    } else if (!second_head) {
      second_head = node;
    }
  }
  // Not before: two heads that meet again are connected, and the node where they meet was named.
  if (second_head) {
    return refuse(*second_head,
                  fmt::format("is not connected with node {}", quote(task.nodes[*head].name)));
  }
  std::vector<NodeIndex> order;
  order.reserve(graph.size());
  // Acyclic and not empty, so there is a head; one head and no fork, so the walk meets every node.
  for (order.push_back(*head); !graph.successors(order.back()).empty();) {
    order.push_back(graph.successors(order.back()).front());
  }
  return order;
}

}  // namespace tactus
