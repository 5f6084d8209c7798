#include <unistd.h>

#include <memory>

#include "tactus/base/file.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/measure_command.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/cli/without_effect.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/measurement.hpp"
#include "tactus/verbs/measure.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::vector<std::string> words;  ///< a file, or a command
  bool is_command = false;
  MeasureCommand command;
  std::string output, units, enemies = "all";
  runtime::MeasureOptions options;
  WhatIf what_if;
  std::int64_t sms = 0;
  bool no_pairs = false, json = false, samples = false;
  const Parser* verb = nullptr;
};

/// What does nothing to the kind of measurement that was asked for.
void tell_idle(const Arguments& arguments) {
  const auto tell = [&](const std::vector<std::string>& options, std::string_view why) {
    tell_without_effect(*arguments.verb, options, why);
  };
  if (arguments.is_command) {
    tell({"--units", "--runs", "--enemies", "--no-pairs", "--noisy-ok", "--node", "--backend",
          "--kernel", "--device", "--realtime", "--sms", "--partition-step", "--samples", "--set",
          "--add"},
         "a command is watched as it runs");
    if (arguments.command.cuts_at_calls()) tell({"--idle-gap"}, "--cut-at cuts the jobs");
    return;
  }
  tell({"--task", "--cut-at", "--idle-gap", "--duration"},
       "it is of a command, and this is a file");
  if (arguments.options.backend == "emulator") {
    tell({"--kernel", "--device", "--realtime"}, "the emulator has no GPU");
  } else {
    tell({"--sms", "--partition-step"}, "only the emulator has it");
  }
  if (!arguments.json) tell({"--samples"}, "it goes with --json");
}

int measure_file(Arguments& arguments) {
  if (arguments.words.size() != 1) {
    complain("tactus: measure takes one FILE, or -- and a COMMAND");
    return kBadInput;
  }
  const std::string& file = arguments.words.front();
  const std::optional<decide::Edited> edited = arguments.what_if.read(file);
  if (!edited) return kBadInput;
  runtime::MeasureOptions& options = arguments.options;
  options.enemies = verbs::enemies_of(arguments.enemies);
  options.pairs = !arguments.no_pairs;
  if (arguments.sms > 0) options.machine.sms = arguments.sms;
  if (!arguments.units.empty()) {
    const auto widths = verbs::widths_of(arguments.units == "none" ? "" : arguments.units);
    if (!widths) return complain_of(widths.none());
    options.units = *widths;
  }
  const auto measured = [&] {
    LongWork work;
    options.stop = work.stop_token();
    options.progress = work.progress();
    return verbs::measure(edited->system, runtime::Workload(), options);
  }();
  if (!measured) return complain_of(measured.none());
  if (!arguments.output.empty()) {
    if (const auto problem = write_text_file(arguments.output, write_system(measured->system))) {
      complain("tactus: " + problem->message);
      return kBadInput;
    }
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text =
      arguments.json
          ? report::measurement_json(*measured, options, arguments.samples, edited->changes)
          : changes_text(*edited, style) + report::measurement_text(*measured, options, style);
  return emit(text) ? kYes : kBadInput;
}

void add_options(Parser& verb, Arguments& arguments) {
  runtime::MeasureOptions& options = arguments.options;
  options.backend = "cuda";
  verb.add_option("-o,--output", arguments.output, "Write the system file with what was measured")
      ->type_name("FILE");
  verb.add_option("--units", arguments.units,
                  "Widths in SMs, such as 8,16,32, or none; default: one step of the machine's "
                  "partitions, two, four ... and all of them")
      ->type_name("LIST");
  verb.add_option("--runs", options.runs, "Of each node, on each width, beside each neighbour")
      ->capture_default_str()
      ->check(whole_number(1));
  verb.add_option("--enemies", arguments.enemies,
                  "What runs on the rest of the GPU: all, none, or some of compute, launches, L2, "
                  "streaming, atomics, copies")
      ->capture_default_str()
      ->type_name("LIST");
  verb.add_flag("--no-pairs", arguments.no_pairs, "One enemy at a time, no pairs");
  verb.add_option("--margin", options.margin, "Percent on top of the longest time")
      ->capture_default_str()
      ->check(whole_number(0));
  verb.add_flag("--bcet", options.bcet,
                "Write the shortest time, less the margin, as bcet, too; it is no lower bound");
  verb.add_flag("--noisy-ok", options.noisy,
                "Measure although work alone takes very different times");
  verb.add_option(
          "--node", options.nodes,
          "Only this TASK or TASK.NODE; may be repeated. Default: every node on a GPU or on "
          "a shared copy element")
      ->type_name("NAME");
  verb.add_option("--backend", options.backend, "cuda or emulator")
      ->capture_default_str()
      ->check(one_of({"cuda", "emulator"}));
  verb.add_option("--kernel", options.machine.kernel,
                  "Synthetic work: compute, special, branch, memory or mixed")
      ->capture_default_str()
      ->check(kernel_kind());
  verb.add_option("--device", options.machine.device, "Which GPU")
      ->capture_default_str()
      ->check(whole_number(0));
  verb.add_flag("--realtime", options.machine.realtime, "Ask for SCHED_FIFO and locked memory");
  verb.add_option("--sms", arguments.sms, "SMs of the emulated GPU")->check(whole_number(1));
  verb.add_option("--partition-step", options.machine.partition_step,
                  "SMs by which emulated partitions grow")
      ->capture_default_str()
      ->check(whole_number(1));
  verb.add_flag("--json", arguments.json, "As JSON");
  verb.add_flag("--samples", arguments.samples, "With --json: every single time");
}

}  // namespace

void add_measure(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand(
      "measure", "Measure how long work takes beside what disturbs it, or watch a program");
  auto arguments = std::make_shared<Arguments>();
  arguments->verb = verb;
  verb->add_option("FILE", arguments->words, "System file; or -- and a COMMAND with its arguments")
      ->required();
  verb->add_flag(std::string(kCommandFlag), arguments->is_command)->group("");
  arguments->what_if.add_to(*verb);
  add_options(*verb, *arguments);
  arguments->command.add_to(*verb);
  verb->footer(
      "A file: its GPU nodes run as synthetic work on each width, alone, beside enemies and "
      "beside\n"
      "each other; -o writes their times, wcet and measured. Programs measure their own work "
      "through\n"
      "the library. A command: it runs as it is; what it does on CPU and GPU becomes a task.\n"
      "Measured, not proved: a longer time can always come.\n"
      "Exit code 0: measured; 2: bad file or usage; 3: there is no GPU, it failed, or the machine "
      "is noisy.\n"
      "Examples:\n"
      "  tactus measure robot.system.json --units 8,16,32 -o measured.system.json\n"
      "  tactus measure robot.system.json --backend emulator --json\n"
      "  tactus measure -o camera.system.json --task camera -- ./camera --frames 500");
  verb->callback([arguments, &exit_code] {
    tell_idle(*arguments);
    exit_code = arguments->is_command ? arguments->command.run(arguments->words, arguments->output,
                                                               arguments->json, arguments->options)
                                      : measure_file(*arguments);
  });
}

}  // namespace tactus::cli
