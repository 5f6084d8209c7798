#include "tactus/model/edges.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "tactus/model/codec.hpp"

namespace tactus {
namespace {

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
    if (!seen.insert(edges[i]).second) context.error(sources[i], "this edge is listed twice");
  }
}

/// "`a` -> `b` -> `a`"; a long cycle is cut in the middle.
std::string describe_cycle(const std::vector<NodeIndex>& cycle, const NameIndex& names) {
  constexpr std::size_t kShown = 10;
  std::unordered_map<NodeIndex, std::string_view> name_of;
  for (const NameIndex::Entry& entry : names.entries()) name_of[entry.place] = entry.name;
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < kShown; ++i) {
    text += quote(name_of[cycle[i]]) + " -> ";
  }
  if (cycle.size() > kShown) text += fmt::format("... ({} more) -> ", cycle.size() - kShown);
  return text + quote(name_of[cycle.front()]);
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
      context.error(item, fmt::format("node {} precedes itself", quote(item.items()[0].text())));
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
  if (const std::vector<NodeIndex> cycle = find_cycle(graph); !cycle.empty()) {
    context.error(value, "the edges form a cycle: " + describe_cycle(cycle, context.nodes));
    return false;
  }
  return true;
}

}  // namespace tactus
