#pragma once

#include <map>
#include <optional>

#include "tactus/methods/gang/bound/theorem2.hpp"

namespace tactus::gang {

/// Theorem 2 of a task with moldable gangs, for one choice of entries after the other. With chosen
/// entries every gang is rigid and the theorem holds; but all must be computed again: one entry
/// changes the length, the volumes and Delta of every node that it can interfere with. What depends
/// on the graph alone is kept, and Delta is computed only when a term is asked for.
///
///     EntryBound bound(system, task, scheduler, {});
///     bound.set(entries);
///     total = bound.length() + bound.term(0, 8);   // 8 units of bound.elements()[0]
class EntryBound {
 public:
  /// Thrown by `term` when exact Delta needs more sets than its budget allows.
  struct ExactDeltaExceeded {};

  EntryBound(const System& system, const GangTask& task, Scheduler scheduler,
             const DeltaChoice& delta);

  /// The elements with moldable gangs; the terms of all others are the same for all entries.
  const std::vector<ElementIndex>& elements() const { return elements_; }

  void set(const Entries& entries);

  // With the entries set last; `p` is a place in `elements`.

  Time length() const { return length_; }
  /// The interference on an element. @pre every gang fits into this many units.
  const Fraction& term(std::size_t p, std::int64_t units);
  /// A lower bound of that term: all its volume on all the units. Cheap.
  Fraction least_term(std::size_t p, std::int64_t units) const;

 private:
  struct Part {
    ElementLoad load;
    std::vector<NodeIndex> moldable;     ///< pieces
    std::vector<std::uint32_t> entries;  ///< theirs
    std::optional<Totals> totals;
    std::map<std::int64_t, Fraction> terms;  ///< by units, as far as asked for
  };

  const System& system_;
  const GangTask& task_;
  Scheduler scheduler_;
  DeltaChoice delta_;
  GangDag dag_;
  Time length_;
  std::vector<ElementIndex> elements_;
  std::vector<Part> parts_;  ///< as `elements_`
};

}  // namespace tactus::gang
