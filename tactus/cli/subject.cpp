#include "tactus/cli/subject.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/methods/plan_file.hpp"
#include "tactus/model/decimal.hpp"

namespace tactus::cli {

SubjectOrExit plan_of_file(const std::string& path, const System& system) {
  Result<LoadedPlan> loaded = load_plan(path, system);
  if (loaded) return Subject{loaded->method, std::move(loaded->verdict)};
  // Problems inside the file begin with its name; others get our name.
  const std::string& message = loaded.error().message;
  complain(message.starts_with(path) ? message : "tactus: " + message);
  return kBadInput;
}

Exit complain_of_obstacles(const std::string& file, const Verdict& verdict) {
  constexpr std::size_t kMost = 50;
  const auto tell = [&](Position at, std::string_view reason) {
    complain(to_string(Diagnostic{Severity::kError, at,
                                  fmt::format("{} does not apply: {}", verdict.method, reason)},
                       shown_name(file)));
  };
  if (verdict.obstacles.empty()) tell(verdict.at, verdict.reason);
  const std::size_t told = std::min(kMost, verdict.obstacles.size());
  for (std::size_t i = 0; i < told; ++i) tell(verdict.obstacles[i].at, verdict.obstacles[i].reason);
  const std::size_t more = verdict.obstacles.size() - told + verdict.more_obstacles;
  if (more > 0)
    complain(fmt::format("tactus: and {} more; `tactus analyze --json` lists them", more));
  return kUnknown;
}

SubjectOrExit plan_made_now(const MethodOptions& choice, const std::string& file,
                            const System& system) {
  const auto methods = choice.methods();
  if (!methods) return kBadInput;
  const Method& method = *methods->front();
  if (methods->size() != 1 || !method.makes_plan) {
    complain(fmt::format("tactus: {}; `tactus methods` lists them",
                         methods->size() == 1
                             ? fmt::format("{} makes no plans, other methods do", method.id)
                             : "--method must name one method that makes a plan"));
    return kBadInput;
  }
  std::optional<Verdict> made;
  {
    LongWork work;
    Options options = choice.options();
    options.stop = work.stop_token();
    options.progress = work.progress();
    made = MethodOptions::analyzed(method, system, options);
  }
  if (!made) return kBadInput;
  Verdict& verdict = *made;
  if (verdict.plan) return Subject{&method, std::move(verdict)};
  if (verdict.status == Status::kNotApplicable) return complain_of_obstacles(file, verdict);
  complain(fmt::format("tactus: {} makes no plan: {}{}{}", method.id, to_string(verdict.status),
                       verdict.reason.empty() ? "" : ": ", verdict.reason));
  return verdict.status == Status::kSchedulable ? kUnknown : exit_code_of(verdict.status);
}

Exit exit_code_of(Status status) {
  switch (status) {
    case Status::kSchedulable:
      return kYes;
    case Status::kUnschedulable:
      return kNo;
    default:
      return kUnknown;
  }
}

std::optional<Time> time_argument(std::string_view option, std::string_view text,
                                  const System& system) {
  const auto time = parse_scaled(text, decimal_places(system.time_unit), Rounding::kUp);
  if (time && time->value > 0) return Time::from_ns(time->value);
  complain(fmt::format("tactus: --{} must be a time > 0 below 2^63 ns", option));
  return std::nullopt;
}

}  // namespace tactus::cli
