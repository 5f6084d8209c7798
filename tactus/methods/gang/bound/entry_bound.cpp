#include "tactus/methods/gang/bound/entry_bound.hpp"

#include <algorithm>

namespace tactus::gang {

EntryBound::EntryBound(const System& system, const GangTask& task, Scheduler scheduler,
                       const DeltaChoice& delta)
    : system_(system), task_(task), scheduler_(scheduler), delta_(delta), dag_(make_dag(task)) {
  length_ = length_of(dag_);
  for (ElementLoad& load : loads_of(dag_)) {
    Part part;
    for (const NodeIndex node : load.nodes) {
      const NodeIndex piece = dag_.nodes[node].pieces.front();
      if (task.pieces[piece].moldable) part.moldable.push_back(piece);
    }
    if (part.moldable.empty()) continue;
    part.entries.resize(part.moldable.size());
    elements_.push_back(load.element);
    part.load = std::move(load);
    parts_.push_back(std::move(part));
  }
}

void EntryBound::set(const Entries& entries) {
  set_entries(dag_, task_, entries);
  length_ = length_of(dag_);
  for (Part& part : parts_) {
    bool changed = false;
    for (std::size_t i = 0; i < part.moldable.size(); ++i) {
      const std::uint32_t entry = entries[part.moldable[i]];
      changed = changed || part.entries[i] != entry;
      part.entries[i] = entry;
    }
    if (!changed) continue;
    weigh_again(part.load, dag_);
    part.totals.reset();
    part.terms.clear();
  }
}

const Fraction& EntryBound::term(std::size_t p, std::int64_t units) {
  Part& part = parts_[p];
  const auto [known, is_new] = part.terms.try_emplace(units);
  if (!is_new) return known->second;
  if (!part.totals) {
    part.totals = totals_of(system_, part.load, delta_, Serves::kAllPools);
    if (!part.totals) throw ExactDeltaExceeded{};
  }
  const Pools pools = pools_of(system_.platform.elements[elements_[p]], units);
  known->second =
      element_term(part.load, idle_processors(part.load, *part.totals, pools.size, scheduler_),
                   pools)
          .amount;
  return known->second;
}

Fraction EntryBound::least_term(std::size_t p, std::int64_t units) const {
  const ElementLoad& load = parts_[p].load;
  return quotient(std::min(load.off_path(), load.interfering), units);
}

}  // namespace tactus::gang
