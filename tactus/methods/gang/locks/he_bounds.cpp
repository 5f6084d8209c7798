#include "tactus/methods/gang/locks/he_bounds.hpp"

#include <algorithm>
#include <numeric>

#include "tactus/methods/gang/limits.hpp"

namespace tactus::gang {
namespace {

/// Whole numbers of either kind: the bounds only add, compare and multiply by m.
mpz_class to_mpz(const mpz_class& value) { return value; }
mpz_class to_mpz(std::int64_t value) { return {static_cast<long>(value)}; }

/// The WCETs as machine words, when no sum below can leave them: a path counts the volume at most
/// once per node, and m times its length. Words are ten times as fast.
std::optional<std::vector<std::int64_t>> as_words(const InflatedDag& dag, std::int64_t cpus) {
  const mpz_class most = dag.volume * (static_cast<long>(dag.wcet.size()) + cpus + 1);
  if (mpz_sizeinbase(most.get_mpz_t(), 2) > 62) return std::nullopt;
  std::vector<std::int64_t> words;
  words.reserve(dag.wcet.size());
  for (const mpz_class& wcet : dag.wcet) words.push_back(wcet.get_si());
  return words;
}

template <typename Whole>
struct LongestPath {
  Whole length;
  std::vector<NodeIndex> nodes;
};

/// The nodes of a path that ends in `end`; `from[v]` is v where it begins.
std::vector<NodeIndex> path_to(NodeIndex end, const std::vector<NodeIndex>& from) {
  std::vector<NodeIndex> nodes{end};
  while (from[nodes.back()] != nodes.back()) nodes.push_back(from[nodes.back()]);
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

/// Ties go to what comes first in the node order, among predecessors and among ends.
template <typename Whole>
LongestPath<Whole> longest_path(const Graph& graph, const std::vector<Whole>& wcet) {
  std::vector<Whole> finish(wcet.size());
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
  return {finish[end], path_to(end, from)};
}

/// The longest complete path through every node: its priority.
template <typename Whole>
std::vector<Whole> lengths_through(const Graph& graph, const std::vector<Whole>& wcet) {
  const std::size_t count = wcet.size();
  std::vector<Whole> head(count), tail(count), through(count);
  for (NodeIndex v = 0; v < count; ++v) {
    for (NodeIndex u : graph.predecessors(v)) head[v] = std::max(head[v], head[u]);
    head[v] += wcet[v];
  }
  for (auto v = static_cast<NodeIndex>(count); v-- > 0;) {
    for (NodeIndex w : graph.successors(v)) {
      tail[v] = std::max<Whole>(tail[v], tail[w] + wcet[w]);
    }
    through[v] = head[v] + tail[v];
  }
  return through;
}

/// H(v): the nodes unordered with v and of higher priority, ties by node order.
template <typename Whole>
bits::Matrix higher_beside(const std::vector<Whole>& priority, const Reachability& order,
                           const std::stop_token& stop) {
  const std::size_t count = priority.size();
  std::vector<NodeIndex> by_priority(count);
  std::iota(by_priority.begin(), by_priority.end(), NodeIndex{0});
  std::stable_sort(by_priority.begin(), by_priority.end(),
                   [&](NodeIndex a, NodeIndex b) { return priority[a] > priority[b]; });
  bits::Matrix beside(count, count);
  std::vector<bits::Word> higher(beside.words());  // than v
  for (NodeIndex v : by_priority) {
    throw_if_stopped(stop);
    const bits::Row row = beside[v];
    std::copy(higher.begin(), higher.end(), row.begin());
    bits::subtract(row, order.ancestors(v));
    bits::subtract(row, order.descendants(v));
    bits::set(higher, v);
  }
  return beside;
}

/// max f(v) and the path behind it, times m to stay whole: f(v) = c_v + max over the predecessors
/// u of f(u) + vol(H(v) \ H(u)) / m. A node later on a path adds what the one before did not count.
template <typename Whole>
LongestPath<Whole> longest_with_interference(const Graph& graph, const std::vector<Whole>& wcet,
                                             const bits::Matrix& beside, const Whole& m,
                                             const std::stop_token& stop) {
  std::vector<Whole> finish(wcet.size());
  std::vector<NodeIndex> from(wcet.size());
  std::vector<bits::Word> fresh(beside.words());
  std::vector<NodeIndex> latest_first;  // the predecessors of v
  NodeIndex end = 0;
  for (NodeIndex v = 0; v < wcet.size(); ++v) {
    throw_if_stopped(stop);
    const auto volume_of = [&](bits::ConstRow set) {
      Whole volume(0);
      bits::for_each(set, [&](std::size_t w) { volume += wcet[w]; });
      return volume;
    };
    const Whole whole = volume_of(beside[v]);
    from[v] = v;
    if (graph.predecessors(v).empty()) finish[v] = whole;
    const auto predecessors = graph.predecessors(v);
    latest_first.assign(predecessors.begin(), predecessors.end());
    std::sort(latest_first.begin(), latest_first.end(),
              [&](NodeIndex a, NodeIndex b) { return finish[a] > finish[b]; });
    for (const NodeIndex u : latest_first) {
      // No later one in this list can be as long as what is found.
      if (from[v] != v && finish[u] + whole < finish[v]) break;
      std::copy(beside[v].begin(), beside[v].end(), fresh.begin());
      bits::subtract(fresh, beside[u]);
      const Whole candidate = finish[u] + volume_of(fresh);
      if (from[v] != v && candidate < finish[v]) continue;
      if (from[v] != v && candidate == finish[v] && u > from[v]) continue;  // ties: node order
      finish[v] = candidate;
      from[v] = u;
    }
    finish[v] += wcet[v] * m;
    if (finish[v] > finish[end]) end = v;
  }
  return {finish[end], path_to(end, from)};
}

template <typename Whole>
HeBound prioritised(const InflatedDag& dag, const std::vector<Whole>& wcet,
                    const Reachability& order, std::int64_t cpus, const std::stop_token& stop) {
  const Graph& graph = dag.source->graph;
  const Whole m(static_cast<long>(cpus));
  const bits::Matrix beside = higher_beside(lengths_through(graph, wcet), order, stop);
  const LongestPath<Whole> own = longest_with_interference(graph, wcet, beside, m, stop);
  const LongestPath<Whole> longest = longest_path(graph, wcet);
  Whole volume(0);
  for (const Whole& each : wcet) volume += each;
  const Whole graham = longest.length * m + (volume - longest.length);
  const bool use_graham = graham <= own.length;
  Fraction total(to_mpz(use_graham ? graham : own.length), dag.scale * static_cast<long>(cpus));
  total.canonicalize();
  return {std::move(total), use_graham ? longest.nodes : own.nodes};
}

}  // namespace

template <typename Whole>
void PathList::fill(std::vector<Whole> left, std::int64_t cpus, const std::stop_token& stop) {
  while (lengths_.size() < static_cast<std::size_t>(cpus)) {
    throw_if_stopped(stop);
    const LongestPath<Whole> path = longest_path(dag_.source->graph, left);
    if (lengths_.empty()) longest_ = path.nodes;
    if (!lengths_.empty() && path.length == 0) return;
    lengths_.push_back(to_mpz(path.length));
    for (NodeIndex v : path.nodes) left[v] = 0;
  }
}

PathList::PathList(const InflatedDag& dag, std::int64_t cpus, const std::stop_token& stop)
    : dag_(dag) {
  if (auto words = as_words(dag, cpus)) {
    fill(std::move(*words), cpus, stop);
  } else {
    fill(dag.wcet, cpus, stop);
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

HeBound prioritised_bound(const InflatedDag& dag, const Reachability& order, std::int64_t cpus,
                          const std::stop_token& stop) {
  if (const auto words = as_words(dag, cpus)) return prioritised(dag, *words, order, cpus, stop);
  return prioritised(dag, dag.wcet, order, cpus, stop);
}

}  // namespace tactus::gang
