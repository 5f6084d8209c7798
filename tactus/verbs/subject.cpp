#include "tactus/verbs/subject.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tactus::verbs {

NoAnswer obstacles_of(const Verdict& verdict, const std::string& file) {
  constexpr std::size_t kMost = 50;
  NoAnswer none{kUnknown, {}};
  const auto tell = [&](Position at, std::string_view reason) {
    none.problems.push_back(
        {fmt::format("{} does not apply: {}", verdict.method, reason), file, at});
  };
  if (verdict.obstacles.empty()) tell(verdict.at, verdict.reason);
  const std::size_t told = std::min(kMost, verdict.obstacles.size());
  for (std::size_t i = 0; i < told; ++i) tell(verdict.obstacles[i].at, verdict.obstacles[i].reason);
  const std::size_t more = verdict.obstacles.size() - told + verdict.more_obstacles;
  if (more > 0) {
    none.problems.push_back({fmt::format("and {} more; `tactus analyze --json` lists them", more)});
  }
  return none;
}

Answer<Subject> plan_made_now(const Methods& methods, const System& system, const std::string& file,
                              const Options& options) {
  const Method& method = *methods.front();
  if (methods.size() != 1 || !method.makes_plan) {
    return NoAnswer::bad_input(fmt::format(
        "{}; `tactus methods` lists them",
        methods.size() == 1 ? fmt::format("{} makes no plans, other methods do", method.id)
                            : "--method must name one method that makes a plan"));
  }
  auto made = analyzed(method, system, options);
  if (!made) return made.none();
  if (made->plan) return Subject{&method, std::move(*made)};
  if (made->status == Status::kNotApplicable) return obstacles_of(*made, file);
  const Exit exit = made->status == Status::kSchedulable ? kUnknown : exit_of(made->status);
  return NoAnswer{exit,
                  {{fmt::format("{} makes no plan: {}{}{}", method.id, to_string(made->status),
                                made->reason.empty() ? "" : ": ", made->reason)}}};
}

namespace {

NoAnswer no_plan(const Document& plan) {
  return NoAnswer::bad_input(plan.given() ? plan.problem->message
                                          : std::string("there is no plan"));
}

}  // namespace

Answer<PlanFile> plan_file(const Document& plan, const System& system) {
  if (plan.problem || !plan.given()) return no_plan(plan);
  Result<PlanFile> file = read_plan_file(plan.text, plan.name, system);
  if (file) return std::move(*file);
  return NoAnswer::bad_input(file.error(), plan.name);
}

Answer<Subject> plan_in(const Document& plan, const System& system) {
  if (plan.problem || !plan.given()) return no_plan(plan);
  Result<LoadedPlan> loaded = usable_plan(plan.text, plan.name, system);
  if (!loaded) return NoAnswer::bad_input(loaded.error(), plan.name);
  return Subject{loaded->method, std::move(loaded->verdict)};
}

}  // namespace tactus::verbs
