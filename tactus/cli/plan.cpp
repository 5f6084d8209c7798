#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/file.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/plan.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file;
  MethodOptions choice;
  std::string output, dot, check;
  bool json = false;
};

int exit_code_of(Status status) {
  switch (status) {
    case Status::kSchedulable:
      return kYes;
    case Status::kUnschedulable:
      return kNo;
    default:
      return kUnknown;
  }
}

bool save(const std::string& path, std::string_view text) {
  const std::optional<Error> problem = write_text_file(path, text);
  if (problem) complain("tactus: " + problem->message);
  return !problem;
}

int make(const Arguments& arguments, const System& system) {
  if (!arguments.choice.given()) {
    complain("tactus: plan needs --method (to make a plan) or --check (to check one)");
    return kBadInput;
  }
  const auto methods = arguments.choice.methods();
  if (!methods) return kBadInput;
  if (methods->size() != 1 || !methods->front()->makes_plan) {
    complain(
        "tactus: --method must name one method that makes a plan; `tactus methods` lists them");
    return kBadInput;
  }
  const Method& method = *methods->front();
  Verdict verdict;
  {
    LongWork work;
    Options options = arguments.choice.options();
    options.stop = work.stop_token();
    options.progress = work.progress();
    verdict = analyze(method, system, options);
  }
  if (!verdict.plan) {
    complain(fmt::format("tactus: {} makes no plan: {}{}{}", method.id, to_string(verdict.status),
                         verdict.reason.empty() ? "" : ": ", verdict.reason));
    return verdict.status == Status::kSchedulable ? kUnknown : exit_code_of(verdict.status);
  }
  const std::string json = report::plan_json(system, verdict);
  if (!arguments.output.empty() && !save(arguments.output, json)) return kBadInput;
  if (!arguments.dot.empty()) {
    const std::string dot = verdict.plan->dot(system);
    if (dot.empty()) {
      complain(fmt::format("tactus: a plan of {} has no graph", method.id));
      return kBadInput;
    }
    if (!save(arguments.dot, dot)) return kBadInput;
  }
  const std::string text =
      arguments.json ? json : report::plan_text(system, verdict, report::Style::of(STDOUT_FILENO));
  return emit(text) ? exit_code_of(verdict.status) : kBadInput;
}

int check(const Arguments& arguments, const System& system) {
  const Result<std::string> text = read_text_file(arguments.check);
  if (!text) {
    complain("tactus: " + text.error().message);
    return kBadInput;
  }
  const auto parsed = json::Document::parse(*text);
  if (const auto* problem = std::get_if<Diagnostic>(&parsed)) {
    complain(to_string(*problem, arguments.check));
    return kBadInput;
  }
  const Result<const Method*> maker = plan_maker(std::get<json::Document>(parsed).root(), system);
  if (!maker) {
    complain(fmt::format("{}: {}", arguments.check, maker.error().message));
    return kBadInput;
  }
  if ((*maker)->check_plan == nullptr) {
    complain(fmt::format("tactus: plans of {} cannot be checked on their own", (*maker)->id));
    return kUnknown;
  }
  const auto failures = (*maker)->check_plan(system, std::get<json::Document>(parsed).root());
  std::string out;
  for (const std::string& failure : failures) {
    out += fmt::format("{}: {}\n", arguments.check, failure);
  }
  if (failures.empty()) out = fmt::format("{}: every condition holds\n", arguments.check);
  if (!emit(out)) return kBadInput;
  return failures.empty() ? kYes : kNo;
}

int run(const Arguments& arguments) {
  const std::optional<System> system = load_system(arguments.file);
  if (!system) return kBadInput;
  return arguments.check.empty() ? make(arguments, *system) : check(arguments, *system);
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("plan", "Make the plan that achieves the deadlines, or check one");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->file, "System file; - is standard input")->required();
  arguments->choice.add_to(*verb, "");
  auto* method = verb->get_option("--method");
  verb->add_option("-o,--output", arguments->output, "Write the plan (*.plan.json)")
      ->type_name("FILE");
  verb->add_option("--dot", arguments->dot, "Write the plan as a Graphviz graph")
      ->type_name("FILE");
  verb->add_flag("--json", arguments->json, "Print the plan as JSON");
  verb->add_option("--check", arguments->check,
                   "Check this plan against FILE with code independent of the planner")
      ->type_name("PLAN")
      ->excludes(method);
  verb->footer(
      "Exit code 0: made, and every deadline holds (or: every condition holds); 1: a deadline or "
      "a\n"
      "condition does not; 2: bad input; 3: undecided or not applicable.\n"
      "Examples:\n"
      "  tactus plan robot.system.json --method gcaps.suspend.prio -o robot.plan.json\n"
      "  tactus plan robot.system.json --check robot.plan.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
