#include "tactus/verbs/slack.hpp"

#include <unistd.h>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/charts/gnuplot.hpp"
#include "tactus/report/slack.hpp"

namespace tactus::cli {
namespace {

struct SlackArguments {
  verbs::SlackQuestion question;
  std::string svg;
  bool json = false, csv = false;
};

void describe(SlackArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("json", arguments.json, "As JSON (docs/use/deciding.md)");
  is("csv", arguments.csv, "As CSV, one line per value").excludes({"json"});
  is("svg", arguments.svg, "Draw the sweep").shows("FILE").needs("sweep");
}

int run(SlackArguments& arguments) {
  const auto found = long_answer(arguments.question);
  if (!found) return complain_of(found.none());
  if (!arguments.svg.empty()) {
    if (const auto why = report::why_no_charts()) return fail(*why, kUnknown);
    if (const auto problem =
            draw_chart(sweep_chart(found->swept()), report::ChartFormat::kSvg, arguments.svg))
      return fail(problem->message);
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const System& system = found->edited.system;
  std::string text;
  if (arguments.json) {
    text = found->json();
  } else if (arguments.csv) {
    text = found->slack ? report::slack_csv(system, *found->slack) : sweep_csv(found->swept());
  } else {
    text = changes_text(found->edited, style) +
           (found->slack ? report::slack_text(system, *found->slack, found->choice.why, style)
                         : sweep_text(found->swept(), style));
  }
  return emit(text) ? found->exit() : kBadInput;
}

}  // namespace

void add_slack(Parser& app, int& exit_code) {
  add_verb<SlackArguments>(
      app, exit_code, "slack", "How far times, periods and costs may go, and who is late then",
      "Without --method: the method that the file deploys, else the one under which all times may\n"
      "grow most.\n"
      "Exit code 0: every deadline is proved, and this is the room there is; 1: not proved, and "
      "this is\nwhat must change; 2: bad input; 3: undecided, not applicable or interrupted.\n"
      "Examples:\n"
      "  tactus slack robot.system.json\n"
      "  tactus slack robot.system.json --method gcaps.suspend --set camera.detect.wcet=7\n"
      "  tactus slack robot.system.json --sweep camera.detect.wcet=6..12 --svg detect.svg",
      run);
}

}  // namespace tactus::cli
