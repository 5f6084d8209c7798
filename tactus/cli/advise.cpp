#include "tactus/verbs/advise.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/plan.hpp"

namespace tactus::cli {
namespace {

struct AdviseArguments {
  verbs::AdviseQuestion question;
  std::string output, plan;
  bool json = false;
};

void describe(AdviseArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("output", arguments.output,
     "Write the system with the best choice, and what to deploy (*.system.json)")
      .letter('o')
      .shows("FILE");
  is("plan_out", arguments.plan, "Write the plan that goes with it (*.plan.json)").shows("FILE");
  is("json", arguments.json, "As JSON (docs/use/deciding.md)");
}

/// Writes the best option and its plan, where that was asked for and there is one.
bool save_best(const AdviseArguments& arguments, const decide::Advice& advice) {
  if (arguments.output.empty() && arguments.plan.empty()) return true;
  if (!advice.found()) {
    complain("tactus: nothing is written: no way that was looked at is proved");
    return true;
  }
  const decide::Option& best = advice.options.front();
  if (!arguments.output.empty() && !save(arguments.output, write_system(best.system))) return false;
  if (arguments.plan.empty()) return true;
  if (!best.verdict.plan) {
    complain(fmt::format("tactus: {} makes no plan", best.method->id));
    return false;
  }
  return save(arguments.plan, report::plan_json(best.system, best.verdict));
}

int run(AdviseArguments& arguments) {
  const auto found = long_answer(arguments.question);
  if (!found) return complain_of(found.none());
  if (!save_best(arguments, found->advice)) return kBadInput;
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text =
      arguments.json
          ? found->json()
          : changes_text(found->edited, style) +
                report::advice_text(found->edited.system, found->advice, found->way_out, style);
  return emit(text) ? found->exit() : kBadInput;
}

}  // namespace

void add_advise(Parser& app, int& exit_code) {
  add_verb<AdviseArguments>(
      app, exit_code, "advise", "Search for the way to run a system that leaves most room",
      "Exit code 0: a way to run it is proved; 1: none is, and this is what would have to change;\n"
      "2: bad input; 3: no method applies, or stopped before one was found.\n"
      "Examples:\n"
      "  tactus advise robot.system.json\n"
      "  tactus advise robot.system.json --vary cores,priorities --target tactusd -o "
      "best.system.json\n"
      "  tactus advise robot.system.json --goal sms --plan-out best.plan.json",
      run);
}

}  // namespace tactus::cli
