#pragma once

#include <string>
#include <string_view>

#include "tactus/methods/gang/shares/allocation.hpp"

/// Exact solvers of the allocation: the fewest units in all; among those the lexicographically
/// smallest allocation (tasks, then elements, in the order of the file), so that every solver gives
/// the same plan.
namespace tactus::gang {

enum class Outcome {
  kFound,
  kInfeasible,  ///< proved: there is none
  kBudget,      ///< neither found nor refuted within the budget
};

struct Solution {
  Outcome outcome = Outcome::kBudget;
  Allocation allocation = {};  ///< when found
};

class AllocationSolver {
 public:
  virtual ~AllocationSolver() = default;
  /// `budget` limits the steps of the search; what a step is depends on the solver.
  /// @pre `drop_useless_choices(problem)` was true.
  virtual Solution solve(const AllocationProblem& problem, std::size_t budget,
                         const std::stop_token& stop) const = 0;
};

/// Pareto-minimal shares, graph by graph. Fast if few elements are scarce.
const AllocationSolver& pareto_solver();

/// The paper's integer program on COIN-OR CBC, for problems without joint choices. It is loaded at the
/// first call. Null where it is not to be found; `why` is then told the reason.
const AllocationSolver* integer_program_solver(std::string* why = nullptr);

/// By name: "pareto", "cbc", or "auto": the Pareto search, which is the faster one on every system
/// measured, and the integer program where the search exceeds its budget.
Solution solve(std::string_view solver, const AllocationProblem& problem, std::size_t budget,
               const std::stop_token& stop);

}  // namespace tactus::gang
