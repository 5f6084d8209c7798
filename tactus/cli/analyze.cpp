#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/verbs/analyze.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file;
  MethodOptions choice;
  WhatIf what_if;
  std::string explain;
  bool json = false;
  bool csv = false;
};

/// What the methods say; nothing after a complaint.
std::optional<verbs::Analyzed> answer_of(const Arguments& arguments, const System& system,
                                         verbs::Methods methods) {
  LongWork work;
  verbs::AnalyzeRequest request{std::move(methods), arguments.choice.named(),
                                arguments.choice.all(), arguments.choice.options()};
  request.options.stop = work.stop_token();
  request.options.progress = work.progress();
  request.options.terms = !arguments.csv;
  auto answer = verbs::analyze(system, shown_name(arguments.file), request);
  if (answer) return std::move(*answer);
  complain_of(answer.none());
  return std::nullopt;
}

int run(const Arguments& arguments) {
  auto methods = arguments.choice.methods();
  if (!methods) return kBadInput;
  const std::optional<decide::Edited> edited = arguments.what_if.read(arguments.file);
  if (!edited) return kBadInput;
  const System* const system = &edited->system;

  const auto& tasks = system->tasks;
  const auto explained = std::find_if(
      tasks.begin(), tasks.end(), [&](const Task& task) { return task.name == arguments.explain; });
  if (!arguments.explain.empty() && explained == tasks.end()) {
    std::vector<std::string_view> names;
    for (const Task& task : tasks) names.push_back(task.name);
    complain(fmt::format("tactus: there is no task {}{}", quote(arguments.explain),
                         suggestion(arguments.explain, names)));
    return kBadInput;
  }

  const auto answer = answer_of(arguments, *system, std::move(*methods));
  if (!answer) return kBadInput;
  const report::Analysis analysis = answer->of(*edited);
  const report::Style style = report::Style::of(STDOUT_FILENO);
  std::string text;
  if (arguments.json) {
    text = report::analysis_json(analysis);
  } else if (arguments.csv) {
    text = report::analysis_csv(analysis);
  } else if (!arguments.explain.empty()) {
    const auto task = static_cast<TaskIndex>(explained - tasks.begin());
    text = changes_text(*edited, style) + report::explanation_text(analysis, task, style);
  } else {
    text = changes_text(*edited, style) + report::analysis_text(analysis, style);
  }
  if (!emit(text)) return kBadInput;
  return verbs::exit_of(report::judgement(analysis));
}

}  // namespace

void add_analyze(CLI::App& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("analyze", "Prove whether every deadline holds, method by method");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->file, "System file; - is standard input")->required();
  arguments->choice.add_to(*verb, "all");
  arguments->what_if.add_to(*verb);
  auto* explain = verb->add_option("--explain", arguments->explain,
                                   "Show what the bound of one task is made of")
                      ->type_name("TASK");
  auto* json = verb->add_flag("--json", arguments->json, "As JSON (docs/use/cli.md)");
  auto* csv = verb->add_flag("--csv", arguments->csv, "As CSV, one line per task and method");
  json->excludes(csv)->excludes(explain);
  csv->excludes(explain);
  verb->footer(
      "Exit code: with --method 0 when all of them prove every deadline, 1 when one does not, 3 "
      "when\n"
      "one is undecided or not applicable. Without it, the same for the method that the file "
      "deploys;\n"
      "if it deploys none, 0 when at least one method proves every deadline, 1 when none does, 3\n"
      "when none could be applied. 2 is bad input or usage.\n"
      "Examples:\n"
      "  tactus analyze robot.system.json\n"
      "  tactus analyze robot.system.json --method 'gcaps.*,mpcp.suspend'\n"
      "  tactus analyze robot.system.json --method gcaps.suspend --explain camera\n"
      "  tactus analyze robot.system.json --json > verdicts.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
