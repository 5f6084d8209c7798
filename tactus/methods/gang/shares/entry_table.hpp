#pragma once

#include "tactus/methods/gang/bound/entry_bound.hpp"

/// Moldable gangs: which entry of its `times` every node gets, for every share of its task.
namespace tactus::gang {

/// If a share allows more combinations of entries than this, not all are tried.
inline constexpr std::size_t kMostCombinations = 4096;

/// For every share of the elements with moldable gangs, the entries that were found best, and the
/// part of the bound that depends on them. The amounts never rise with one more unit.
struct EntryTable {
  struct Row {
    std::vector<std::int64_t> units;  ///< as `elements`
    Fraction amount;                  ///< len(G) and the terms on `elements`
    Entries entries;
  };
  std::vector<ElementIndex> elements;
  std::vector<Row> rows;     ///< in lexicographic order of `units`
  bool complete = true;      ///< every combination of entries was tried for every row
  bool exact_delta = false;  ///< Delta by Eq. 3, as asked for, and within its budget
  Time least_length;         ///< len(G) with every node's shortest entry

  /// The row for a share, units by element of the platform. @pre there is one.
  const Row& row(std::span<const std::int64_t> share) const;
};

enum class Shares {
  kAll,
  kWholePlatform,  ///< this one, and others only if they are needed to judge it
};

/// Tries all combinations of entries for a share that allows at most `kMostCombinations`. Otherwise
/// it starts from the fastest entries and from the entries for one unit less and improves them,
/// node after node, as long as the bound falls. `steps`: the most bounds to evaluate; when they are
/// used up, the entries for one unit less are kept. @pre the task is moldable.
EntryTable make_entry_table(const System& system, const GangTask& task, Scheduler scheduler,
                            const DeltaChoice& delta, std::size_t steps, Shares shares);

}  // namespace tactus::gang
