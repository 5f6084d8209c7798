#include "tactus/verbs/analyze.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "tactus/cli/check_options.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/pager.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/answer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/explanation.hpp"
#include "tactus/verbs/survey.hpp"

namespace tactus::cli {
namespace {

struct AnalyzeArguments {
  verbs::AnalyzeQuestion question;
  std::vector<Document> files;
  CheckOptions checks;
  Pager pager;
  bool details = false, json = false, csv = false;
  const Fields* fields = nullptr;
};

void describe(AnalyzeArguments& arguments, Fields& is) {
  verbs::AnalyzeQuestion& question = arguments.question;
  is("system", arguments.files,
     "System files, or files with a system per line; - is standard input")
      .positional("FILE")
      .required();
  describe(question.about.what_if, is);
  describe_without_system(question, is);
  describe(arguments.checks, is);
  is("details", arguments.details, "Everything that each method says, one block per method")
      .excludes({"explain"});
  describe(arguments.pager, is);
  is("json", arguments.json, "As JSON (docs/use/cli.md)").excludes({"details"});
  is("csv", arguments.csv, "As CSV, one line per task and method")
      .excludes({"json", "explain", "details"});
}

int analyze_many(const AnalyzeArguments& arguments) {
  if (arguments.details || !arguments.question.explain.empty() || arguments.checks.given()) {
    complain(
        "tactus: --details, --explain, --min-slack, --baseline, --junit and --sarif take one "
        "system; here are several");
    return kBadInput;
  }
  const auto found = [&] {
    LongWork work;
    return verbs::survey(arguments.files, arguments.question, work.companion());
  }();
  if (!found) return complain_of(found.none());
  const std::string text = arguments.json ? report::survey_json(found->all)
                           : arguments.csv
                               ? report::survey_csv(found->all)
                               : report::survey_text(found->all, report::Style::of(STDOUT_FILENO));
  return emit(text) ? found->exit() : kBadInput;
}

/// What was asked of methods and does not concern the one whose answer counts.
void tell_idle(const verbs::MethodChoice& choice, const Deployed& counting) {
  const auto tell = [&](std::string_view name) {
    complain(
        fmt::format("tactus: warning: --{} has no effect on {} ({}), which the file deploys and "
                    "which counts",
                    name, counting.method->id, counting.variant));
  };
  if (choice.variant && *choice.variant != counting.variant) tell("variant");
  for (const auto& given : choice.options) {
    const auto has = [&](const OptionSpec& option) { return option.name == given.first; };
    if (std::none_of(counting.method->options.begin(), counting.method->options.end(), has)) {
      tell(given.first);
    }
  }
}

int run(AnalyzeArguments& arguments) {
  verbs::AnalyzeQuestion& question = arguments.question;
  CheckOptions& checks = arguments.checks;
  if (!checks.valid()) return kBadInput;
  if (arguments.files.size() > 1 || verbs::holds_several(arguments.files.front())) {
    return analyze_many(arguments);
  }
  question.about.system = arguments.files.front();
  question.terms = !arguments.csv;
  question.growth = !arguments.csv;
  const auto answer = [&] {
    LongWork work;
    return verbs::answer(question, work.companion());
  }();
  const std::string& file = question.about.name();
  if (!answer) {
    const int exit = complain_of(answer.none());
    checks.report_bad_file(answer.none(), file);
    return exit;
  }
  const System& system = answer->edited.system;
  if (!checks.read_baseline(system)) return kBadInput;
  if (const auto& deployed = answer->deployed) tell_idle(question.choice, *deployed);
  const std::string words = question.about.words();
  report::Analysis analysis = answer->of(words);
  const report::Checks judged = checks.judge(analysis, !question.choice.named());
  analysis.checks = &judged;
  analysis.all = question.choice.named();
  const int exit = verbs::exit_of(report::judgement(analysis));
  const auto& task = answer->explained;
  if (arguments.json || arguments.csv) {
    const std::string text = arguments.csv ? report::analysis_csv(analysis)
                             : task        ? report::explanation_json(analysis, *task)
                                           : report::analysis_json(analysis);
    return emit(text) ? checks.conclude(analysis, judged, file, exit) : kBadInput;
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  std::string text = changes_text(answer->edited, style);
  text += task                ? report::explanation_text(analysis, *task, style)
          : arguments.details ? report::details_text(analysis, style)
                              : report::answer_text(analysis, style);
  if (judged.comparison) text += report::comparison_text(*judged.comparison, system, style);
  return arguments.pager.emit(text) ? checks.conclude(analysis, judged, file, exit) : kBadInput;
}

}  // namespace

void add_analyze(Parser& app, int& exit_code) {
  add_verb<AnalyzeArguments>(
      app, exit_code, "analyze", "Prove whether every deadline holds, and by which method",
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
      "  tactus lab generate gcaps-table3 --count 100 | tactus analyze - -m 'gcaps.*' -j 4 --csv\n"
      "  tactus analyze robot.system.json --min-slack 20% --baseline verdicts.json",
      run);
}

}  // namespace tactus::cli
