#include "tactus/methods/gang/shares/solver.hpp"

#include "tactus/methods/gang/limits.hpp"

namespace tactus::gang {

Solution solve(std::string_view solver, const AllocationProblem& problem, std::size_t budget,
               const std::stop_token& stop) {
  const AllocationSolver* program = integer_program_solver();
  if (solver == "cbc") {
    if (program == nullptr) throw LimitReached("this build has no integer programming solver");
    return program->solve(problem, budget, stop);
  }
  const Solution found = pareto_solver().solve(problem, budget, stop);
  if (found.outcome != Outcome::kBudget || solver == "pareto" || program == nullptr) return found;
  return program->solve(problem, budget, stop);
}

}  // namespace tactus::gang
