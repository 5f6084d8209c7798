#include "tactus/verbs/reserve.hpp"

#include <unistd.h>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/reserve.hpp"

namespace tactus::cli {
namespace {

struct ReserveArguments {
  verbs::ReserveQuestion question;
  bool dry = false, json = false;
};

void describe(ReserveArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("dry", arguments.dry, "Reserve nothing: say what the answers would be. No arbiter admits yet")
      .required();
  is("json", arguments.json, "As JSON (docs/use/reservations.md)");
}

int run(ReserveArguments& arguments) {
  const auto found = [&] {
    LongWork work;
    return answer(arguments.question, work.companion());
  }();
  if (!found) return complain_of(found.none());
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text = arguments.json
                               ? found->json()
                               : changes_text(found->edited, style) +
                                     reserve_text(found->edited.system, found->run, style);
  return emit(text) ? found->exit() : kBadInput;
}

}  // namespace

void add_reserve(Parser& app, int& exit_code) {
  add_verb<ReserveArguments>(
      app, exit_code, "reserve", "Would tasks be admitted that ask one after the other?",
      "The tasks of the file ask in its order. Each is admitted if gcaps.boost proves, with those\n"
      "before it, every deadline, whatever they are doing at that moment.\n"
      "Exit code 0: all would be admitted; 1: some are refused; 2: bad input; 3: some are not\n"
      "covered, or interrupted.\n"
      "Examples:\n"
      "  tactus reserve robot.system.json --dry\n"
      "  tactus reserve robot.system.json --dry --add detector.system.json --set detector.core=3",
      run);
}

}  // namespace tactus::cli
