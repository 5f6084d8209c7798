#include <algorithm>
#include <sstream>

#include "tactus/cli/budget.hpp"
#include "tactus/cli/deciding.hpp"
#include "tactus/cli/help.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/start.hpp"
#include "tactus/cli/verb.hpp"

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

}  // namespace

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
  add_check(app, exit_code);
  add_methods(app, exit_code);
  add_analyze(app, exit_code);
  add_slack(app, exit_code);
  add_advise(app, exit_code);
  add_plan(app, exit_code);
  add_simulate(app, exit_code);
  add_run(app, exit_code);
  add_task_process(app, exit_code);
  add_tiers(app, exit_code);
  add_tier_process(app, exit_code);
  add_exec(app, exit_code);
  add_top(app, exit_code);
  add_validate(app, exit_code);
  add_generate(app, exit_code);
  add_reproduce(app, exit_code);
  add_results(app, exit_code);
  add_plot(app, exit_code);
  add_report(app, exit_code);
  add_schema(app, exit_code);
  add_gpu(app, exit_code);
  add_completion(app, exit_code);
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verb->footer(verb->get_footer() + "\nBudget: " + budget_text(budget_of(verb->get_name())));
  }
  try {
    std::vector<std::string> words = words_of(argc, argv);
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
