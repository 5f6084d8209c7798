#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "tactus/base/file.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/subject.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/cli/without_effect.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/plan.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file;
  MethodOptions choice;
  WhatIf what_if;
  std::string output, dot, check;
  bool json = false;
  const Parser* verb = nullptr;
};

bool save(const std::string& path, std::string_view text) {
  const std::optional<Error> problem = write_text_file(path, text);
  if (problem) complain("tactus: " + problem->message);
  return !problem;
}

int make(const Arguments& arguments, const decide::Edited& edited) {
  const System& system = edited.system;
  std::string why;
  const SubjectOrExit made = plan_made_now(
      arguments.choice, arguments.file, system,
      [](const Method& method) { return method.makes_plan; }, why);
  if (const Exit* exit = std::get_if<Exit>(&made)) return *exit;
  const auto& [method, verdict] = std::get<Subject>(made);
  const std::string json = report::plan_json(system, verdict);
  const bool to_be_run = verdict.status != Status::kUnschedulable;
  if (!arguments.output.empty() && !to_be_run) {
    complain(fmt::format("tactus: {} is not written: {} does not prove every deadline with it",
                         arguments.output, method->id));
  }
  if (!arguments.output.empty() && to_be_run && !save(arguments.output, json)) return kBadInput;
  if (!arguments.dot.empty()) {
    const std::string dot = verdict.plan->dot(system);
    if (dot.empty()) {
      complain(fmt::format("tactus: a plan of {} has no graph", method->id));
      return kBadInput;
    }
    if (!save(arguments.dot, dot)) return kBadInput;
  }
  // A plan is a file of its own, in which nothing else has a place.
  if (arguments.json && !why.empty()) complain("tactus: " + why);
  if (arguments.json) {
    for (const decide::Change& change : edited.changes) complain("changed: " + to_string(change));
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text = arguments.json
                               ? json
                               : changes_text(edited, style) + (why.empty() ? "" : why + '\n') +
                                     report::plan_text(system, verdict, style);
  return emit(text) ? verbs::exit_of(verdict.status) : kBadInput;
}

int check(const Arguments& arguments, const decide::Edited& edited) {
  tell_without_effect(*arguments.verb, arguments.choice.names(), "the plan says how it was made");
  tell_without_effect(*arguments.verb, {"--output", "--dot"}, "a check writes no plan");
  Result<std::string> text = read_text_file(arguments.check);
  if (!text) {
    complain("tactus: " + text.error().message);
    return kBadInput;
  }
  const std::string name = shown_name(arguments.check);
  const auto file = verbs::plan_file(std::move(*text), name, edited.system);
  if (!file) return complain_of(file.none());
  const std::string out = arguments.json
                              ? report::plan_check_json(edited.system, *file, edited.changes)
                              : changes_text(edited, report::Style::of(STDOUT_FILENO)) +
                                    report::plan_check_text(name, *file);
  if (!emit(out)) return kBadInput;
  return file->failures.empty() ? kYes : kNo;
}

int run(const Arguments& arguments) {
  const std::optional<decide::Edited> edited = arguments.what_if.read(arguments.file);
  if (!edited) return kBadInput;
  return arguments.check.empty() ? make(arguments, *edited) : check(arguments, *edited);
}

}  // namespace

void add_plan(Parser& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("plan", "Make the plan that achieves the deadlines, or check one");
  auto arguments = std::make_shared<Arguments>();
  arguments->verb = verb;
  verb->add_option("FILE", arguments->file, "System file; - is standard input")->required();
  arguments->choice.add_to(*verb, "");
  arguments->what_if.add_to(*verb);
  auto* method = verb->get_option("--method");
  verb->add_option("-o,--output", arguments->output, "Write the plan (*.plan.json)")
      ->type_name("FILE");
  verb->add_option("--dot", arguments->dot, "Write the plan as a Graphviz graph")
      ->type_name("FILE");
  verb->add_flag("--json", arguments->json, "Print the plan, or what a check found, as JSON");
  verb->add_option("--check", arguments->check,
                   "Check this plan against FILE with code independent of the planner")
      ->type_name("PLAN")
      ->excludes(method);
  verb->footer(
      "Without --method: the method that the file deploys, else the best that makes plans.\n"
      "Exit code 0: made, and every deadline holds (or: every condition holds); 1: a deadline or "
      "a\n"
      "condition does not; 2: bad input; 3: undecided or not applicable.\n"
      "Examples:\n"
      "  tactus plan robot.system.json --method gcaps.suspend.prio -o robot.plan.json\n"
      "  tactus plan robot.system.json --check robot.plan.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
