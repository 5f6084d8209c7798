#include "tactus/methods/gang/he_bounds.hpp"

#include <algorithm>

namespace tactus::gang {
namespace {

struct LongestPath {
  mpz_class length;
  std::vector<NodeIndex> nodes;
};

/// Ties go to what comes first in the node order, among predecessors and among ends.
LongestPath longest_path(const Graph& graph, const std::vector<mpz_class>& wcet) {
  std::vector<mpz_class> finish(wcet.size());
  std::vector<NodeIndex> from(wcet.size());
  NodeIndex end = 0;
  for (NodeIndex v = 0; v < wcet.size(); ++v) {
    from[v] = v;
    for (NodeIndex u : graph.predecessors(v)) {
      if (from[v] != v && finish[u] <= finish[from[v]]) continue;
      from[v] = u;
    }
    finish[v] = wcet[v];
    if (from[v] != v) finish[v] += finish[from[v]];
    if (finish[v] > finish[end]) end = v;
  }
  LongestPath path{finish[end], {end}};
  while (from[path.nodes.back()] != path.nodes.back()) {
    path.nodes.push_back(from[path.nodes.back()]);
  }
  std::reverse(path.nodes.begin(), path.nodes.end());
  return path;
}

}  // namespace

PathList::PathList(const InflatedDag& dag, std::int64_t cpus) : dag_(dag) {
  std::vector<mpz_class> left = dag.wcet;
  while (lengths_.size() < static_cast<std::size_t>(cpus)) {
    const LongestPath path = longest_path(dag.source->graph, left);
    if (lengths_.empty()) longest_ = path.nodes;
    if (!lengths_.empty() && path.length == 0) return;
    lengths_.push_back(path.length);
    for (NodeIndex v : path.nodes) left[v] = 0;
  }
}

HeBound PathList::bound(std::int64_t cpus) const {
  const mpz_class& length = lengths_.front();
  mpz_class rest = dag_.volume;
  std::optional<Fraction> best;
  const auto most = std::min<std::size_t>(lengths_.size(), static_cast<std::size_t>(cpus));
  for (std::size_t j = 0; j < most; ++j) {
    rest -= lengths_[j];
    Fraction bound(rest, mpz_class(static_cast<long>(cpus) - static_cast<long>(j)));
    bound.canonicalize();
    bound += length;
    if (!best || bound < *best) best = bound;
  }
  return {*best / dag_.scale, longest_};
}

HeBound prioritised_bound(const InflatedDag& dag, const Reachability& order, std::int64_t cpus) {
  const Graph& graph = dag.source->graph;
  const std::size_t count = dag.wcet.size();
  // The longest complete path through every node is its priority.
  std::vector<mpz_class> head(count), through(count);
  for (NodeIndex v = 0; v < count; ++v) {
    for (NodeIndex u : graph.predecessors(v)) head[v] = std::max(head[v], head[u]);
    head[v] += dag.wcet[v];
  }
  std::vector<mpz_class> tail(count);
  for (auto v = static_cast<NodeIndex>(count); v-- > 0;) {
    for (NodeIndex w : graph.successors(v)) {
      tail[v] = std::max<mpz_class>(tail[v], tail[w] + dag.wcet[w]);
    }
    through[v] = head[v] + tail[v];
  }
  const auto higher = [&](NodeIndex a, NodeIndex b) {
    return through[a] > through[b] || (through[a] == through[b] && a < b);
  };
  bits::Matrix interfering(count, count);  // H(v)
  for (NodeIndex v = 0; v < count; ++v) {
    for (NodeIndex u = 0; u < count; ++u) {
      if (u != v && higher(u, v) && !order.ordered(u, v)) bits::set(interfering[v], u);
    }
  }
  // f(v), times m to stay whole. A node later on a path adds what its predecessor did not count.
  const mpz_class m(static_cast<long>(cpus));
  std::vector<mpz_class> finish(count);
  std::vector<NodeIndex> from(count);
  std::vector<bits::Word> fresh(interfering.words());
  NodeIndex end = 0;
  for (NodeIndex v = 0; v < count; ++v) {
    const auto volume_beside = [&](const NodeIndex* u) {
      std::copy(interfering[v].begin(), interfering[v].end(), fresh.begin());
      if (u != nullptr) bits::subtract(fresh, interfering[*u]);
      mpz_class volume;
      bits::for_each(fresh, [&](std::size_t w) { volume += dag.wcet[w]; });
      return volume;
    };
    from[v] = v;
    if (graph.predecessors(v).empty()) finish[v] = volume_beside(nullptr);
    for (const NodeIndex& u : graph.predecessors(v)) {
      const mpz_class candidate = finish[u] + volume_beside(&u);
      if (from[v] != v && candidate <= finish[v]) continue;
      finish[v] = candidate;
      from[v] = u;
    }
    finish[v] += dag.wcet[v] * m;
    if (finish[v] > finish[end]) end = v;
  }
  const LongestPath longest = longest_path(graph, dag.wcet);
  const mpz_class graham = longest.length * m + (dag.volume - longest.length);
  HeBound bound;
  const bool use_graham = graham <= finish[end];
  bound.total = Fraction(use_graham ? graham : finish[end], dag.scale * m);
  bound.total.canonicalize();
  if (use_graham) {
    bound.path = longest.nodes;
  } else {
    for (NodeIndex v = end;; v = from[v]) {
      bound.path.insert(bound.path.begin(), v);
      if (from[v] == v) break;
    }
  }
  return bound;
}

}  // namespace tactus::gang
