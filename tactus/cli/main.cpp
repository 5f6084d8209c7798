#include <algorithm>

#include "tactus/cli/budget.hpp"
#include "tactus/cli/command_line.hpp"
#include "tactus/cli/complete.hpp"
#include "tactus/cli/exact_memory.hpp"
#include "tactus/cli/help.hpp"
#include "tactus/cli/help_text.hpp"
#include "tactus/cli/measure_command.hpp"
#include "tactus/cli/mistakes.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/own_methods.hpp"
#include "tactus/cli/start.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/verbs.hpp"

namespace {

/// `tactus help analyze` is `tactus analyze --help`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words == std::vector<std::string>{"version"}) words = {"--version"};
  // The parser drops the `--` that tells a command from a file.
  if (!words.empty() && words.front() == "measure") {
    const auto command = std::find(words.begin(), words.end(), "--");
    if (command != words.end()) words.insert(command, std::string(tactus::cli::kCommandFlag));
  }
  return words;
}

}  // namespace

// What escapes the `try` below is a want of memory, which ends the program in one line by itself.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  using namespace tactus::cli;
  start_well();
  take_exact_numbers_as_own_memory();
  if (argc > 1 && std::string_view(argv[1]) == "complete") return complete({argv + 2, argv + argc});
  CommandLine line(
      "tactus",
      "Tactus: proves deadlines for work on a GPU, makes the plans that keep them, and runs those.",
      "Exit codes: 0 yes, 1 no, 2 bad input or usage, 3 undecided or unavailable.\n"
      "Examples:\n"
      "  tactus check robot.system.json\n"
      "  tactus analyze robot.system.json\n"
      "  tactus analyze robot.system.json --method gcaps.suspend --explain camera\n"
      "  tactus help analyze      (or: tactus analyze --help)");
  CLI::App& app = line.app();
  use_our_help(app);
  line.parser().require_subcommand(1);
  int exit_code = kYes;
  const std::vector<std::string> words = words_of(argc, argv);
  OwnMethods own_methods;
  if (takes_own_methods(words)) {
    if (const auto problem = own_methods.join(words)) return fail(problem->message);
  }
  add_verbs(line.parser(), exit_code, words);
  try {
    if (const std::string problem = unknown_verb(app, words); !problem.empty())
      return fail(problem);
    const CLI::App& chosen = chosen_verb(app, words);
    const bool nothing_more = full_name(chosen) == "tactus" ? words.empty() : words.size() == 1;
    if (nothing_more && !verbs_of(chosen).empty()) {
      emit(short_usage(chosen));
      return kBadInput;
    }
    if (!keep_budget(verb_in(words))) return kBadInput;
    if (const auto done = line.take(words)) return *done;
  } catch (const std::exception& problem) {  // such as a length that no container has
    complain(std::string("tactus: ") + problem.what());
    return kUnknown;
  }
  own_methods.tell_failures();
  return exit_code;
}
