#include <sstream>

#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/diagnostic.hpp"

namespace {

/// CLI11 answers a misspelt verb with "a subcommand is required"; say what is wrong instead.
std::string unknown_verb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == argv[1]) return {};
    verbs.push_back(verb->get_name());
  }
  return "there is no verb " + tactus::quote(argv[1]) + tactus::suggestion(argv[1], verbs);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tactus::cli;
  CLI::App app(
      "Tactus: proves deadlines for work on a GPU, makes the plans that keep them, and runs those.",
      "tactus");
  app.require_subcommand(1);
  app.set_version_flag("--version", "tactus " TACTUS_VERSION);
  app.footer(
      "Exit codes: 0 yes, 1 no, 2 bad input or usage, 3 undecided or unavailable.\n"
      "Examples:\n"
      "  tactus check robot.system.json\n"
      "  tactus analyze robot.system.json\n"
      "  tactus analyze robot.system.json --method gcaps.suspend --explain camera\n"
      "  tactus analyze --help");
  int exit_code = kYes;
  add_check(app, exit_code);
  add_methods(app, exit_code);
  add_analyze(app, exit_code);
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
  add_schema(app, exit_code);
  add_gpu(app, exit_code);
  add_completion(app, exit_code);
  if (const std::string problem = unknown_verb(app, argc, argv); !problem.empty()) {
    complain("tactus: " + problem + " (see tactus --help)");
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    const int code = app.exit(wanted, text);
    return emit(text.str()) ? code : kBadInput;
  } catch (const CLI::ParseError& error) {
    complain(std::string("tactus: ") + error.what() + " (see tactus --help)");
    return kBadInput;
  } catch (const std::bad_alloc&) {
    complain("tactus: out of memory");
    return kUnknown;
  }
  return exit_code;
}
