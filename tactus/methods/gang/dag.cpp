#include "tactus/methods/gang/dag.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tactus::gang {
namespace {

bool twins(const GangNode& a, const GangNode& b, const GangTask& task) {
  if (task.pieces[a.pieces[0]].moldable || task.pieces[b.pieces[0]].moldable) return false;
  if (a.on != b.on || a.width != b.width || a.wcet != b.wcet) return false;
  const Graph& graph = task.graph;
  return std::ranges::equal(graph.predecessors(a.pieces[0]), graph.predecessors(b.pieces[0])) &&
         std::ranges::equal(graph.successors(a.pieces[0]), graph.successors(b.pieces[0]));
}

}  // namespace

GangDag make_dag(const GangTask& task, const Entries& entries) {
  GangDag dag{task.task, task.period, task.deadline, {}, {}};
  std::vector<NodeIndex> place(task.pieces.size());  // of the piece in dag.nodes
  for (const NodeIndex index : topological_order(task.graph)) {
    const Piece& piece = task.pieces[index];
    const TimesEntry& chosen = piece.choices[entries.empty() ? 0 : entries[index]];
    GangNode made{piece.on, chosen.units, chosen.wcet, piece.copies, {index}};
    if (!dag.nodes.empty() && twins(dag.nodes.back(), made, task)) {
      dag.nodes.back().copies = checked::add(dag.nodes.back().copies, made.copies);
      dag.nodes.back().pieces.push_back(index);
    } else {
      dag.nodes.push_back(std::move(made));
    }
    place[index] = static_cast<NodeIndex>(dag.nodes.size() - 1);
  }
  std::vector<Edge> edges;
  edges.reserve(task.graph.edge_count());
  for (const auto& [from, to] : task.graph.edges()) edges.emplace_back(place[from], place[to]);
  // Where the file lists its nodes in this order already, so are the edges.
  if (!std::is_sorted(edges.begin(), edges.end())) std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  dag.graph = Graph(static_cast<NodeIndex>(dag.nodes.size()), edges);
  return dag;
}

void set_entries(GangDag& dag, const GangTask& task, const Entries& entries) {
  for (GangNode& node : dag.nodes) {
    const NodeIndex index = node.pieces.front();
    const Piece& piece = task.pieces[index];
    if (!piece.moldable) continue;
    node.width = piece.choices[entries[index]].units;
    node.wcet = piece.choices[entries[index]].wcet;
  }
}

Time length_of(const GangDag& dag) {
  std::vector<Time> finish(dag.nodes.size());
  Time longest;
  for (NodeIndex node = 0; node < dag.nodes.size(); ++node) {
    for (NodeIndex previous : dag.graph.predecessors(node)) {
      finish[node] = std::max(finish[node], finish[previous]);
    }
    finish[node] += dag.nodes[node].wcet;
    longest = std::max(longest, finish[node]);
  }
  return longest;
}

std::string label_of(const System& system, const GangTask& task, const GangNode& node) {
  std::string label;
  for (const NodeIndex index : node.pieces) {
    const Piece& piece = task.pieces[index];
    if (!label.empty()) label += ", ";
    label += name_of(system.tasks[task.task], piece);
    if (piece.copies > 1) label += fmt::format("[0..{}]", piece.copies - 1);
  }
  return label;
}

}  // namespace tactus::gang
