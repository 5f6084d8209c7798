#include "tactus/verbs/simulate.hpp"

#include <fmt/core.h>

#include "tactus/base/decimal.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/simulate/registry.hpp"
#include "tactus/trace/script.hpp"

namespace tactus::verbs {

Answer<Subject> policy_subject(const Methods& methods, const System& system,
                               const std::string& file, const Options& options) {
  if (methods.size() != 1) {
    return NoAnswer::bad_input("--policy must name one method, whose policy is then simulated");
  }
  const Method& method = *methods.front();
  if (const auto policy = simulate::find_policy(method); !policy) {
    return NoAnswer::unknown(policy.error().message);
  }
  auto verdict = analyzed(method, system, options);
  if (!verdict) return verdict.none();
  if (options.stop.stop_requested()) {
    return NoAnswer::unknown("interrupted before the simulation began");
  }
  if (verdict->status == Status::kNotApplicable) return obstacles_of(*verdict, file);
  return Subject{&method, std::move(*verdict)};
}

Answer<decide::Choice> usual_policy(const System& system, const Options& options,
                                    const std::optional<std::string>& variant) {
  return choose_one({}, system, options, variant, [](const Method& method) {
    return static_cast<bool>(simulate::find_policy(method));
  });
}

std::string nobody_sees_completions(const Method& method) {
  return fmt::format("{} has no arbiter that looks for completions and could see them late",
                     method.id);
}

Answer<Time> time_of(std::string_view option, std::string_view text, const System& system) {
  const auto time = parse_scaled(text, decimal_places(system.time_unit), Rounding::kUp);
  if (time && time->value > 0) return Time::from_ns(time->value);
  return NoAnswer::bad_input(fmt::format("--{} must be a time > 0 below 2^63 ns", option));
}

Answer<trace::Observed> simulate(const System& system, const Subject& subject,
                                 const trace::Scenario& scenario, const simulate::Until& until,
                                 trace::TraceSink* sink) {
  const auto behind = simulate::find_policy(*subject.method);
  if (!behind) return NoAnswer::unknown(behind.error().message);
  if (until.completions != simulate::Seeing::kAtOnce && !behind->entry->sees_completions) {
    return NoAnswer::bad_input(nobody_sees_completions(*subject.method));
  }
  const auto policy = behind->make(system, subject.verdict);
  if (!policy) return NoAnswer::unknown(policy.error().message);
  const trace::Script* const script = scenario.script.get();
  const auto refuse = [](const trace::BadScript& bad, const std::string& name) {
    return NoAnswer{kBadInput, {{bad.what(), name, bad.at}}};
  };
  if (script != nullptr && subject.method->behaviour.fixes_releases) {
    if (const auto bad = script->not_periodic()) return refuse(*bad, script->name);
  }
  trace::Observed observed;
  simulate::Until checked = until;
  checked.audit = until.audit || is_own_policy(*behind->entry);
  try {
    observed = simulate::run(system, **policy, behind->admit(scenario), checked, sink);
  } catch (const trace::BadScript& bad) {
    return refuse(bad, script != nullptr ? script->name : "");
  }
  hold_to(subject.verdict, observed);
  if (script != nullptr) {
    if (const auto bad = script->left_over()) return refuse(*bad, script->name);
    observed.notes.push_back(
        fmt::format("releases and execution times are those of {}", quote(script->name)));
  }
  if (!observed.broken_rule.empty()) {
    return NoAnswer::unknown(
        fmt::format("the simulated policy broke a rule of the engine: {}", observed.broken_rule));
  }
  return observed;
}

Exit exit_of(const trace::Observed& observed) {
  if (!observed.good()) return kNo;
  return observed.cut_short.empty() ? kYes : kUnknown;
}

}  // namespace tactus::verbs
