#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/decide/slack.hpp"
#include "tactus/decide/sweep.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/charts/gnuplot.hpp"
#include "tactus/report/slack.hpp"
#include "tactus/report/sweep.hpp"
#include "tactus/verbs/slack.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file;
  MethodOptions choice;
  WhatIf what_if;
  std::string sweep, svg;
  std::int64_t points = 16;
  bool json = false, csv = false;
};

/// Bounds along one value, as text, CSV, JSON or a drawing.
int run_sweep(const Arguments& arguments, const decide::Edited& edited,
              const decide::Choice& choice, const Options& options) {
  const System& system = edited.system;
  const Result<decide::SweepRange> range = decide::parse_sweep(system, arguments.sweep);
  if (!range) {
    complain("tactus: " + range.error().message);
    return kBadInput;
  }
  const auto points = decide::sweep(*choice.method, system, options, *range, arguments.points);
  const report::Swept swept{system, *choice.method, options.variant, *range, points};
  if (!arguments.svg.empty()) {
    if (const auto why = report::why_no_charts()) {
      complain("tactus: " + *why);
      return kUnknown;
    }
    if (const auto problem =
            draw_chart(sweep_chart(swept), report::ChartFormat::kSvg, arguments.svg)) {
      complain("tactus: " + problem->message);
      return kBadInput;
    }
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text = arguments.json  ? sweep_json(swept, edited.changes)
                           : arguments.csv ? sweep_csv(swept)
                                           : changes_text(edited, style) + sweep_text(swept, style);
  if (!emit(text)) return kBadInput;
  return options.stop.stop_requested() ? kUnknown : kYes;
}

int run(const Arguments& arguments) {
  verbs::Methods named;
  if (arguments.choice.given()) {
    auto methods = arguments.choice.methods();
    if (!methods) return kBadInput;
    named = std::move(*methods);
  }
  const std::optional<decide::Edited> edited = arguments.what_if.read(arguments.file);
  if (!edited) return kBadInput;
  const System& system = edited->system;
  std::optional<decide::Slack> slack;
  std::string why;
  {
    LongWork work;
    Options options = arguments.choice.options();
    options.stop = work.stop_token();
    const auto choice = verbs::choose_one(named, system, options, arguments.choice.variant());
    if (!choice) return complain_of(choice.none());
    why = choice->why;
    options.variant = choice->variant;
    options.progress = work.progress();
    const auto sound = verbs::analyzed(*choice->method, system, options);
    if (!sound) return complain_of(sound.none());
    if (!arguments.sweep.empty()) return run_sweep(arguments, *edited, *choice, options);
    slack = decide::slack_of(*choice->method, system, options);
  }
  if (slack->verdict.status == Status::kNotApplicable) {
    complain(to_string(
        Diagnostic{Severity::kError, slack->verdict.at,
                   fmt::format("{} does not apply: {}", slack->method->id, slack->verdict.reason)},
        shown_name(arguments.file)));
    return kUnknown;
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text = arguments.json  ? report::slack_json(system, *slack, edited->changes)
                           : arguments.csv ? report::slack_csv(system, *slack)
                                           : changes_text(*edited, style) +
                                                 report::slack_text(system, *slack, why, style);
  if (!emit(text)) return kBadInput;
  return slack->stopped ? kUnknown : verbs::exit_of(slack->verdict.status);
}

}  // namespace

void add_slack(Parser& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("slack", "How far times, periods and costs may go, and who is late then");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->file, "System file; - is standard input")->required();
  arguments->choice.add_to(*verb, "");
  arguments->what_if.add_to(*verb);
  auto* json = verb->add_flag("--json", arguments->json, "As JSON (docs/use/deciding.md)");
  verb->add_flag("--csv", arguments->csv, "As CSV, one line per value")->excludes(json);
  auto* sweep =
      verb->add_option("--sweep", arguments->sweep,
                       "Bounds along one value: camera.detect.wcet=9..12, gpu.units=8..16, "
                       "all=0.5..2")
          ->type_name("NAME=FROM..TO");
  verb->add_option("--points", arguments->points, "Of a sweep")
      ->capture_default_str()
      ->check(between(2, 10000))
      ->needs(sweep);
  verb->add_option("--svg", arguments->svg, "Draw the sweep")->type_name("FILE")->needs(sweep);
  verb->footer(
      "Without --method: the method that the file deploys, else the one under which all times may\n"
      "grow most.\n"
      "Exit code 0: every deadline is proved, and this is the room there is; 1: not proved, and "
      "this is\nwhat must change; 2: bad input; 3: undecided, not applicable or interrupted.\n"
      "Examples:\n"
      "  tactus slack robot.system.json\n"
      "  tactus slack robot.system.json --method gcaps.suspend --set camera.detect.wcet=7\n"
      "  tactus slack robot.system.json --sweep camera.detect.wcet=6..12 --svg detect.svg");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
