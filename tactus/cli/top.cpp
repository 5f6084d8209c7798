#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "tactus/arbiter/client/arbiter_metrics.hpp"
#include "tactus/base/decimal.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/arbiter.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::cli {
namespace {

struct TopArguments {
  std::string socket, interval = "1";
  bool once = false, json = false, costs = false, openmetrics = false;
  const Fields* fields = nullptr;
};

int show_costs(const arbiter::client::Snapshot& snapshot) {
  const std::string costs = report::arbiter_costs(snapshot);
  if (costs.empty()) return fail("the arbiter has not seen a tier at work yet", kUnknown);
  return emit(costs) ? kYes : kBadInput;
}

std::string openmetrics_of(const arbiter::client::Snapshot& snapshot) {
  Metrics metrics(Metrics::Form::kOpenMetrics);
  arbiter::client::write_metrics(metrics, snapshot);
  return metrics.take();
}

int run(TopArguments& arguments) {
  const auto interval = parse_scaled(arguments.interval, 3, Rounding::kUp);
  if (!interval || interval->value <= 0 || interval->value > 3'600'000)
    return fail("--interval must be a time > 0, at most 3600 s");
  const bool live = !arguments.once && !arguments.json && !arguments.costs &&
                    !arguments.openmetrics && isatty(STDOUT_FILENO);
  if (!live) tell_without_effect(told_here(), *arguments.fields, {"interval"}, "it is shown once");
  if (arguments.costs)
    tell_without_effect(told_here(), *arguments.fields, {"json"}, "--costs is JSON");
  auto observer = arbiter::client::Observer::open(arguments.socket);
  if (!observer) return fail(observer.error().message, kUnknown);
  const report::Style style = report::Style::of(STDOUT_FILENO);
  // Ctrl-C (or SIGTERM) ends the repeated view cleanly; with `--once` it ends the program as usual.
  std::optional<LongWork> work;
  if (live) work.emplace();
  const std::stop_token stop = live ? work->stop_token() : std::stop_token();
  do {
    const auto snapshot = observer->look();
    if (!snapshot) return fail(snapshot.error().message, kUnknown);
    if (arguments.costs) return show_costs(*snapshot);
    std::string text = arguments.openmetrics ? openmetrics_of(*snapshot)
                       : arguments.json      ? report::arbiter_json(*snapshot)
                                             : report::arbiter_text(*snapshot, style);
    if (live) text = "\033[H\033[2J" + text;
    if (!emit(text)) return kBadInput;
    for (std::int64_t waited = 0; live && waited < interval->value && !stop.stop_requested();
         waited += 50)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  } while (live && !stop.stop_requested());
  return kYes;
}

void describe(TopArguments& arguments, Fields& is) {
  is("socket", arguments.socket, "Where the arbiter listens").shows("PATH");
  is("interval", arguments.interval, "Seconds between two updates of the view").decimal();
  is("once", arguments.once, "Show it once; the default if the output is not a terminal");
  is("json", arguments.json, "Show it once, as JSON");
  is("costs", arguments.costs,
     "The measured runlist_update, context_switch and preemption_delay, in the form of a "
     "system file; of an arbiter for boost: start_cost, preempt_cost and resume_cost");
  is("openmetrics", arguments.openmetrics, "Show it once, as OpenMetrics text")
      .excludes({"json", "costs"});
}

}  // namespace

void add_top(Parser& app, int& exit_code) {
  add_verb<TopArguments>(
      app, exit_code, "top", "Watch the arbiter: which client has the GPU, which clients wait",

      "Exit code 0: shown; 2: bad usage; 3: no arbiter is running, or nothing measured yet.\n"
      "Examples:\n"
      "  tactus top\n"
      "  tactus top --json\n"
      "  tactus top --costs > gpu.json",
      run);
}

}  // namespace tactus::cli
