#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/analysis.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file;
  MethodOptions choice;
  std::string explain;
  bool json = false;
  bool csv = false;
};

/// With named methods every one of them must say yes; with `all` one proof is enough.
int exit_code_of(const std::vector<Verdict>& verdicts, bool all) {
  const auto any = [&](auto... statuses) {
    return std::any_of(verdicts.begin(), verdicts.end(),
                       [&](const Verdict& v) { return ((v.status == statuses) || ...); });
  };
  const bool yes = any(Status::kSchedulable), no = any(Status::kUnschedulable);
  if (all) return yes ? kYes : no ? kNo : kUnknown;
  if (no) return kNo;
  return any(Status::kUndecided, Status::kNotApplicable) ? kUnknown : kYes;
}

int run(const Arguments& arguments) {
  const auto methods = arguments.choice.methods();
  if (!methods) return kBadInput;
  const std::optional<System> system = system_or_complaint(arguments.file);
  if (!system) return kBadInput;

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

  std::vector<Verdict> verdicts;
  {
    LongWork work;
    Options options = arguments.choice.options();
    options.stop = work.stop_token();
    options.progress = work.progress();
    for (const Method* method : *methods) {
      auto verdict = MethodOptions::analyzed(*method, *system, options);
      if (!verdict) return kBadInput;
      verdicts.push_back(std::move(*verdict));
    }
  }

  const report::Analysis analysis{*system, *methods, verdicts};
  const report::Style style = report::Style::of(STDOUT_FILENO);
  std::string text;
  if (arguments.json) {
    text = report::analysis_json(analysis);
  } else if (arguments.csv) {
    text = report::analysis_csv(analysis);
  } else if (!arguments.explain.empty()) {
    const auto task = static_cast<TaskIndex>(explained - tasks.begin());
    text = report::explanation_text(analysis, task, style);
  } else {
    text = report::analysis_text(analysis, style);
  }
  if (!emit(text)) return kBadInput;
  return exit_code_of(verdicts, arguments.choice.all());
}

}  // namespace

void add_analyze(CLI::App& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("analyze", "Prove whether every deadline holds, method by method");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->file, "System file; - is standard input")->required();
  arguments->choice.add_to(*verb, "all");
  auto* explain = verb->add_option("--explain", arguments->explain,
                                   "Show what the bound of one task is made of")
                      ->type_name("TASK");
  auto* json = verb->add_flag("--json", arguments->json, "As JSON (docs/use/cli.md)");
  auto* csv = verb->add_flag("--csv", arguments->csv, "As CSV, one line per task and method");
  json->excludes(csv)->excludes(explain);
  csv->excludes(explain);
  verb->footer(
      "Exit code: with named methods 0 when all of them prove every deadline, 1 when one does "
      "not,\n"
      "3 when one is undecided or not applicable. With all methods 0 when at least one proves "
      "every\n"
      "deadline, 1 when none does, 3 when none could be applied. 2 is bad input or usage.\n"
      "Examples:\n"
      "  tactus analyze robot.system.json\n"
      "  tactus analyze robot.system.json --method 'gcaps.*,mpcp.suspend'\n"
      "  tactus analyze robot.system.json --method gcaps.suspend --explain camera\n"
      "  tactus analyze robot.system.json --json > verdicts.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
