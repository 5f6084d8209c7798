#include "tests/methods/gang/reference.hpp"

#include <algorithm>
#include <functional>

namespace tactus::gang::reference {
namespace {

using Set = std::set<std::size_t>;

std::vector<Set> ancestors(const RefDag& dag) {
  std::vector<Set> all(dag.nodes.size());
  for (std::size_t v = 0; v < dag.nodes.size(); ++v) {
    for (std::size_t u : dag.nodes[v].previous) {
      all[v].insert(u);
      all[v].insert(all[u].begin(), all[u].end());
    }
  }
  return all;
}

std::int64_t volume(const RefDag& dag, std::size_t v) {
  return dag.nodes[v].width * dag.nodes[v].wcet;
}

void for_each_path(const RefDag& dag,
                   const std::function<void(const std::vector<std::size_t>&)>& f) {
  std::vector<std::size_t> path;
  const std::function<void(std::size_t)> walk = [&](std::size_t v) {
    path.push_back(v);
    if (dag.nodes[v].next.empty()) f(path);
    for (std::size_t w : dag.nodes[v].next) walk(w);
    path.pop_back();
  };
  for (std::size_t v = 0; v < dag.nodes.size(); ++v) {
    if (dag.nodes[v].previous.empty()) walk(v);
  }
}

/// F: volume that no node before it in the order has brought, over the processors that are busy.
std::vector<Fraction> fill_terms(const RefDag& dag, std::vector<std::size_t> nodes,
                                 const std::vector<std::int64_t>& delta,
                                 std::vector<std::int64_t>& fresh) {
  const auto beside = interferers(dag);
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](std::size_t a, std::size_t b) { return delta[a] > delta[b]; });
  Set seen;
  std::vector<Fraction> rates;
  for (std::size_t v : nodes) {
    std::int64_t sum = 0;
    for (std::size_t u : beside[v]) {
      if (seen.insert(u).second) sum += volume(dag, u);
    }
    fresh.push_back(sum);
    rates.emplace_back(1, static_cast<long>(dag.processors(dag.nodes[v].element) - delta[v]));
  }
  return rates;
}

}  // namespace

RefDag expand(const System& system, TaskIndex index) {
  const Task& task = system.tasks[index];
  RefDag listed;
  for (const Element& element : system.platform.elements) {
    listed.units.push_back(element.units);
    listed.lanes.push_back(element.lanes);
  }
  std::vector<std::vector<std::size_t>> copies(task.nodes.size());
  for (std::size_t n = 0; n < task.nodes.size(); ++n) {
    const Node& node = task.nodes[n];
    const bool clustered = listed.lanes[node.on] > 1;
    const std::int64_t width = node.parallelism.value_or(clustered ? node.threads.value_or(1) : 1);
    for (std::int64_t b = 0; b < (clustered ? node.blocks.value_or(1) : 1); ++b) {
      copies[n].push_back(listed.nodes.size());
      listed.nodes.push_back({node.on, width, node.wcet->ns()});
    }
  }
  for (const auto& [from, to] : task.graph.edges()) {
    for (std::size_t a : copies[from]) {
      for (std::size_t b : copies[to]) {
        listed.nodes[a].next.insert(b);
        listed.nodes[b].previous.insert(a);
      }
    }
  }
  // Kahn's algorithm, the smallest listed position first.
  std::vector<std::size_t> order, place(listed.nodes.size());
  std::vector<bool> done(listed.nodes.size());
  while (order.size() < listed.nodes.size()) {
    for (std::size_t v = 0; v < listed.nodes.size(); ++v) {
      const auto& previous = listed.nodes[v].previous;
      if (done[v] ||
          !std::all_of(previous.begin(), previous.end(), [&](std::size_t u) { return done[u]; })) {
        continue;
      }
      done[v] = true;
      place[v] = order.size();
      order.push_back(v);
      break;
    }
  }
  RefDag dag{{}, listed.units, listed.lanes};
  for (std::size_t v : order) {
    RefNode node = listed.nodes[v];
    Set previous, next;
    for (std::size_t u : node.previous) previous.insert(place[u]);
    for (std::size_t w : node.next) next.insert(place[w]);
    node.previous = previous;
    node.next = next;
    dag.nodes.push_back(node);
  }
  return dag;
}

std::vector<Set> interferers(const RefDag& dag) {
  const auto before = ancestors(dag);
  std::vector<Set> all(dag.nodes.size());
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    for (std::size_t k = 0; k < dag.nodes.size(); ++k) {
      if (i == k || dag.nodes[i].element != dag.nodes[k].element) continue;
      if (!before[i].contains(k) && !before[k].contains(i)) all[i].insert(k);
    }
  }
  return all;
}

