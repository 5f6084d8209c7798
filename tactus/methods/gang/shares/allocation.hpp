#pragma once

#include <string>
#include <vector>

#include "tactus/methods/gang/bound/theorem2.hpp"

/// Federated allocation (Section VI of the paper): exclusive units of every element for every DAG.
namespace tactus::gang {

/// So many units make the interference on an element so large.
struct Choice {
  std::int64_t units = 0;
  Fraction term;
};

/// What one DAG asks for: on every element one of the choices, such that the terms chosen add up to
/// at most `slack`. An element it does not use has no choices and gets 0 units (the printed program
/// forces a unit of every element on every DAG, against Section III-A).
struct Demand {
  TaskIndex task = 0;
  Fraction slack;  ///< D - len(G)
  /// By element; units ascending and terms strictly descending: a choice that costs more without
  /// interfering less is never needed.
  std::vector<std::vector<Choice>> choices;
};

struct AllocationProblem {
  std::vector<std::int64_t> units;  ///< of every element
  std::vector<Demand> demands;
};

/// Units by demand and element.
using Allocation = std::vector<std::vector<std::int64_t>>;

/// The choices of every DAG on this platform. @throws LimitReached for elements with too many units
/// to list.
AllocationProblem make_problem(const System& system, const std::vector<PreparedDag>& dags,
                               Scheduler scheduler, const std::stop_token& stop = {});

/// Removes choices that no solution can contain: those whose term leaves too little for the least
/// terms on the other elements. Afterwards the first choice is the least a DAG needs of an element.
/// False when some DAG misses its deadline even with the whole platform (its choices are left).
bool drop_useless_choices(AllocationProblem& problem);

/// Why there is no allocation: a DAG that fails alone, an element whose least demands exceed its
/// units, or else that no combination fits; and by how much. @pre there is none.
std::string what_binds(const System& system, const std::vector<PreparedDag>& dags,
                       const AllocationProblem& problem, std::size_t budget,
                       const std::stop_token& stop = {});

}  // namespace tactus::gang
