#include "tactus/methods/gang/bound/theorem2.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gang/limits.hpp"

namespace tactus::gang {

std::optional<Totals> totals_of(const System& system, const ElementLoad& load,
                                const DeltaChoice& choice, Serves serves) {
  const Element& element = system.platform.elements[load.element];
  const std::int64_t pool = pools_of(element, element.units).size;
  if (choice.exact) return exact_totals(load, pool, choice.budget, choice.stop);
  // Shares of an element with lanes have more or fewer pools, of the same size.
  const bool one_pool = serves == Serves::kOnePool || element.lanes > 1;
  return totals_by_dp(load, pool, one_pool ? Serves::kOnePool : Serves::kAllPools, choice.stop);
}

PreparedDag prepare(const System& system, GangDag dag, const DeltaChoice& choice, Serves serves) {
  if (dag.nodes.size() > kMaxNodes) {
    throw LimitReached(fmt::format("task {} has {} nodes; gang takes at most {}",
                                   quote(system.tasks[dag.task].name), dag.nodes.size(),
                                   kMaxNodes));
  }
  PreparedDag prepared;
  prepared.length = length_of(dag);
  prepared.loads = loads_of(dag);
  prepared.dag = std::move(dag);
  for (DeltaChoice tried = choice;; tried.exact = false) {
    prepared.fell_back_to_dp = choice.exact && !tried.exact;
    prepared.totals.clear();
    for (const ElementLoad& load : prepared.loads) {
      auto totals = totals_of(system, load, tried, serves);
      if (!totals) break;
      prepared.totals.push_back(std::move(*totals));
    }
    if (prepared.totals.size() == prepared.loads.size()) return prepared;
  }
}

ElementTerm element_term(const ElementLoad& load, std::span<const std::int64_t> idle, Pools pools) {
  // d_k in processors of one pool; all pools together have `count` times as many.
  std::map<std::int64_t, Volume> volume_at;
  for (std::size_t k = 0; k < load.nodes.size(); ++k) {
    std::int64_t most_idle = -1;
    bits::for_each(load.interferers[k],
                   [&](std::size_t i) { most_idle = std::max(most_idle, idle[i]); });
    if (most_idle < 0) continue;
    Volume& volume = volume_at[pools.size - most_idle];
    volume = add(volume, load.volume[k]);
  }
  ElementTerm term;
  Volume left = load.off_path();
  term.no_h = left > load.interfering;
  for (const auto& [busy, volume] : volume_at) {
    const Volume taken = std::min(left, volume);
    if (taken == 0) continue;
    const Volume processors = multiply(busy, pools.count);
    term.amount += quotient(taken, processors);
    term.slope = quotient(1, processors);
    term.filled = add(term.filled, taken);
    left -= taken;
  }
  return term;
}

DagBound theorem2(const System& system, const PreparedDag& dag, Scheduler scheduler,
                  std::span<const std::int64_t> units) {
  DagBound bound;
  bound.total = to_fraction(dag.length);
  for (std::size_t p = 0; p < dag.loads.size(); ++p) {
    const ElementLoad& load = dag.loads[p];
    DagBound::Part part;
    part.pools = pools_of(system.platform.elements[load.element], units[load.element]);
    part.idle = idle_processors(load, dag.totals[p], part.pools.size, scheduler);
    part.term = element_term(load, part.idle, part.pools);
    bound.total += part.term.amount;
    bound.parts.push_back(std::move(part));
  }
  return bound;
}

std::vector<std::int64_t> whole_platform(const System& system) {
  std::vector<std::int64_t> units;
  for (const Element& element : system.platform.elements) units.push_back(element.units);
  return units;
}

}  // namespace tactus::gang
