#include "tactus/cli/verbs.hpp"

#include <algorithm>
#include <iterator>
#include <list>

#include "tactus/cli/budget.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/own_methods.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/host/terminal.hpp"

namespace tactus::cli {
namespace {

/// Tells the parser about methods of the user's own.
void add_options_of_own_methods(Parser& verb) {
  static OwnMethods own;
  static std::list<Fields> told;  // as long as the parser
  describe(own, told.emplace_back());
  add_options(verb, told.back());
}

void describe(host::TerminalWishes& wishes, Fields& is) {
  is("color", wishes.colour, "Colours in tables").one_of({"auto", "always", "never"});
  is("quiet", wishes.quiet, "No progress and no notes on standard error");
}

/// Those that every verb has.
void add_terminal_options(Parser& verb) {
  for (Parser& own : verb.subcommands()) add_terminal_options(own);
  if (!verb.subcommands().empty()) return;
  static std::list<Fields> told;  // as long as the parser
  describe(host::terminal_wishes(), told.emplace_back());
  add_options(verb, told.back());
}

/// No verb, but what `tactus help lab own-methods` shows.
void add_own_methods(Parser& app, int& exit_code) {
  Parser* const topic = app.add_subcommand(
      "own-methods", "Options of all verbs that work with methods: methods of your own take part");
  add_options_of_own_methods(*topic);
  topic->footer(
      "docs/use/own-methods.md says what a command is asked, and what it answers.\n"
      "Examples:\n"
      "  tactus analyze robot.system.json --method-command mine=./mine -m mine,gcaps.suspend");
  topic->callback([&exit_code] {
    complain("tactus: own-methods is no verb; `tactus help lab own-methods` tells about them");
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
                           kShare = "Share and measure a GPU",
                           kMore = "More (`tactus help NAME` tells about it)";
constexpr std::string_view kLab = "lab";  ///< it is a verb of `tactus lab`
constexpr std::string_view kHidden;       ///< not for people

/// In the order in which help shows them.
constexpr Verb kVerbs[] = {
    {"init", kProve, add_init},
    {"check", kProve, add_check, true},
    {"import", kProve, add_import},
    {"export", kProve, add_export},
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
    {"watch", kRun, add_watch, true},
    {"exec", kShare, add_exec},
    {"top", kShare, add_top},
    {"measure", kShare, add_measure},
    {"gpu", kMore, add_gpu},
    {"tiers", kMore, add_tiers},
    {"methods", kMore, add_methods, true},
    {"schema", kMore, add_schema},
    {"completion", kMore, add_completion},
    {"generate", kLab, add_generate, true},
    {"validate", kLab, add_validate, true},
    {"reproduce", kLab, add_reproduce, true},
    {"results", kLab, add_results, true},
    {"plot", kLab, add_plot, true},
    {"own-methods", kLab, add_own_methods},
    {"task-process", kHidden, add_task_process},
    {"tier-process", kHidden, add_tier_process},
    {"man-pages", kHidden, add_man_pages},
};

/// `tactus lab`, made when it is first asked for.
Parser& lab_of(Parser& app) {
  if (Parser* const made = app.subcommand(kLab)) return *made;
  Parser& lab = *app.add_subcommand(
      std::string(kLab), "Random systems, experiments, methods of your own: for research");
  lab.require_subcommand(1);
  lab.group(std::string(kMore));
  lab.footer(
      "Examples:\n"
      "  tactus lab validate --method 'gcaps.*' --count 1000\n"
      "  tactus lab reproduce gcaps-fig8b --sets 100");
  return lab;
}

void add(const Verb& verb, Parser& app, int& exit_code) {
  Parser& above = verb.heading == kLab ? lab_of(app) : app;
  if (above.subcommand(verb.name) != nullptr) return;
  verb.add(above, exit_code);
  Parser& added = *above.subcommand(verb.name);
  added.group(std::string(verb.heading == kLab ? "Verbs" : verb.heading));
  if (verb.heading == kHidden) return;
  if (verb.takes_methods) add_options_of_own_methods(added);
  add_terminal_options(added);
  const bool topic = verb.add == add_own_methods;
  if (!topic) added.footer(added.footer() + "\nBudget: " + budget_text(budget_of(verb.name)));
}

/// The verb that the words begin with.
const Verb* find_verb(std::span<const std::string> words) {
  const bool in_lab = words.size() > 1 && words.front() == kLab;
  if (in_lab) words = words.subspan(1);
  const auto* const found =
      std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& verb) {
        return !words.empty() && verb.name == words.front() && (verb.heading == kLab) == in_lab;
      });
  return found == std::end(kVerbs) ? nullptr : found;
}

}  // namespace

bool takes_own_methods(std::span<const std::string> words) {
  const Verb* const found = find_verb(words);
  return found != nullptr && found->takes_methods;
}

std::string_view verb_in(std::span<const std::string> words) {
  const Verb* const found = find_verb(words);
  return found == nullptr ? std::string_view() : found->name;
}

void add_verbs(Parser& app, int& exit_code, std::span<const std::string> words) {
  if (const Verb* const found = find_verb(words)) return add(*found, app, exit_code);
  for (const Verb& verb : kVerbs) add(verb, app, exit_code);
}

}  // namespace tactus::cli
