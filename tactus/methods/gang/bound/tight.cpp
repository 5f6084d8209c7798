#include "tactus/methods/gang/bound/tight.hpp"

#include <algorithm>
#include <optional>

namespace tactus::gang {

TightBound tighten(const PreparedDag& prepared, const DagBound& bound) {
  const GangDag& dag = prepared.dag;
  TightBound tight{bound.total, prepared.length, {}};
  for (const auto& part : bound.parts) tight.amounts.push_back(part.term.amount);

  // The weight of a node: its own time, less what its volume no longer interferes with.
  std::vector<Fraction> weight(dag.nodes.size());
  std::vector<Fraction> at_no_path;  // K_p, the tangent at path volume 0
  Fraction constant;
  for (std::size_t p = 0; p < prepared.loads.size(); ++p) {
    const ElementLoad& load = prepared.loads[p];
    const ElementTerm& term = bound.parts[p].term;
    at_no_path.push_back(term.amount + term.slope * quotient(load.total - term.filled, 1));
    constant += at_no_path.back();
    for (NodeIndex v : load.nodes) {
      const Fraction wcet = to_fraction(dag.nodes[v].wcet);
      weight[v] = wcet - wcet * static_cast<long>(dag.nodes[v].width) * term.slope;
    }
  }
  // Weights may be negative, so the path must run from a source to a sink.
  std::vector<Fraction> best(dag.nodes.size());
  std::vector<NodeIndex> from(dag.nodes.size());
  std::optional<NodeIndex> end;
  for (NodeIndex v = 0; v < dag.nodes.size(); ++v) {
    const auto previous = dag.graph.predecessors(v);
    from[v] = v;
    if (!previous.empty()) {
      from[v] = *std::max_element(previous.begin(), previous.end(),
                                  [&](NodeIndex a, NodeIndex b) { return best[a] < best[b]; });
      best[v] = best[from[v]];
    }
    best[v] += weight[v];
    if (dag.graph.successors(v).empty() && (!end || best[v] > best[*end])) end = v;
  }
  const Fraction total = constant + best[*end];
  if (total >= tight.total) return tight;

  tight.total = total;
  tight.length = Time();
  tight.amounts = at_no_path;
  std::vector<std::size_t> load_of(dag.nodes.size());
  for (std::size_t p = 0; p < prepared.loads.size(); ++p) {
    for (NodeIndex v : prepared.loads[p].nodes) load_of[v] = p;
  }
  for (NodeIndex v = *end;; v = from[v]) {
    const GangNode& node = dag.nodes[v];
    tight.length += node.wcet;
    const std::size_t p = load_of[v];
    tight.amounts[p] -=
        bound.parts[p].term.slope * quotient(multiply(node.width, node.wcet.ns()), 1);
    if (from[v] == v) break;
  }
  return tight;
}

}  // namespace tactus::gang
