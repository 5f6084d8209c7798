#include "tactus/verbs/check.hpp"

#include <unistd.h>

#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"

namespace tactus::cli {
namespace {

struct CheckArguments {
  verbs::CheckQuestion question;
  bool json = false, canonical = false;
};

void describe(CheckArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("json", arguments.json, "Diagnostics as JSON on standard output");
  is("canonical", arguments.canonical, "Print the canonical form of each file").excludes({"json"});
}

int run(CheckArguments& arguments) {
  const auto checked =
      answer(arguments.question, arguments.json ? verbs::Companion{} : told_here());
  if (!checked) return complain_of(checked.none());
  std::string text;
  const report::Style style = report::Style::of(STDOUT_FILENO);
  for (const report::CheckedFile& file : checked->files) {
    if (!file.result.system) continue;
    text += arguments.canonical
                ? write_system(*file.result.system)
                : report::changes_text(file.edited, style) + report::valid_file_text(file);
  }
  return emit(arguments.json ? checked->json() : text) ? checked->exit() : kBadInput;
}

}  // namespace

void add_check(Parser& app, int& exit_code) {
  add_verb<CheckArguments>(app, exit_code, "check",
                           "Read system files and say what is wrong, and where",
                           "Exit code 0 when every file is valid, else 2.\n"
                           "Examples:\n"
                           "  tactus check robot.system.json\n"
                           "  tactus check --json *.system.json\n"
                           "  generate-somehow | tactus check -",
                           run);
}

}  // namespace tactus::cli
