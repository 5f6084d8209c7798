#include "tactus/model/edges.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "tactus/model/codec.hpp"

namespace tactus {
namespace {

/// The name of a node by its index.
using NameOf = std::function<std::string_view(NodeIndex)>;

void tell_self_edge(std::string_view node, Place place, ReadContext& context) {
  context.error(place, fmt::format("node {} precedes itself", quote(node)));
}

void tell_repeated_edge(std::string_view from, std::string_view to, Place place,
                        ReadContext& context) {
  context.error(place, fmt::format("the edge {} -> {} is listed twice", quote(from), quote(to)));
}

bool has_repeated_edge(const Graph& graph) {
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    const auto next = graph.successors(node);
    if (std::adjacent_find(next.begin(), next.end()) != next.end()) return true;
  }
  return false;
}

/// Complains about edges listed twice, at the later place.
void tell_repeated_edges(std::span<const json::Value> sources, const std::vector<Edge>& edges,
                         ReadContext& context) {
  std::set<Edge> seen;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (seen.insert(edges[i]).second) continue;
    const auto ends = sources[i].items();
    tell_repeated_edge(ends[0].text(), ends[1].text(), sources[i], context);
  }
}

/// "`a` -> `b` -> `a`"; a long cycle is cut in the middle.
std::string describe_cycle(const std::vector<NodeIndex>& cycle, const NameOf& name_of) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < kShown; ++i) {
    text += quote(name_of(cycle[i])) + " -> ";
  }
  if (cycle.size() > kShown) text += fmt::format("... ({} more) -> ", cycle.size() - kShown);
  return text + quote(name_of(cycle.front()));
}

/// False, with a complaint, if a graph has a cycle.
bool check_no_cycle(const Graph& graph, const NameOf& name_of, Place place, ReadContext& context) {
  const std::vector<NodeIndex> cycle = find_cycle(graph);
  if (cycle.empty()) return true;
  context.error(place, "the edges form a cycle: " + describe_cycle(cycle, name_of));
  return false;
}

}  // namespace

bool read_edges(const json::Value& value, ReadContext& context, NodeIndex node_count,
                Graph& graph) {
  if (!value.is(json::Kind::kArray)) {
    return codec::mismatch(value, "edges", context, "an array of pairs of node names");
  }
  std::vector<Edge> edges;
  edges.reserve(value.items().size());
  bool good = true;
  for (const json::Value& item : value.items()) {
    if (!item.is(json::Kind::kArray) || item.items().size() != 2) {
      context.error(item, "an edge must be a pair of node names, got " + codec::shown(item));
      good = false;
      continue;
    }
    Edge edge;
    const bool from =
        codec::read_reference(item.items()[0], context, context.nodes, "node", edge.first);
    const bool to =
        codec::read_reference(item.items()[1], context, context.nodes, "node", edge.second);
    if (from && to && edge.first == edge.second) {
      tell_self_edge(item.items()[0].text(), item, context);
      good = false;
    }
    good = good && from && to;
    edges.push_back(edge);
  }
  if (!good) return false;

  graph = Graph(node_count, edges);
  if (has_repeated_edge(graph)) {
    tell_repeated_edges(value.items(), edges, context);
    return false;
  }
  const auto name_of = [&](NodeIndex node) {
    for (const NameIndex::Entry& entry : context.nodes.entries()) {
      if (entry.place == node) return entry.name;
    }
    return std::string_view();
  };
  return check_no_cycle(graph, name_of, value, context);
}

bool check_edges(const Task& task, ReadContext& context, Position at) {
  const Graph& graph = task.graph;
  if (graph.size() == 0 || task.nodes.empty()) return true;
  if (graph.size() != task.nodes.size()) {
    context.error(
        at, fmt::format("the graph has {} nodes, the task {}", graph.size(), task.nodes.size()));
    return false;
  }
  const auto name_of = [&](NodeIndex node) -> std::string_view { return task.nodes[node].name; };
  bool good = true;
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    const auto next = graph.successors(node);
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (next[i] == node) {
        tell_self_edge(name_of(node), at, context);
      } else if (i > 0 && next[i] == next[i - 1]) {
        tell_repeated_edge(name_of(node), name_of(next[i]), at, context);
      } else {
        continue;
      }
      good = false;
    }
  }
  return good && check_no_cycle(graph, name_of, at, context);
}

}  // namespace tactus
