#include "tactus/verbs/validate.hpp"

#include <unistd.h>

#include "tactus/base/file.hpp"
#include "tactus/cli/budget.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/validation.hpp"

namespace tactus::cli {
namespace {

struct ValidateArguments {
  verbs::ValidateQuestion question;
  StopAfter stop_after{"validate"};
  bool json = false;
};

void describe(ValidateArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("output", arguments.question.folder,
     "Write the systems with violations, made small, and the scripts of the runs into this folder")
      .letter('o')
      .shows("DIR");
  describe(arguments.stop_after, is);
  is("json", arguments.json, "As JSON");
}

/// Writes the systems that show a violation, made small.
bool save_catches(const report::Validation& validation) {
  for (const report::Hunted& hunted : validation.hunted) {
    for (std::size_t k = 0; k < hunted.bag.catches.size(); ++k) {
      const simulate::Catch& caught = hunted.bag.catches[k];
      auto problem = write_text_file(catch_file(validation, hunted, k), write_system(caught.system),
                                     Durable::kWithTheRest);
      if (!problem) {
        problem = write_text_file(script_file(validation, hunted, k), caught.script,
                                  Durable::kWithTheRest);
      }
      if (!problem) continue;
      complain("tactus: " + problem->message);
      return false;
    }
  }
  if (const auto problem = sync_folder(validation.folder)) {
    complain("tactus: " + problem->message);
    return false;
  }
  return true;
}

int run(ValidateArguments& arguments) {
  keep(arguments.stop_after);
  const std::string& folder = arguments.question.folder;
  if (!folder.empty() && !make_folder(folder)) return kBadInput;
  const auto found = long_answer(arguments.question);
  if (!found) return complain_of(found.none());
  if (!folder.empty() && !save_catches(found->validation)) return kBadInput;
  const std::string text =
      arguments.json ? found->json()
                     : report::validation_text(found->validation, report::Style::of(STDOUT_FILENO));
  return emit(text) ? found->exit() : kBadInput;
}

}  // namespace

void add_validate(Parser& app, int& exit_code) {
  add_verb<ValidateArguments>(
      app, exit_code, "validate", "Search by simulation for runs that exceed a bound",
      "Exit code 0: no run exceeded its bound; 1: one did; 3: nothing to validate, or stopped\n"
      "before the end (Ctrl-C too).\n"
      "Examples:\n"
      "  tactus lab validate --method 'gcaps.*' --count 10000 -j 2\n"
      "  tactus lab validate --method gcaps.suspend --variant paper -o caught\n"
      "  tactus lab validate own/*.system.json sets.jsonl --method gcaps.suspend --search climb\n"
      "  tactus lab validate --method 'gcaps.boost.*' --recipe boost-carry-in --search climb",
      run);
}

}  // namespace tactus::cli
