#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/pager.hpp"
#include "tactus/cli/subject.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/decide/slack.hpp"
#include "tactus/decide/standing.hpp"
#include "tactus/methods/deploy.hpp"
#include "tactus/methods/many.hpp"
#include "tactus/methods/views.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/answer.hpp"
#include "tactus/report/changes.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file;
  MethodOptions choice;
  WhatIf what_if;
  std::string explain;
  Pager pager;
  bool details = false;
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

/// What is asked: the methods in the variant of the command line, the one that the file deploys in
/// the variant that it names; and, where nobody chose, the variants that tactus runs.
std::vector<Question> questions_of(const Arguments& arguments,
                                   const std::vector<const Method*>& methods, const Judge& judge) {
  const bool free = !arguments.choice.variant() && judge.by != report::JudgedBy::kNamed;
  std::vector<Question> all = decide::questions(
      methods, arguments.choice.options(),
      free ? decide::Variants::kAlsoDeployable : decide::Variants::kAsAsked);
  if (!judge.deployed) return all;
  // Nothing is asked twice.
  std::erase_if(all, [&](const Question& question) {
    return question.method == judge.deployed->method && question.options.variant != kSafe &&
           question.options.variant == judge.deployed->variant;
  });
  for (std::size_t k = 0; k < methods.size(); ++k) {
    if (methods[k] == judge.deployed->method) all[k].options.variant = judge.deployed->variant;
  }
  return all;
}

/// The answers, in the order of the questions, with `-j` several at a time; nothing after a complaint
/// about an option.
std::optional<std::vector<Verdict>> answers_to(std::span<const Question> questions,
                                               const Arguments& arguments, const System& system) {
  LongWork work;
  Views views(system);
  std::vector<std::optional<Result<Verdict>>> found(questions.size());
  for_each_index(questions.size(), arguments.choice.options().threads, [&](std::size_t i) {
    Options options = questions[i].options;
    options.stop = work.stop_token();
    options.progress = work.progress();
    options.terms = !arguments.csv;
    options.views = &views;
    found[i] = try_analyze(*questions[i].method, system, options);
  });
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    auto verdict = MethodOptions::or_complaint(*questions[i].method, std::move(*found[i]));
    if (!verdict) return std::nullopt;
    verdicts.push_back(std::move(*verdict));
  }
  return verdicts;
}

/// The task whose bound is to be explained; nothing where none is, or after a complaint, which sets
/// `bad`.
std::optional<TaskIndex> explained_task(const Arguments& arguments, const System& system,
                                        bool& bad) {
  if (arguments.explain.empty()) return std::nullopt;
  std::vector<std::string_view> names;
  for (TaskIndex t = 0; t < system.tasks.size(); ++t) {
    if (system.tasks[t].name == arguments.explain) return t;
    names.push_back(system.tasks[t].name);
  }
  bad = true;
  complain(fmt::format("tactus: there is no task {}{}", quote(arguments.explain),
                       suggestion(arguments.explain, names)));
  return std::nullopt;
}

std::string text_of(const Arguments& arguments, const report::Analysis& analysis,
                    const decide::Edited& edited, std::optional<TaskIndex> explained) {
  if (arguments.json) return report::analysis_json(analysis);
  if (arguments.csv) return report::analysis_csv(analysis);
  const report::Style style = report::Style::of(STDOUT_FILENO);
  return changes_text(edited, style) +
         (explained           ? report::explanation_text(analysis, *explained, style)
          : arguments.details ? report::details_text(analysis, style)
                              : report::answer_text(analysis, style));
}

int run(const Arguments& arguments) {
  const auto methods = arguments.choice.methods();
  if (!methods) return kBadInput;
  const std::optional<decide::Edited> edited = arguments.what_if.read(arguments.file);
  if (!edited) return kBadInput;
  const System& system = edited->system;
  const std::optional<Judge> judge = find_judge(arguments, system);
  if (!judge) return kBadInput;
  bool bad = false;
  const std::optional<TaskIndex> explained = explained_task(arguments, system, bad);
  if (bad) return kBadInput;

  const std::vector<Question> questions = questions_of(arguments, *methods, *judge);
  const auto verdicts = answers_to(questions, arguments, system);
  if (!verdicts) return kBadInput;
  const std::vector<decide::Standing> standings = decide::standings(system, questions, *verdicts);

  report::Analysis analysis{system, questions, *verdicts, judge->by};
  if (judge->deployed) {
    const auto place = std::find(methods->begin(), methods->end(), judge->deployed->method);
    analysis.deployed = static_cast<std::size_t>(place - methods->begin());
  }
  const std::string words = arguments.what_if.words(arguments.file);
  analysis.changes = edited->changes;
  analysis.asked = methods->size();
  analysis.standings = standings;
  analysis.words = words;
  std::vector<decide::Growth> growth;
  if (!arguments.csv && !explained) {
    const decide::Standing& best = analysis.best();
    growth = decide::growth_of(analysis.method(best.place), system, questions[best.place].options);
    analysis.growth = growth;
  }
  const std::string text = text_of(arguments, analysis, *edited, explained);
  const bool written = arguments.json || arguments.csv ? emit(text) : arguments.pager.emit(text);
  return written ? exit_code_of(report::judgement(analysis)) : kBadInput;
}

}  // namespace

void add_analyze(CLI::App& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("analyze", "Prove whether every deadline holds, and by which method");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->file, "System file; - is standard input")->required();
  arguments->choice.add_to(*verb, "all");
  arguments->what_if.add_to(*verb);
  auto* explain = verb->add_option("--explain", arguments->explain,
                                   "Show what the bound of one task is made of")
                      ->type_name("TASK");
  auto* details = verb->add_flag("--details", arguments->details,
                                 "Everything that each method says, one block per method");
  arguments->pager.add_to(*verb);
  auto* json = verb->add_flag("--json", arguments->json, "As JSON (docs/use/cli.md)");
  auto* csv = verb->add_flag("--csv", arguments->csv, "As CSV, one line per task and method");
  json->excludes(csv)->excludes(explain);
  csv->excludes(explain);
  details->excludes(explain)->excludes(json)->excludes(csv);
  verb->footer(
      "Exit code: with --method 0 when all of them prove every deadline, 1 when one does not, 3 "
      "when\n"
      "one is undecided or not applicable. Without it, the same for the method that the file "
      "deploys;\n"
      "if it deploys none, 0 when at least one method proves every deadline, 1 when none does, 3\n"
      "when none could be applied. 2 is bad input or usage.\n"
      "Examples:\n"
      "  tactus analyze robot.system.json\n"
      "  tactus analyze robot.system.json --method 'gcaps.*,mpcp.suspend' --details\n"
      "  tactus analyze robot.system.json --method gcaps.suspend --explain camera\n"
      "  tactus analyze robot.system.json --json > verdicts.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
