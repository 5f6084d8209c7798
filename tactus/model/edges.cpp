#include "tactus/model/edges.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/model/codec.hpp"

namespace tactus {
namespace {

/// Complains about edges listed twice, at the later place.
bool all_different(std::span<const json::Value> sources, const std::vector<Edge>& edges,
                   ReadContext& context) {
  std::vector<std::uint32_t> order(edges.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](std::uint32_t i) { return std::pair(edges[i], i); };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  bool different = true;
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (edges[order[k - 1]] != edges[order[k]]) continue;
    context.error(sources[order[k]], "this edge is listed twice");
    different = false;
  }
  return different;
}

/// "`a` -> `b` -> `a`"; a long cycle is cut in the middle.
std::string describe_cycle(const std::vector<NodeIndex>& cycle, const NameIndex& names) {
  constexpr std::size_t kShown = 10;
  std::vector<std::string_view> name_of(cycle.size());
  std::unordered_map<NodeIndex, std::size_t> place;
  for (std::size_t i = 0; i < cycle.size(); ++i) place[cycle[i]] = i;
  for (const auto& [name, node] : names) {
    if (const auto found = place.find(node); found != place.end()) name_of[found->second] = name;
  }
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < kShown; ++i) {
    text += quote(name_of[i]) + " -> ";
  }
  if (cycle.size() > kShown) text += fmt::format("... ({} more) -> ", cycle.size() - kShown);
  return text + quote(name_of.front());
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
  if (!good || !all_different(value.items(), edges, context)) return false;

  graph = Graph(node_count, std::move(edges));
  if (const std::vector<NodeIndex> cycle = find_cycle(graph); !cycle.empty()) {
    context.error(value, "the edges form a cycle: " + describe_cycle(cycle, context.nodes));
    return false;
  }
  return true;
}

}  // namespace tactus
