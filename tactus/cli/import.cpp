#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "tactus/base/file.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/without_effect.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/import.hpp"
#include "tactus/verbs/import.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  verbs::ImportWords words;
  std::string source, from, output, edges, times;
  bool report = false, json = false, list = false;
  const Parser* verb = nullptr;
};

int list_formats() {
  std::string text;
  for (const exchange::SourceFormat& format : exchange::source_formats()) {
    text += fmt::format("{:<10} {}\n", format.name, format.what);
  }
  return emit(text) ? kYes : kBadInput;
}

int run(const Arguments& arguments) {
  if (arguments.list) {
    tell_without_effect(*arguments.verb, options_but(*arguments.verb, {"--list"}),
                        "--list only lists");
  }
  if (arguments.list) return list_formats();
  if (arguments.source.empty()) {
    complain("tactus: import needs a SOURCE; `tactus import --list` shows what can be imported");
    return kBadInput;
  }
  if (!arguments.words.jobs.empty() && arguments.words.jobs != "idle") {
    tell_without_effect(*arguments.verb, {"--gap"}, "it is of --jobs idle");
  }
  verbs::ImportWords words = arguments.words;
  if (words.name.empty()) words.name = verbs::system_name_of(arguments.source);
  auto options = verbs::import_options(words);
  if (!options) return complain_of(options.none());
  for (const auto& [path, text] : {std::pair(&arguments.edges, &options->edges),
                                   std::pair(&arguments.times, &options->times)}) {
    if (path->empty()) continue;
    Result<std::string> read = read_text_file(*path);
    if (!read) {
      complain("tactus: " + read.error().message);
      return kBadInput;
    }
    *text = std::move(*read);
  }
  const std::string shown = shown_name(arguments.source);
  const auto imported =
      verbs::imported(exchange::import_file(arguments.source, arguments.from, *options), shown);
  if (!imported) return complain_of(imported.none());
  const std::string text = write_system(imported->system);
  if (!arguments.output.empty()) {
    if (const auto failed = write_text_file(arguments.output, text)) {
      complain("tactus: " + failed->message);
      return kBadInput;
    }
  } else if (!arguments.json && !emit(text)) {
    return kBadInput;
  }
  if (arguments.json) {
    const bool with_system = arguments.output.empty();
    return emit(report::import_json(*imported, shown, with_system)) ? kYes : kBadInput;
  }
  const std::string told =
      report::import_text(*imported, shown, arguments.report, report::Style::of(STDOUT_FILENO));
  if (arguments.output.empty()) {  // standard output has the system
    if (arguments.report) complain(std::string_view(told).substr(0, told.size() - 1));
    return kYes;
  }
  return emit(told) ? kYes : kBadInput;
}

}  // namespace

void add_import(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("import", "A system from a profile, or from another tool's file");
  auto arguments = std::make_shared<Arguments>();
  arguments->verb = verb;
  verbs::ImportWords& words = arguments->words;
  auto* source = verb->add_option("FILE", arguments->source, "What to import; - is standard input");
  auto* list = verb->add_flag("--list", arguments->list, "What can be imported");
  source->excludes(list);
  verb->add_option("-o,--output", arguments->output, "Write the system; default: standard output")
      ->type_name("FILE");
  std::vector<std::string> formats;
  for (const exchange::SourceFormat& format : exchange::source_formats()) {
    formats.emplace_back(format.name);
  }
  verb->add_option("--from", arguments->from, "What it is; default: its contents tell")
      ->check(one_of(formats));
  verb->add_flag("--report", arguments->report, "Say what was assumed, and what was left out");
  verb->add_flag("--json", arguments->json,
                 "The report as JSON; with the system in it, if there is no -o");
  verb->add_option("--jobs", words.jobs,
                   "Annotations that are jobs, such as 'job_*'; or idle: jobs end where nothing "
                   "happens for --gap. Default: ProfilerStep#*, else all outermost, else idle")
      ->type_name("PATTERN");
  verb->add_option("--gap", words.gap,
                   "With --jobs idle: shortest pause between jobs; default 1 ms")
      ->check(decimal_number());
  verb->add_option("--tasks", words.tasks, "What makes a task")
      ->check(one_of(exchange::kTasksByWords))
      ->capture_default_str();
  verb->add_option("--fold", words.fold, "What becomes one node")
      ->check(one_of(exchange::kFoldWords))
      ->capture_default_str();
  verb->add_option("--margin", words.margin, "Percent on top of the longest time that was seen")
      ->check(between(0, 10'000))
      ->capture_default_str();
  verb->add_flag("--gpu-only", words.gpu_only,
                 "Leave out CPU work: for what is captured as a graph and launched at once");
  verb->add_flag("--bcet", words.bcet,
                 "Write the shortest time, less the margin, as `bcet`: it was seen, not proved");
  verb->add_flag("--after", words.after,
                 "Write `after` where each job of a task follows one of another task");
  verb->add_option("--lag", words.lag, "How soon it must; default 2 ms")->check(decimal_number());
  verb->add_option("--demand", words.demand, "Which `parallelism` a kernel gets")
      ->check(one_of(exchange::kDemandWords))
      ->capture_default_str();
  verb->add_option("--skip", words.skip, "Leave out so many jobs of each task: warming up")
      ->check(whole_number(0));
  verb->add_option("--period", words.periods, "Period of all tasks, or TASK=TIME; may be repeated")
      ->type_name("TIME")
      ->allow_extra_args(false);
  verb->add_option("--deadline", words.deadlines,
                   "Deadline of all tasks, or TASK=TIME; may be repeated")
      ->type_name("TIME")
      ->allow_extra_args(false);
  verb->add_option("--cores", words.cores, "Cores of the cpu element")->check(whole_number(1));
  verb->add_option("--sms", words.sms, "SMs of the gpu element")->check(whole_number(1));
  verb->add_option("--times", arguments->times,
                   "CSV of nsys or ncu with the times of kernels, for nodes that have none")
      ->type_name("FILE");
  verb->add_option("--edges", arguments->edges, "With a job set of sag: the CSV of its edges")
      ->type_name("FILE");
  verb->add_option("--time-unit", words.time_unit, "Of the file, and of the times given here")
      ->check(one_of({"ns", "us", "ms", "s"}))
      ->capture_default_str();
  verb->add_option("--name", words.name, "Name of the system; default: that of the file");
  verb->add_option("--task", words.task, "Name of the task, if there is only one");
  verb->footer(
      "Exit code 0: imported; 2: bad input, and nothing is written.\n"
      "Examples:\n"
      "  tactus import profile.json.gz -o net.system.json --period 33 --report\n"
      "  tactus import profile.json.gz --jobs 'job_*' --fold task --margin 20 -o net.system.json\n"
      "  tactus import profile.json.gz --jobs idle --gap 2 --fold none > net.system.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
