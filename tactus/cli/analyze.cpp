#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/subject.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/methods/deploy.hpp"
#include "tactus/methods/many.hpp"
#include "tactus/methods/views.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/changes.hpp"

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

/// Whose answer counts.
struct Judge {
  report::JudgedBy by = report::JudgedBy::kNamed;
  std::optional<Deployed> deployed;
};

/// Which method judges; nothing after a complaint about what the file deploys.
std::optional<Judge> find_judge(const Arguments& arguments, const System& system) {
  auto found = deployed_by(system);
  if (const auto* problem = std::get_if<Diagnostic>(&found)) {
    complain_about(arguments.file, {*problem});
    return std::nullopt;
  }
  if (arguments.choice.named()) {
    return Judge{arguments.choice.all() ? report::JudgedBy::kAny : report::JudgedBy::kNamed, {}};
  }
  auto& deployed = std::get<std::optional<Deployed>>(found);
  return Judge{deployed ? report::JudgedBy::kDeployed : report::JudgedBy::kAny,
               std::move(deployed)};
}

/// What the methods say, in their order, with `-j` several at a time; nothing after a complaint
/// about an option.
std::optional<std::vector<Verdict>> verdicts_of(const Arguments& arguments, const System& system,
                                                const std::vector<const Method*>& methods,
                                                const Judge& judge) {
  LongWork work;
  Views views(system);
  Options common = arguments.choice.options();
  common.stop = work.stop_token();
  common.progress = work.progress();
  common.terms = !arguments.csv;
  common.views = &views;
  std::vector<std::optional<Result<Verdict>>> found(methods.size());
  for_each_index(methods.size(), common.threads, [&](std::size_t i) {
    Options options = common;
    const bool deployed = judge.deployed && judge.deployed->method == methods[i];
    if (deployed) options.variant = judge.deployed->variant;
    found[i] = try_analyze(*methods[i], system, options);
  });
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    auto verdict = MethodOptions::or_complaint(*methods[i], std::move(*found[i]));
    if (!verdict) return std::nullopt;
    verdicts.push_back(std::move(*verdict));
  }
  return verdicts;
}

int run(const Arguments& arguments) {
  const auto methods = arguments.choice.methods();
  if (!methods) return kBadInput;
  const std::optional<decide::Edited> edited = arguments.what_if.read(arguments.file);
  if (!edited) return kBadInput;
  const System* const system = &edited->system;
  const std::optional<Judge> judge = find_judge(arguments, *system);
  if (!judge) return kBadInput;

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

  const auto found = verdicts_of(arguments, *system, *methods, *judge);
  if (!found) return kBadInput;
  const std::vector<Verdict>& verdicts = *found;

  report::Analysis analysis{*system, *methods, verdicts, judge->by};
  if (judge->deployed) {
    const auto place = std::find(methods->begin(), methods->end(), judge->deployed->method);
    analysis.deployed = static_cast<std::size_t>(place - methods->begin());
  }
  analysis.changes = edited->changes;
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
  return exit_code_of(report::judgement(analysis));
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
