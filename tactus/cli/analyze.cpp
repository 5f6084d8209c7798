#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "tactus/base/file.hpp"
#include "tactus/cli/analyze_many.hpp"
#include "tactus/cli/check_options.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/pager.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/answer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/explanation.hpp"
#include "tactus/verbs/analyze.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string file;  ///< the only one
  MethodOptions choice;
  WhatIf what_if;
  CheckOptions checks;
  std::string explain;
  Pager pager;
  bool details = false;
  bool json = false;
  bool csv = false;
};

/// What the methods say; nothing after a complaint.
std::optional<verbs::Analyzed> answer_of(const Arguments& arguments, const System& system,
                                         verbs::Methods methods, std::optional<TaskIndex> explain) {
  LongWork work;
  verbs::AnalyzeRequest request{std::move(methods), arguments.choice.named(),
                                arguments.choice.all(), arguments.choice.options()};
  request.options.stop = work.stop_token();
  request.options.progress = work.progress();
  request.options.terms = !arguments.csv;
  request.variant_given = arguments.choice.variant().has_value();
  request.growth = !arguments.csv && arguments.explain.empty();
  request.options.explain = explain;
  auto answer = verbs::analyze(system, shown_name(arguments.file), request);
  if (answer) return std::move(*answer);
  complain_of(answer.none());
  return std::nullopt;
}

/// The texts of all files; nothing after a complaint about each that cannot be read.
std::optional<std::vector<FileText>> texts_of(const std::vector<std::string>& files) {
  std::vector<FileText> texts;
  for (const std::string& file : files) {
    Result<std::string> text = read_text_file(file);
    if (text) {
      texts.push_back({file, std::move(*text)});
    } else {
      complain("tactus: " + text.error().message);
    }
  }
  if (texts.size() < files.size()) return std::nullopt;
  return texts;
}

/// The system of the only file, with the changes.
std::optional<decide::Edited> edited_of(FileText file, const WhatIf& what_if) {
  const std::string path = file.path;
  std::optional<System> system = system_or_complaint(std::move(file));
  if (!system) return std::nullopt;
  return what_if.applied(path, std::move(*system));
}

int run(Arguments& arguments) {
  auto methods = arguments.choice.methods();
  if (!methods || !arguments.checks.valid()) return kBadInput;
  arguments.file = arguments.files.front();
  auto texts = texts_of(arguments.files);
  if (texts && (texts->size() > 1 || holds_several(texts->front()))) {
    if (arguments.details || !arguments.explain.empty() || arguments.checks.given()) {
      complain(
          "tactus: --details, --explain, --min-slack, --baseline, --junit and --sarif take one "
          "system; here are several");
      return kBadInput;
    }
    return analyze_many(*texts, arguments.choice, arguments.what_if, arguments.json, arguments.csv);
  }
  std::optional<decide::Edited> edited;
  if (texts) edited = edited_of(std::move(texts->front()), arguments.what_if);
  if (!edited) {
    arguments.checks.report_bad_file(arguments.file);
    return kBadInput;
  }
  const System* const system = &edited->system;

  const auto& tasks = system->tasks;
  const auto explained = std::find_if(
      tasks.begin(), tasks.end(), [&](const Task& task) { return task.name == arguments.explain; });
  if (!arguments.explain.empty() && explained == tasks.end()) {
    std::vector<std::string_view> names;
    names.reserve(tasks.size());
    for (const Task& task : tasks) names.push_back(task.name);
    complain(fmt::format("tactus: there is no task {}{}", quote(arguments.explain),
                         suggestion(arguments.explain, names)));
    return kBadInput;
  }

  std::optional<TaskIndex> task;
  if (!arguments.explain.empty()) task = static_cast<TaskIndex>(explained - tasks.begin());
  if (!arguments.checks.read_baseline(*system)) return kBadInput;
  const auto answer = answer_of(arguments, *system, std::move(*methods), task);
  if (!answer) return kBadInput;
  if (const auto& deployed = answer->deployed) {
    arguments.choice.tell_without_effect(*deployed->method, deployed->variant,
                                         "which the file deploys and which counts");
  }
  const std::string words = arguments.what_if.words(arguments.file);
  report::Analysis analysis = answer->of(*edited, words);
  const report::Checks checks = arguments.checks.judge(analysis, !arguments.choice.named());
  analysis.checks = &checks;
  const int exit = verbs::exit_of(report::judgement(analysis));
  if (arguments.json || arguments.csv) {
    const std::string text = arguments.csv ? report::analysis_csv(analysis)
                             : task        ? report::explanation_json(analysis, *task)
                                           : report::analysis_json(analysis);
    if (!emit(text)) return kBadInput;
    return arguments.checks.conclude(analysis, checks, arguments.file, exit);
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  std::string text = changes_text(*edited, style);
  text += task                ? report::explanation_text(analysis, *task, style)
          : arguments.details ? report::details_text(analysis, style)
                              : report::answer_text(analysis, style);
  if (checks.comparison) text += report::comparison_text(*checks.comparison, *system, style);
  if (!arguments.pager.emit(text)) return kBadInput;
  return arguments.checks.conclude(analysis, checks, arguments.file, exit);
}

}  // namespace

void add_analyze(Parser& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("analyze", "Prove whether every deadline holds, and by which method");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->files,
                   "System files, or files with a system per line; - is standard input")
      ->required();
  arguments->choice.add_to(*verb, "all");
  arguments->what_if.add_to(*verb);
  arguments->checks.add_to(*verb);
  auto* explain = verb->add_option("--explain", arguments->explain,
                                   "Show what the bound of one task is made of")
                      ->type_name("TASK");
  auto* details = verb->add_flag("--details", arguments->details,
                                 "Everything that each method says, one block per method");
  arguments->pager.add_to(*verb);
  auto* json = verb->add_flag("--json", arguments->json, "As JSON (docs/use/cli.md)");
  auto* csv = verb->add_flag("--csv", arguments->csv, "As CSV, one line per task and method");
  json->excludes(csv);
  csv->excludes(explain);
  details->excludes(explain)->excludes(json)->excludes(csv);
  verb->footer(
      "Exit code: with --method 0 when all of them prove every deadline, 1 when one does not, 3 "
      "when\n"
      "one is undecided or not applicable. Without it, the same for the method that the file "
      "deploys;\n"
      "if it deploys none, 0 when at least one method proves every deadline, 1 when none does, 3\n"
      "when none could be applied. 1 also where --min-slack or --baseline is not kept. 2 is bad\n"
      "input or usage.\n"
      "Of several systems: the worst exit code of all of them.\n"
      "Examples:\n"
      "  tactus analyze robot.system.json\n"
      "  tactus analyze robot.system.json --method 'gcaps.*,mpcp.suspend' --details\n"
      "  tactus analyze robot.system.json --method gcaps.suspend --explain camera\n"
      "  tactus analyze robot.system.json --json > verdicts.json\n"
      "  tactus generate gcaps-table3 --count 100 | tactus analyze - -m 'gcaps.*' -j 4 --csv\n"
      "  tactus analyze robot.system.json --min-slack 20% --baseline verdicts.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
