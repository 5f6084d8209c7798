#include <algorithm>
#include <sstream>

#include "tactus/cli/budget.hpp"
#include "tactus/cli/deciding.hpp"
#include "tactus/cli/help.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/start.hpp"
#include "tactus/cli/verb.hpp"

namespace tactus::cli {
namespace {

/// `tactus help analyze` is `tactus analyze --help`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  std::reverse(words.begin(), words.end());  // as the parser wants them
  return words;
}

/// A verb, and what tells the parser about it.
struct Verb {
  std::string_view name;
  void (*add)(CLI::App& app, int& exit_code);
};

/// In the order in which help shows them.
constexpr Verb kVerbs[] = {
    {"check", add_check},
    {"methods", add_methods},
    {"analyze", add_analyze},
    {"slack", add_slack},
    {"advise", add_advise},
    {"plan", add_plan},
    {"simulate", add_simulate},
    {"run", add_run},
    {"task-process", add_task_process},
    {"tiers", add_tiers},
    {"tier-process", add_tier_process},
    {"exec", add_exec},
    {"top", add_top},
    {"validate", add_validate},
    {"generate", add_generate},
    {"reproduce", add_reproduce},
    {"results", add_results},
    {"plot", add_plot},
    {"schema", add_schema},
    {"gpu", add_gpu},
    {"completion", add_completion},
};

/// Tells the parser about the verb that is asked for: telling it about all of them takes longer than
/// a small analysis. About all of them where help or a complaint may name any, and for the completion.
void add_verbs(CLI::App& app, int& exit_code, std::string_view asked) {
  const auto* const found = std::find_if(std::begin(kVerbs), std::end(kVerbs),
                                         [&](const Verb& verb) { return verb.name == asked; });
  if (found != std::end(kVerbs) && asked != "completion") return found->add(app, exit_code);
  if (asked == "--version") return;
  for (const Verb& verb : kVerbs) verb.add(app, exit_code);
}

}  // namespace
}  // namespace tactus::cli

int main(int argc, char** argv) {
  using namespace tactus::cli;
  start_well();
  CLI::App app(
      "Tactus: proves deadlines for work on a GPU, makes the plans that keep them, and runs those.",
      "tactus");
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());  // of the verbs too
  app.set_version_flag("--version", "tactus " TACTUS_VERSION);
  app.footer(
      "Exit codes: 0 yes, 1 no, 2 bad input or usage, 3 undecided or unavailable.\n"
      "Examples:\n"
      "  tactus check robot.system.json\n"
      "  tactus analyze robot.system.json\n"
      "  tactus analyze robot.system.json --method gcaps.suspend --explain camera\n"
      "  tactus analyze --help      (or: tactus help analyze)");
  int exit_code = kYes;
  std::vector<std::string> words = words_of(argc, argv);
  add_verbs(app, exit_code, words.empty() ? "" : words.back());
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verb->footer(verb->get_footer() + "\nBudget: " + budget_text(budget_of(verb->get_name())));
  }
  try {
    if (!words.empty() && !keep_budget(words.back())) return kBadInput;
    app.parse(words);
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    const int code = app.exit(wanted, text);
    return emit(text.str()) ? code : kBadInput;
  } catch (const CLI::ParseError& error) {
    complain(usage_problem(app, error, argc, argv));
    return kBadInput;
  } catch (const std::exception& problem) {  // such as a length that no container has
    complain(std::string("tactus: ") + problem.what());
    return kUnknown;
  }
  return exit_code;
}
