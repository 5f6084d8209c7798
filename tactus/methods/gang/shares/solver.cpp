#include "tactus/methods/gang/shares/solver.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/host/module.hpp"
#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/shares/cbc_module.hpp"

namespace tactus::gang {
namespace {

bool has_joint_choices(const AllocationProblem& problem) {
  return std::any_of(problem.demands.begin(), problem.demands.end(),
                     [](const Demand& demand) { return !demand.joint.empty(); });
}

}  // namespace

const AllocationSolver* integer_program_solver(std::string* why) {
  static const Result<void*> loaded = host::load_from_module(kCbcLibrary, kCbcSolver);
  if (loaded) return reinterpret_cast<CbcSolver*>(*loaded)();
  if (why != nullptr) *why = loaded.error().message;
  return nullptr;
}

Solution solve(std::string_view solver, const AllocationProblem& problem, std::size_t budget,
               const std::stop_token& stop) {
  if (solver == "cbc") {
    std::string why;
    const AllocationSolver* program = integer_program_solver(&why);
    if (program == nullptr) {
      throw LimitReached(fmt::format("the integer program needs COIN-OR CBC: {}", why));
    }
    if (has_joint_choices(problem)) {
      throw LimitReached(
          "a task has measured kernels on several elements, which the integer program cannot take; "
          "use --solver pareto");
    }
    return program->solve(problem, budget, stop);
  }
  Solution found = pareto_solver().solve(problem, budget, stop);
  if (found.outcome != Outcome::kBudget || solver == "pareto" || has_joint_choices(problem)) {
    return found;
  }
  const AllocationSolver* program = integer_program_solver();
  return program == nullptr ? found : program->solve(problem, budget, stop);
}

}  // namespace tactus::gang
