#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/methods/gang/shares/entry_table.hpp"

/// Federated allocation (Section VI of the paper): exclusive units of every element for every DAG.
namespace tactus::gang {

/// With `units` units, the interference on an element is `term`.
struct Choice {
  std::int64_t units = 0;
  Fraction term;
};

/// With these units of several elements, by element of the platform, length and interference on
/// them together are this large.
struct JointChoice {
  std::vector<std::int64_t> units;
  Fraction amount;
};

/// What one DAG asks for: on every element one of the choices, such that the terms chosen add up to
/// at most `slack`. An element it does not use has no choices and gets 0 units (the printed program
/// forces a unit of every element on every DAG, against Section III-A).
///
/// Moldable gangs change the length, too, so it is not a constant that is added to the terms. With
/// moldable gangs on one element, its choices include the length. With moldable gangs on several,
/// the best entries depend on the units of all of these: they have joint choices instead.
struct Demand {
  TaskIndex task = 0;
  Fraction slack;  ///< D - len(G); D where choices include the length
  /// By element; units ascending and terms strictly descending: a choice that costs more without
  /// interfering less is never needed.
  std::vector<std::vector<Choice>> choices;
  /// If there are any, one of them is taken, too. In lexicographic order; one more unit never makes
  /// the amount larger.
  std::vector<JointChoice> joint = {};

  /// The fewest units of an element among the choices; 0 where it has none.
  std::int64_t fewest_units(std::size_t element) const;
  /// The least that one choice of everything adds up to.
  Fraction least_amount() const;
};

struct AllocationProblem {
  std::vector<std::int64_t> units;  ///< of every element
  std::vector<Demand> demands;
};

/// Units by demand and element.
using Allocation = std::vector<std::vector<std::int64_t>>;

/// A DAG that asks for a share. A moldable one has a table of its entries; `dag` has some entries
/// then, of which its elements without moldable gangs do not depend.
struct Candidate {
  PreparedDag dag;
  std::optional<EntryTable> table = {};

  /// len(G), with the shortest entries of moldable gangs.
  Time least_length() const { return table ? table->least_length : dag.length; }
};

/// The choices of every DAG on this platform. @throws LimitReached for elements with too many units
/// to list.
AllocationProblem make_problem(const System& system, const std::vector<Candidate>& dags,
                               Scheduler scheduler, const std::stop_token& stop = {});

/// Removes choices that no solution can contain: those whose term leaves too little for the least
/// terms on the other elements. Afterwards the first choice is the least a DAG needs of an element.
/// False when some DAG misses its deadline even with the whole platform (its choices are left).
bool drop_useless_choices(AllocationProblem& problem);

/// Why there is no allocation: a DAG that fails alone, an element whose least demands exceed its
/// units, or else that no combination fits; and by how much. @pre there is none.
std::string what_binds(const System& system, const std::vector<Candidate>& dags,
                       const AllocationProblem& problem, std::size_t budget,
                       const std::stop_token& stop = {});

}  // namespace tactus::gang
