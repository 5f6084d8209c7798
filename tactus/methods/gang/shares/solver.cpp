#include "tactus/methods/gang/shares/solver.hpp"

#include <algorithm>

#include "tactus/methods/gang/limits.hpp"

namespace tactus::gang {
namespace {

bool has_joint_choices(const AllocationProblem& problem) {
  return std::any_of(problem.demands.begin(), problem.demands.end(),
                     [](const Demand& demand) { return !demand.joint.empty(); });
}

}  // namespace

Solution solve(std::string_view solver, const AllocationProblem& problem, std::size_t budget,
               const std::stop_token& stop) {
  const AllocationSolver* program = integer_program_solver();
  if (solver == "cbc") {
    if (program == nullptr) throw LimitReached("this build has no integer programming solver");
    if (has_joint_choices(problem)) {
      throw LimitReached(
          "a task has measured kernels on several elements, which the integer program cannot take; "
          "use --solver pareto");
    }
    return program->solve(problem, budget, stop);
  }
  const Solution found = pareto_solver().solve(problem, budget, stop);
  if (found.outcome != Outcome::kBudget || solver == "pareto" || program == nullptr ||
      has_joint_choices(problem)) {
    return found;
  }
  return program->solve(problem, budget, stop);
}

}  // namespace tactus::gang
