#include "tactus/model/graph.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace tactus {
namespace {

std::vector<std::uint32_t> indegrees(const Graph& graph) {
  std::vector<std::uint32_t> degrees(graph.size());
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    degrees[node] = static_cast<std::uint32_t>(graph.predecessors(node).size());
  }
  return degrees;
}

}  // namespace

Graph::Graph(NodeIndex size, std::span<const Edge> edges)
    : next_start_(size == 0 ? 0 : size + 1),
      previous_start_(next_start_.size()),
      next_(edges.size()),
      previous_(edges.size()) {
  for (const auto& [from, to] : edges) {
    ++next_start_[from + 1];
    ++previous_start_[to + 1];
  }
  std::partial_sum(next_start_.begin(), next_start_.end(), next_start_.begin());
  std::partial_sum(previous_start_.begin(), previous_start_.end(), previous_start_.begin());
  // Walking the nodes in order and filing each under its neighbours leaves the rows of the
  // neighbours sorted: two such walks sort both directions in linear time.
  Starts fill = previous_start_;
  for (const auto& [from, to] : edges) previous_[fill[to]++] = from;
  fill = next_start_;
  for (NodeIndex to = 0; to < size; ++to) {
    for (NodeIndex from : predecessors(to)) next_[fill[from]++] = to;
  }
  fill = previous_start_;
  for (NodeIndex from = 0; from < size; ++from) {
    for (NodeIndex to : successors(from)) previous_[fill[to]++] = from;
  }
  listed_chain_ = edge_count() + 1 == size;
  for (NodeIndex node = 0; listed_chain_ && node + 1 < size; ++node) {
    listed_chain_ = next_start_[node] == node && next_[node] == node + 1;
  }
}

Graph Graph::chain(NodeIndex size) {
  Graph graph;
  if (size == 0) return graph;
  // The k-th edge is k -> k + 1; nothing leaves the last node, and nothing comes to the first.
  graph.next_start_.resize(size + 1);
  std::iota(graph.next_start_.begin(), graph.next_start_.end() - 1, 0);
  graph.next_start_.back() = size - 1;
  graph.previous_start_.resize(size + 1);
  std::iota(graph.previous_start_.begin() + 1, graph.previous_start_.end(), 0);
  graph.next_.resize(size - 1);
  std::iota(graph.next_.begin(), graph.next_.end(), 1);
  graph.previous_.resize(size - 1);
  std::iota(graph.previous_.begin(), graph.previous_.end(), 0);
  graph.listed_chain_ = true;
  return graph;
}

std::vector<Edge> Graph::edges() const {
  std::vector<Edge> all;
  all.reserve(edge_count());
  for (NodeIndex from = 0; from < size(); ++from) {
    for (NodeIndex to : successors(from)) all.emplace_back(from, to);
  }
  return all;
}

std::vector<NodeIndex> find_cycle(const Graph& graph) {
  // Repeatedly remove all nodes without predecessors; what is left lies on or behind a cycle.
  std::vector<std::uint32_t> missing = indegrees(graph);
  std::vector<NodeIndex> peeled;
  peeled.reserve(graph.size());
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    if (missing[node] == 0) peeled.push_back(node);
  }
  for (std::size_t i = 0; i < peeled.size(); ++i) {
    for (NodeIndex next : graph.successors(peeled[i])) {
      if (--missing[next] == 0) peeled.push_back(next);
    }
  }
  if (peeled.size() == graph.size()) return {};

  // Every node left has a predecessor that is left: walking backwards must come to a node again.
  const auto is_left = [&](NodeIndex node) { return missing[node] > 0; };
  NodeIndex node = 0;
  while (!is_left(node)) ++node;
  std::vector<NodeIndex> path;
  std::vector<bool> seen(graph.size());
  while (!seen[node]) {
    seen[node] = true;
    path.push_back(node);
    const auto previous = graph.predecessors(node);
    node = *std::find_if(previous.begin(), previous.end(), is_left);
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), node));
  std::reverse(path.begin(), path.end());
  // Start at the node listed first, so that the message does not depend on the walk.
  std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
  return path;
}

std::vector<NodeIndex> topological_order(const Graph& graph) {
  std::vector<std::uint32_t> missing = indegrees(graph);
  std::priority_queue<NodeIndex, std::vector<NodeIndex>, std::greater<>> ready;
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    if (missing[node] == 0) ready.push(node);
  }
  std::vector<NodeIndex> order;
  order.reserve(graph.size());
  while (!ready.empty()) {
    const NodeIndex node = ready.top();
    ready.pop();
    order.push_back(node);
    for (NodeIndex next : graph.successors(node)) {
      if (--missing[next] == 0) ready.push(next);
    }
  }
  return order;
}

}  // namespace tactus
