#include "tactus/verbs/simulate.hpp"

#include <unistd.h>

#include "tactus/cli/figure.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/simulation.hpp"
#include "tactus/trace/script_file.hpp"

namespace tactus::cli {
namespace {

struct SimulateArguments {
  verbs::SimulateQuestion question;
  std::string write_script;
  FigureOptions figure;
  bool json = false, gantt = false;
  const Fields* fields = nullptr;
};

void describe(SimulateArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("write_script", arguments.write_script, "Write the script of this run, for --script")
      .shows("FILE");
  is("gantt", arguments.gantt, "Draw the first jobs, or the --window, as text");
  describe(arguments.figure, is);
  is("json", arguments.json, "As JSON").excludes({"gantt"});
}

int run(SimulateArguments& arguments) {
  const FigureOptions& figure = arguments.figure;
  const bool draws = arguments.gantt || figure.given();
  if (!draws && figure.chooses())
    return fail("--window and --around say what --figure and --gantt draw; name one of them");
  verbs::SimulateQuestion& question = arguments.question;
  question.fields = arguments.fields;
  question.record = !arguments.write_script.empty();
  std::optional<trace::Excerpt> excerpt;
  if (draws) question.watch = figure.watching(excerpt);
  const auto seen = long_answer(question);
  if (!seen) return complain_of(seen.none());
  const System& system = seen->edited->system;
  const trace::Observed& observed = seen->observed;
  if (question.record &&
      !save(arguments.write_script, trace::write_script(system, *observed.scenario))) {
    return kBadInput;
  }
  std::optional<trace::Window> window;
  if (draws) {
    window = figure.window(system, observed, *excerpt);
    if (!window) return kBadInput;
  }
  if (figure.given() && !figure.draw(system, observed, *excerpt, *window)) return kBadInput;
  const report::Style style = report::Style::of(STDOUT_FILENO);
  std::string text = arguments.json ? seen->json()
                                    : changes_text(*seen->edited, style) +
                                          report::simulation_text(system, observed, style);
  if (arguments.gantt) {
    text += '\n' + report::trace_gantt(excerpt->trace(), system, *window, style);
  }
  if (!emit(text)) return kBadInput;
  if (!observed.cut_short.empty()) {
    complain("tactus: the simulation ended early: " + observed.cut_short);
  }
  return seen->exit();
}

}  // namespace

void add_simulate(Parser& app, int& exit_code) {
  add_verb<SimulateArguments>(
      app, exit_code, "simulate", "Run a system under the policy behind a method",
      "Without --policy: the method that the file deploys, else the best that can be simulated.\n"
      "Exit code 0: no deadline was missed and no bound exceeded; 1: one was; 2: bad input or a "
      "plan\nthat does not hold; 3: nothing to simulate.\n"
      "Examples:\n"
      "  tactus simulate robot.system.json --policy gcaps.suspend --gantt\n"
      "  tactus simulate robot.system.json --policy tsg-rr.busy --scenario sporadic,early --seed "
      "7\n"
      "  tactus simulate robot.system.json --policy mpcp.suspend --trace robot.trace.json\n"
      "  tactus simulate robot.system.json --policy gcaps.suspend --figure robot.pdf --around "
      "camera#1\n"
      "  tactus simulate robot.system.json --plan robot.plan.json\n"
      "  tactus simulate robot.system.json --policy gcaps.suspend --script robot.script.json",
      run);
}

}  // namespace tactus::cli
