#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "tactus/base/file.hpp"
#include "tactus/cli/figure.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/subject.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/cli/without_effect.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/simulation.hpp"
#include "tactus/trace/observed_json.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/script_file.hpp"
#include "tactus/verbs/simulate.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file, plan;
  MethodOptions choice;
  WhatIf what_if;
  std::string scenario = "sync,worst,fifo";
  std::uint64_t seed = 1;
  std::uint32_t jobs = 100;
  std::string duration;
  std::string trace, script, write_script;
  FigureOptions figure;
  bool json = false, gantt = false, late_completions = false;
  const Parser* verb = nullptr;
};

/// The plan of a file, or what the chosen method says; else the exit code, after a complaint.
/// @param why is told which method was taken where none was named
SubjectOrExit subject_of(const Arguments& arguments, const System& system, LongWork& work,
                         std::string& why) {
  if (!arguments.plan.empty()) return plan_of_file(arguments.plan, system);
  Options options = arguments.choice.options();
  options.stop = work.stop_token();
  options.progress = work.progress();
  if (!arguments.choice.given()) {
    const auto choice = verbs::usual_policy(system, options, arguments.choice.variant());
    if (!choice) return complain_of(choice.none());
    options.variant = choice->variant;
    why = verbs::choice_text(*choice);
    return subject_or_complaint(
        verbs::policy_subject({choice->method}, system, shown_name(arguments.file), options));
  }
  const auto methods = arguments.choice.methods();
  if (!methods) return kBadInput;
  return subject_or_complaint(
      verbs::policy_subject(*methods, system, shown_name(arguments.file), options));
}

/// What the run follows: the words of the command line, or a script; nothing after a complaint.
std::optional<trace::Scenario> scenario_of(const Arguments& arguments, const System& system) {
  if (arguments.script.empty()) {
    auto scenario = trace::parse_scenario(arguments.scenario, arguments.seed);
    if (scenario) return std::move(*scenario);
    complain("tactus: " + scenario.error().message);
    return std::nullopt;
  }
  auto text = read_text_file(arguments.script);
  if (!text) {
    complain("tactus: " + text.error().message);
    return std::nullopt;
  }
  auto read = trace::read_script(std::move(*text), shown_name(arguments.script), system);
  if (auto* scenario = std::get_if<trace::Scenario>(&read)) return std::move(*scenario);
  complain_about(arguments.script, std::get<std::vector<Diagnostic>>(read));
  return std::nullopt;
}

int run(const Arguments& arguments) {
  const std::optional<decide::Edited> edited = arguments.what_if.read(arguments.file);
  if (!edited) return kBadInput;
  const System* const system = &edited->system;
  auto scenario = scenario_of(arguments, *system);
  if (!scenario) return kBadInput;
  if (!arguments.plan.empty()) {
    tell_without_effect(*arguments.verb, arguments.choice.names(), "the plan says how it was made");
  }
  tell_idle_seed(*arguments.verb, *scenario);
  if (!arguments.write_script.empty()) {
    scenario->record = std::make_shared<trace::Script>(*system);
  }
  std::optional<LongWork> work(std::in_place);
  std::string why;
  const auto subject = subject_of(arguments, *system, *work, why);
  if (const Exit* exit = std::get_if<Exit>(&subject)) return *exit;
  const Subject& chosen = std::get<Subject>(subject);
  simulate::Until until;
  until.jobs = arguments.jobs;
  if (arguments.late_completions) until.completions = simulate::Seeing::kLate;
  if (scenario->script) until.duration = scenario->script->end;
  if (!arguments.duration.empty()) {
    until.duration = time_argument("duration", arguments.duration, *system);
    if (!until.duration) return kBadInput;
  }
  std::unique_ptr<trace::PerfettoWriter> perfetto;
  if (!arguments.trace.empty()) {
    perfetto = std::make_unique<trace::PerfettoWriter>(*system, arguments.trace);
  }
  const bool draws = arguments.gantt || arguments.figure.given();
  if (!draws && arguments.figure.chooses()) {
    complain("tactus: --window and --around say what --figure and --gantt draw; name one of them");
    return kBadInput;
  }
  auto excerpt = arguments.figure.excerpt(*system, perfetto.get());
  if (!excerpt) return kBadInput;
  trace::TraceSink* const sink = draws ? &*excerpt : static_cast<trace::TraceSink*>(perfetto.get());
  until.stop = work->stop_token();
  auto seen = verbs::simulate(*system, chosen, *scenario, until, sink);
  if (!seen) return complain_of(seen.none());
  trace::Observed& observed = *seen;
  if (!why.empty()) observed.notes.insert(observed.notes.begin(), why);
  if (perfetto) {
    if (const auto problem = perfetto->close()) {
      complain("tactus: " + problem->message);
      return kBadInput;
    }
  }
  work.reset();
  if (!arguments.write_script.empty()) {
    const std::string text = trace::write_script(*system, *observed.scenario);
    if (const auto problem = write_text_file(arguments.write_script, text)) {
      complain("tactus: " + problem->message);
      return kBadInput;
    }
  }
  std::optional<trace::Window> window;
  if (draws) {
    window = arguments.figure.window(*system, observed, *excerpt);
    if (!window) return kBadInput;
  }
  if (arguments.figure.given() && !arguments.figure.draw(*system, observed, *excerpt, *window)) {
    return kBadInput;
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  if (arguments.json) report::note_changes(*edited, observed);
  std::string text = arguments.json ? trace::observed_json(*system, observed)
                                    : changes_text(*edited, style) +
                                          report::simulation_text(*system, observed, style);
  if (arguments.gantt) {
    text += '\n' + report::trace_gantt(excerpt->trace(), *system, *window, style);
  }
  if (!emit(text)) return kBadInput;
  if (!observed.cut_short.empty()) {
    complain("tactus: the simulation ended early: " + observed.cut_short);
  }
  return verbs::exit_of(observed);
}

}  // namespace

