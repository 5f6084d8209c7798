#include "tactus/methods/gang/bound/theorem1.hpp"

#include <algorithm>

#include "tactus/methods/gang/limits.hpp"

namespace tactus::gang {
namespace {

bool has_more_paths_than(const GangDag& dag, std::size_t budget) {
  std::vector<std::size_t> to(dag.nodes.size());
  std::size_t complete = 0;
  for (NodeIndex v = 0; v < dag.nodes.size(); ++v) {
    const auto previous = dag.graph.predecessors(v);
    to[v] = previous.empty() ? 1 : 0;
    // Capped just above the budget, so that the count cannot wrap around.
    for (NodeIndex u : previous) to[v] = std::min(to[v] + to[u], budget + 1);
    if (dag.graph.successors(v).empty()) complete = std::min(complete + to[v], budget + 1);
  }
  return complete > budget;
}

class Paths {
 public:
  Paths(const PreparedDag& prepared, const DagBound& bound, const std::stop_token& stop)
      : prepared_(prepared), bound_(bound), stop_(stop), on_path_(prepared.loads.size()) {
    for (std::size_t p = 0; p < prepared.loads.size(); ++p) {
      const ElementLoad& load = prepared.loads[p];
      for (std::size_t k = 0; k < load.nodes.size(); ++k) place_[load.nodes[k]] = {p, k};
    }
  }

  Fraction longest() {
    for (NodeIndex v = 0; v < prepared_.dag.nodes.size(); ++v) {
      if (prepared_.dag.graph.predecessors(v).empty()) walk(v, Time());
    }
    return best_;
  }

 private:
  void walk(NodeIndex v, Time length) {
    const auto [p, k] = place_[v];
    length += prepared_.dag.nodes[v].wcet;
    on_path_[p].push_back(k);
    const auto next = prepared_.dag.graph.successors(v);
    for (NodeIndex w : next) walk(w, length);
    if (next.empty()) {
      throw_if_stopped(stop_);
      Fraction total = to_fraction(length);
      for (std::size_t q = 0; q < on_path_.size(); ++q) total += interference(q);
      best_ = std::max(best_, total);
    }
    on_path_[p].pop_back();
  }

  /// F of the path's nodes on one element: by descending Delta, each node adds the volume that no
  /// node before it has added.
  Fraction interference(std::size_t p) const {
    const ElementLoad& load = prepared_.loads[p];
    const DagBound::Part& part = bound_.parts[p];
    std::vector<std::size_t> order = on_path_[p];
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return part.idle[a] > part.idle[b]; });
    std::vector<bits::Word> seen(load.interferers.words()), fresh(seen.size());
    Fraction sum;
    for (std::size_t k : order) {
      std::copy(load.interferers[k].begin(), load.interferers[k].end(), fresh.begin());
      bits::subtract(fresh, seen);
      bits::unite(seen, fresh);
      Volume volume = 0;
      bits::for_each(fresh, [&](std::size_t j) {
        // Of its own kernel, all copies but the one on the path.
        volume = add(volume, j == k ? load.volume[j] / load.copies[j] * (load.copies[j] - 1)
                                    : load.volume[j]);
      });
      sum += quotient(volume, multiply(part.pools.size - part.idle[k], part.pools.count));
    }
    return sum;
  }

  const PreparedDag& prepared_;
  const DagBound& bound_;
  const std::stop_token& stop_;
  std::vector<std::pair<std::size_t, std::size_t>> place_ =
      std::vector<std::pair<std::size_t, std::size_t>>(prepared_.dag.nodes.size());
  std::vector<std::vector<std::size_t>> on_path_;  ///< by load, in path order
  Fraction best_;
};

}  // namespace

std::optional<Fraction> theorem1(const PreparedDag& dag, const DagBound& bound,
                                 std::size_t path_budget, const std::stop_token& stop) {
  if (has_more_paths_than(dag.dag, path_budget)) return std::nullopt;
  return Paths(dag, bound, stop).longest();
}

}  // namespace tactus::gang