std::vector<std::int64_t> deltas(const RefDag& dag, Scheduler scheduler, Delta how) {
  const auto before = ancestors(dag);
  const auto beside = interferers(dag);
  std::vector<std::int64_t> wc(dag.nodes.size());
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    const std::int64_t pool = dag.pool(dag.nodes[i].element);
    const std::vector<std::size_t> members(beside[i].begin(), beside[i].end());
    std::set<std::int64_t> totals{0};
    if (how == Delta::kExact) {
      for (std::uint64_t chosen = 0; chosen < std::uint64_t{1} << members.size(); ++chosen) {
        bool antichain = true;
        std::int64_t sum = 0;
        for (std::size_t a = 0; a < members.size() && antichain; ++a) {
          if ((chosen >> a & 1) == 0) continue;
          sum += dag.nodes[members[a]].width;
          for (std::size_t b = 0; b < a; ++b) {
            if ((chosen >> b & 1) != 0 && before[members[a]].contains(members[b]))
              antichain = false;
          }
        }
        if (antichain) totals.insert(sum);
      }
    } else {
      std::vector<std::set<std::int64_t>> ending(members.size());
      for (std::size_t j = 0; j < members.size(); ++j) {
        const std::int64_t width = dag.nodes[members[j]].width;
        ending[j].insert(width);
        for (std::size_t k = 0; k < j; ++k) {
          if (before[members[j]].contains(members[k])) continue;
          for (std::int64_t sum : ending[k]) {
            if (sum + width <= pool) ending[j].insert(sum + width);
          }
        }
        totals.insert(ending[j].begin(), ending[j].end());
      }
    }
    for (std::int64_t sum = pool; sum > pool - dag.nodes[i].width; --sum) {
      if (totals.contains(sum)) wc[i] = pool - sum;
    }
    wc[i] *= dag.pools(dag.nodes[i].element);
  }
  if (scheduler == Scheduler::kWorkConserving) return wc;
  std::vector<std::int64_t> swc = wc;
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    for (std::size_t k : beside[i]) swc[i] = std::max(swc[i], wc[k]);
  }
  return swc;
}

std::vector<Fraction> theorem2(const RefDag& dag, const std::vector<std::int64_t>& delta) {
  std::int64_t length = 0;
  std::vector<std::optional<std::int64_t>> least(dag.units.size());
  for_each_path(dag, [&](const std::vector<std::size_t>& path) {
    std::int64_t sum = 0;
    std::vector<std::optional<std::int64_t>> on(dag.units.size());
    for (std::size_t v : path) {
      sum += dag.nodes[v].wcet;
      auto& touched = on[dag.nodes[v].element];
      touched = touched.value_or(0) + volume(dag, v);
    }
    length = std::max(length, sum);
    for (std::size_t p = 0; p < on.size(); ++p) {
      if (on[p] && (!least[p] || *on[p] < *least[p])) least[p] = on[p];
    }
  });
  std::vector<Fraction> result{Fraction(static_cast<long>(length))};
  for (std::size_t p = 0; p < dag.units.size(); ++p) {
    std::vector<std::size_t> nodes;
    std::int64_t left = 0;
    for (std::size_t v = 0; v < dag.nodes.size(); ++v) {
      if (dag.nodes[v].element != p) continue;
      nodes.push_back(v);
      left += volume(dag, v);
    }
    if (nodes.empty()) {
      result.emplace_back(0);
      continue;
    }
    left -= *least[p];
    std::vector<std::int64_t> fresh;
    const auto rates = fill_terms(dag, nodes, delta, fresh);
    Fraction term;
    // h(p) is where the running sum of fresh volumes reaches W_p; before it all, there the rest.
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      const std::int64_t taken = std::min(left, fresh[k]);
      term += rates[k] * static_cast<long>(taken);
      left -= taken;
    }
    result.push_back(term);
  }
  return result;
}

Fraction theorem1(const RefDag& dag, const std::vector<std::int64_t>& delta) {
  Fraction best;
  for_each_path(dag, [&](const std::vector<std::size_t>& path) {
    Fraction sum;
    for (std::size_t v : path) sum += static_cast<long>(dag.nodes[v].wcet);
    for (std::size_t p = 0; p < dag.units.size(); ++p) {
      std::vector<std::size_t> nodes;
      for (std::size_t v : path) {
        if (dag.nodes[v].element == p) nodes.push_back(v);
      }
      std::vector<std::int64_t> fresh;
      const auto rates = fill_terms(dag, nodes, delta, fresh);
      for (std::size_t k = 0; k < fresh.size(); ++k) sum += rates[k] * static_cast<long>(fresh[k]);
    }
    best = std::max(best, sum);
  });
  return best;
}

}  // namespace tactus::gang::reference
