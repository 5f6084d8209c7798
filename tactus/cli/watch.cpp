#include "tactus/verbs/watch.hpp"

#include <unistd.h>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/watch.hpp"

namespace tactus::cli {
namespace {

struct WatchArguments {
  verbs::WatchQuestion question;
  std::string output;
  bool json = false, openmetrics = false;
  const Fields* fields = nullptr;
};

void describe(WatchArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("output", arguments.output,
     "Write the file with what was seen, and its evidence; `analyze --baseline` tells what that "
     "changes")
      .letter('o')
      .shows("FILE");
  is("json", arguments.json, "As JSON, at the end");
  is("openmetrics", arguments.openmetrics, "As OpenMetrics text, at the end").excludes({"json"});
}

std::string shown(const WatchArguments& arguments, const watch::Watcher& watcher) {
  if (arguments.json) return report::watch_json(watcher);
  if (!arguments.openmetrics) return report::watch_text(watcher, report::Style::of(STDOUT_FILENO));
  Metrics metrics(Metrics::Form::kOpenMetrics);
  report::write_metrics(metrics, watcher);
  return metrics.take();
}

int run(WatchArguments& arguments) {
  verbs::WatchQuestion& question = arguments.question;
  question.fields = arguments.fields;
  const bool live = !arguments.json && !arguments.openmetrics && isatty(STDOUT_FILENO) != 0;
  question.outside = [](const std::string& line) {
    complain("tactus: outside the model: " + line);
  };
  const auto watched = [&] {
    LongWork work;
    question.look = [&](const watch::Watcher& watcher) {
      const bool asked = work.report_asked();
      if (!live && !asked) return;
      static_cast<void>(emit((live ? "\033[H\033[2J" : "") + shown(arguments, watcher)));
    };
    return answer(question, work.companion());
  }();
  if (!watched) return complain_of(watched.none());
  if (!arguments.output.empty() &&
      !save(arguments.output, write_system(watched->watcher->seen_system())))
    return kBadInput;
  return emit(shown(arguments, *watched->watcher)) ? watched->exit() : kBadInput;
}

}  // namespace

void add_watch(Parser& app, int& exit_code) {
  add_verb<WatchArguments>(
      app, exit_code, "watch", "Is what runs still what was proved?",
      "Tells on standard error what leaves the model, and shows who is covered. Ctrl-C or SIGTERM "
      "ends it;\nSIGUSR1 shows it now.\n"
      "Exit code 0: nothing has left the model; 1: something has; 2: bad input; 3: no job was "
      "seen.\n"
      "Examples:\n"
      "  tactus watch robot.system.json --plan robot.plan.json\n"
      "  tactus watch robot.system.json --plan robot.plan.json --exec 'logger \"$TACTUS_LINE\"'\n"
      "  tactus watch robot.system.json --duration 60000 -o seen.system.json",
      run);
}

}  // namespace tactus::cli
