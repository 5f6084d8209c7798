#include "tactus/verbs/deploy.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/cover.hpp"
#include "tactus/report/deployment.hpp"

namespace tactus::cli {
namespace {

struct DeployArguments {
  verbs::DeployQuestion question;
  bool json = false;
};

void describe(DeployArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  arguments.question.fields = &is;
  is("json", arguments.json, "Print what was written as JSON");
}

int run(DeployArguments& arguments) {
  const auto made = answer(arguments.question, told_here());
  if (!made) return complain_of(made.none());
  if (!made->broken.empty()) {
    std::string ids;
    for (const decide::Condition& condition : made->broken) ids += " --accept " + condition.id;
    complain(
        fmt::format("tactus: nothing is written: what would be started does not cover the proof\n{}"
                    "{} writes it all the same; then nothing is proved",
                    report::conditions_text(made->broken, report::Style{}), ids.substr(1)));
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text =
      arguments.json          ? made->json()
      : !made->broken.empty() ? std::string()
                              : changes_text(made->edited, style) +
                                    report::deployment_text(made->launch, arguments.question.output,
                                                            made->files, style);
  return emit(text) ? made->exit() : kBadInput;
}

}  // namespace

void add_deploy(Parser& app, int& exit_code) {
  add_verb<DeployArguments>(
      app, exit_code, "deploy",
      "Write the files that start a plan: units, a script, or a launch file",

      "Every task needs a `command` in the file. Exit code 0: written; 1: what would be started "
      "does\n"
      "not cover the proof; 2: bad input. After 1 and 2 nothing is written.\n"
      "Examples:\n"
      "  tactus deploy robot.system.json --plan robot.plan.json -o robot-units\n"
      "  tactus deploy robot.system.json --plan robot.plan.json -o robot --format script\n"
      "Then:  tactus doctor robot.system.json --plan robot.plan.json",
      run);
}

}  // namespace tactus::cli
