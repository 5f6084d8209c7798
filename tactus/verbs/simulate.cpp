#include "tactus/verbs/simulate.hpp"

#include <fmt/core.h>

#include <memory>
#include <optional>

#include "tactus/base/decimal.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"
#include "tactus/trace/observed_json.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/script_file.hpp"
#include "tactus/verbs/slack.hpp"
#include "tactus/verbs/subject.hpp"

namespace tactus::verbs {
namespace {

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

}  // namespace

std::string nobody_sees_completions(const Method& method) {
  return fmt::format("{} has no arbiter that looks for completions and could see them late",
                     method.id);
}

Answer<Time> time_of(std::string_view option, std::string_view text, const System& system) {
  const auto time = parse_scaled(text, decimal_places(system.time_unit), Rounding::kUp);
  if (time && time->value > 0) return Time::from_ns(time->value);
  return NoAnswer::bad_input(fmt::format("--{} must be a time > 0 below 2^63 ns", option));
}

namespace {

/// Simulates the policy behind the subject, which fixes parts of the scenario, and holds what is seen
/// to its bounds.
Answer<trace::Observed> simulated(const System& system, const Subject& subject,
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

/// The plan, or what the chosen method says. @param why is told which one was taken where none was
/// named
Answer<Subject> subject_of(const SimulateQuestion& question, const System& system,
                           const Companion& companion, std::string& why) {
  if (question.plan.given()) return plan_in(question.plan, system);
  const MethodChoice& choice = question.choice;
  Options options = choice.with(companion);
  if (!choice.named()) {
    const auto usual = choose_one(
        {}, system, question.about.name(), options, choice.variant,
        [](const Method& method) { return static_cast<bool>(simulate::find_policy(method)); });
    if (!usual) return usual.none();
    options.variant = usual->variant;
    why = choice_text(*usual);
    return policy_subject({usual->method}, system, question.about.name(), options);
  }
  const auto methods = choice.methods();
  if (!methods) return methods.none();
  return policy_subject(*methods, system, question.about.name(), options);
}

/// What the run follows: words, or a script.
Answer<trace::Scenario> scenario_of(const SimulateQuestion& question, const System& system) {
  if (!question.script.given()) {
    auto scenario = trace::parse_scenario(question.scenario, question.seed);
    if (scenario) return std::move(*scenario);
    return NoAnswer::bad_input(scenario.error().message);
  }
  if (question.script.problem) return NoAnswer::bad_input(question.script.problem->message);
  auto read = trace::read_script(question.script.text, question.script.name, system);
  if (read) return std::move(*read);
  return NoAnswer{kBadInput, problems_of(read.error(), question.script.name)};
}

}  // namespace

void describe_policy(MethodChoice& choice, Document& plan, Fields& is) {
  choice.takes_alias = true;
  describe(choice, is, false);
  for (AskedField& field : is.all()) {
    if (field.key == "method") field.also("policy").excludes({"plan"});
  }
  is("plan", plan, "Run this plan; by default it is made now").shows("PLAN");
}

void describe(SimulateQuestion& question, Fields& is) {
  describe(question.about, is);
  describe_policy(question.choice, question.plan, is);
  is("scenario", question.scenario,
     "When jobs arrive (sync, offsets, random, sporadic, burst), how long they take (worst, "
     "uniform, early), how ties break (fifo, lifo, shuffled, latest), how late jobs are within "
     "their jitter (jitter-none, jitter-uniform, jitter-late, jitter-burst), and whether gangs are "
     "preempted (preemptive)");
  is("seed", question.seed, "Of everything random");
  is("late_completions", question.late_completions,
     "The arbiter of gcaps.boost sees that GPU work is done late, by as much as its costs allow");
  is("jobs", question.jobs,
     "Until the slowest task has had this many jobs; every task releases until the end")
      .range(1);
  is("duration", question.duration, "Or simulate this long, in the file's unit")
      .decimal()
      .formerly("horizon")
      .excludes({"jobs"});
  is("script", question.script,
     "Replay this script: exact releases and execution times, job by job; the run ends where it "
     "says, or when its jobs have ended")
      .shows("FILE")
      .excludes({"scenario", "seed", "jobs"});
  is("trace", question.trace, "Write a Chrome/Perfetto trace").shows("FILE");
}

Exit Simulated::exit() const { return exit_of(observed); }

std::string Simulated::json() const {
  trace::Observed told = observed;
  report::note_changes(*edited, told);
  return trace::observed_json(edited->system, told);
}

Answer<Simulated> answer(const SimulateQuestion& question, const Companion& companion) {
  auto read = question.about.edited(companion);
  if (!read) return read.none();
  const auto edited = std::make_shared<const decide::Edited>(std::move(*read));
  const System& system = edited->system;
  auto scenario = scenario_of(question, system);
  if (!scenario) return scenario.none();
  if (question.plan.given()) {
    question.choice.tell_idle(companion, *question.fields, "the plan says how it was made");
  }
  if (!is_random(*scenario)) {
    tell_without_effect(companion, *question.fields, {"seed"},
                        fmt::format("nothing is random in {}", to_string(*scenario)));
  }
  if (question.record) scenario->record = std::make_shared<trace::Script>(system);
  simulate::Until until;
  until.jobs = question.jobs;
  until.stop = companion.stop;
  if (question.late_completions) until.completions = simulate::Seeing::kLate;
  if (scenario->script) until.duration = scenario->script->end;
  if (!question.duration.empty()) {
    const auto time = time_of("duration", question.duration, system);
    if (!time) return time.none();
    until.duration = *time;
  }
  std::string why;
  const auto subject = subject_of(question, system, companion, why);
  if (!subject) return subject.none();
  std::optional<trace::PerfettoWriter> perfetto;
  if (!question.trace.empty()) perfetto.emplace(system, question.trace);
  trace::TraceSink* sink = perfetto ? &*perfetto : nullptr;
  if (question.watch) {
    const auto watching = question.watch(system, sink);
    if (!watching) return watching.none();
    sink = *watching;
  }
  auto seen = simulated(system, *subject, *scenario, until, sink);
  if (question.ended) question.ended();
  if (!seen) return seen.none();
  if (perfetto) {
    if (const auto problem = perfetto->close()) return NoAnswer::bad_input(problem->message);
  }
  if (!why.empty()) seen->notes.insert(seen->notes.begin(), why);
  return Simulated{edited, std::move(*seen)};
}

bool is_random(const trace::Scenario& scenario) {
  const bool fixed_releases = scenario.releases == trace::Releases::kSynchronous ||
                              scenario.releases == trace::Releases::kOffsets;
  return !fixed_releases || scenario.lengths != trace::Lengths::kWorst ||
         scenario.order == trace::Order::kRandom;
}

Exit exit_of(const trace::Observed& observed) {
  if (!observed.good()) return kNo;
  return observed.cut_short.empty() ? kYes : kUnknown;
}

}  // namespace tactus::verbs