void add_simulate(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("simulate", "Run a system under the policy behind a method");
  auto arguments = std::make_shared<Arguments>();
  arguments->verb = verb;
  verb->add_option("FILE", arguments->file, "System file; - is standard input")->required();
  arguments->choice.add_to(*verb, "", "-p,--policy,-m,--method");
  arguments->what_if.add_to(*verb);
  verb->add_option("--plan", arguments->plan,
                   "Run this plan with the policy of its method, and compare with its bounds")
      ->type_name("PLAN")
      ->excludes(verb->get_option("--policy"));
  verb->add_option(
          "--scenario", arguments->scenario,
          "When jobs arrive (sync, offsets, random, sporadic, burst), how long they take "
          "(worst, uniform, early), how ties break (fifo, lifo, shuffled, latest), how late "
          "jobs are within their jitter (jitter-none, jitter-uniform, jitter-late, "
          "jitter-burst), and whether gangs are preempted (preemptive)")
      ->capture_default_str();
  verb->add_option("--seed", arguments->seed, "Of everything random")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_flag(
      "--late-completions", arguments->late_completions,
      "The arbiter of gcaps.boost sees that GPU work is done late, by as much as its costs "
      "allow");
  auto* jobs =
      verb->add_option(
              "--jobs", arguments->jobs,
              "Until the slowest task has had this many jobs; every task releases until the end")
          ->capture_default_str()
          ->check(whole_number(1));
  verb->add_option("--duration", arguments->duration, "Or simulate this long, in the file's unit")
      ->check(decimal_number())
      ->excludes(jobs);
  verb->add_option("--script", arguments->script,
                   "Replay this script: exact releases and execution times, job by job; the run "
                   "ends where it says, or when its jobs have ended")
      ->type_name("FILE")
      ->excludes(verb->get_option("--scenario"))
      ->excludes(verb->get_option("--seed"))
      ->excludes(jobs);
  verb->add_option("--write-script", arguments->write_script,
                   "Write the script of this run, for --script")
      ->type_name("FILE");
  verb->add_option("--trace", arguments->trace, "Write a Chrome/Perfetto trace")->type_name("FILE");
  auto* gantt =
      verb->add_flag("--gantt", arguments->gantt, "Draw the first jobs, or the --window, as text");
  arguments->figure.add_to(*verb);
  verb->add_flag("--json", arguments->json, "As JSON")->excludes(gantt);
  verb->footer(
      "Without --policy: the method that the file deploys, else the best that can be simulated.\n"
      "Exit code 0: no deadline was missed and no bound exceeded; 1: one was; 2: bad input or a "
      "plan\nthat does not hold; 3: nothing to simulate.\n"
      "Examples:\n"
      "  tactus simulate robot.system.json --policy gcaps.suspend --gantt\n"
      "  tactus simulate robot.system.json --policy tsg-rr.busy --scenario sporadic,early --seed "
      "7\n"
      "  tactus simulate robot.system.json --policy mpcp.suspend --trace robot.trace.json\n"
      "  tactus simulate robot.system.json --policy gcaps.suspend --figure robot.pdf --around "
      "camera#1\n"
      "  tactus simulate robot.system.json --plan robot.plan.json\n"
      "  tactus simulate robot.system.json --policy gcaps.suspend --script robot.script.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
