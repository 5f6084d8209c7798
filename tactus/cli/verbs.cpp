#include "tactus/cli/verbs.hpp"

#include <algorithm>
#include <iterator>
#include <list>

#include "tactus/cli/budget.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/own_methods.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"

namespace tactus::cli {
namespace {

/// Tells the parser about methods of the user's own.
void add_options_of_own_methods(Parser& verb) {
  static OwnMethods own;
  static std::list<Fields> told;  // as long as the parser
  describe(own, told.emplace_back());
  add_options(verb, told.back());
}

/// No verb, but what `tactus help own-methods` shows.
void add_own_methods(Parser& app, int& exit_code) {
  Parser* const topic = app.add_subcommand(
      "own-methods", "Options of all verbs that work with methods: methods of your own take part");
  add_options_of_own_methods(*topic);
  topic->footer(
      "docs/use/own-methods.md says what a command is asked, and what it answers.\n"
      "Examples:\n"
      "  tactus analyze robot.system.json --method-command mine=./mine -m mine,gcaps.suspend");
  topic->callback([&exit_code] {
    complain("tactus: own-methods is no verb; `tactus help own-methods` tells about them");
    exit_code = kBadInput;
  });
}

/// A verb, under which heading help shows it, and what tells the parser about it.
struct Verb {
  std::string_view name, heading;
  void (*add)(Parser& app, int& exit_code);
  bool takes_methods = false;  ///< of the user's own, too
};

constexpr std::string_view kProve = "Prove and decide", kRun = "Plan and run",
                           kShare = "Share and measure a GPU", kTry = "Test and compare methods",
                           kSetUp = "Set up";
constexpr std::string_view kHidden;  ///< not for people

/// In the order in which help shows them.
constexpr Verb kVerbs[] = {
    {"init", kProve, add_init},
    {"check", kProve, add_check, true},
    {"import", kProve, add_import},
    {"export", kProve, add_export},
    {"methods", kProve, add_methods, true},
    {"explain", kProve, add_explain, true},
    {"analyze", kProve, add_analyze, true},
    {"slack", kProve, add_slack, true},
    {"advise", kProve, add_advise, true},
    {"reserve", kProve, add_reserve},
    {"report", kProve, add_report, true},
    {"serve", kProve, add_serve},
    {"plan", kRun, add_plan, true},
    {"simulate", kRun, add_simulate, true},
    {"run", kRun, add_run, true},
    {"deploy", kRun, add_deploy, true},
    {"doctor", kRun, add_doctor},
    {"task-process", kHidden, add_task_process},
    {"tier-process", kHidden, add_tier_process},
    {"exec", kShare, add_exec},
    {"top", kShare, add_top},
    {"tiers", kShare, add_tiers},
    {"gpu", kShare, add_gpu},
    {"measure", kShare, add_measure},
    {"validate", kTry, add_validate, true},
    {"generate", kTry, add_generate, true},
    {"reproduce", kTry, add_reproduce, true},
    {"results", kTry, add_results, true},
    {"plot", kTry, add_plot, true},
    {"schema", kSetUp, add_schema},
    {"completion", kSetUp, add_completion},
    {"own-methods", kHidden, add_own_methods},
    {"man-pages", kHidden, add_man_pages},
};

void add(const Verb& verb, Parser& app, int& exit_code) {
  verb.add(app, exit_code);
  Parser* added = app.subcommand(verb.name);
  added->group(std::string(verb.heading));
  if (verb.heading == kHidden) return;
  if (verb.takes_methods) add_options_of_own_methods(*added);
  added->footer(added->footer() + "\nBudget: " + budget_text(budget_of(verb.name)));
}

const Verb* find_verb(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kVerbs), std::end(kVerbs),
                                         [&](const Verb& verb) { return verb.name == name; });
  return found == std::end(kVerbs) ? nullptr : found;
}

}  // namespace

bool takes_own_methods(std::string_view verb) {
  const Verb* const found = find_verb(verb);
  return found != nullptr && found->takes_methods;
}

void add_verbs(Parser& app, int& exit_code, std::string_view asked) {
  if (const Verb* const found = find_verb(asked)) return add(*found, app, exit_code);
  for (const Verb& verb : kVerbs) {
    if (app.subcommand(verb.name) == nullptr) add(verb, app, exit_code);
  }
}

}  // namespace tactus::cli
