#include "tactus/verbs/measure.hpp"

#include <unistd.h>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/measure_command.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/measurement.hpp"
#include "tactus/verbs/run.hpp"

namespace tactus::cli {
namespace {

struct MeasureArguments {
  std::vector<std::string> words;  ///< a file, or a command
  bool is_command = false;
  MeasureCommand command;
  std::string output;
  verbs::MeasureQuestion question;
  verbs::MachineQuestion machine{.backend = "cuda"};
  verbs::WhatIf what_if;
  bool json = false;
  const Fields* fields = nullptr;
};

void describe(MeasureArguments& arguments, Fields& is) {
  is("file", arguments.words, "System file; or -- and a COMMAND with its arguments")
      .positional("FILE")
      .required();
  is("the_rest_is_a_command", arguments.is_command, "").hidden();
  describe(arguments.what_if, is);
  is("output", arguments.output, "Write the system file with what was measured")
      .letter('o')
      .shows("FILE");
  describe(arguments.question, is);
  describe(arguments.machine, is, {"cuda", "emulator"});
  is("json", arguments.json, "As JSON");
  describe(arguments.command, is);
}

/// What does nothing to the kind of measurement that was asked for.
void tell_idle(const MeasureArguments& arguments) {
  const auto tell = [&](std::initializer_list<std::string_view> keys, std::string_view why) {
    tell_without_effect(told_here(), *arguments.fields, keys, why);
  };
  if (arguments.is_command) {
    tell({"units", "runs", "enemies", "pairs", "noisy_ok", "nodes", "backend", "kernel", "device",
          "realtime", "sms", "partition_step", "samples", "set", "add", "costs"},
         "a command is watched as it runs");
    if (arguments.command.cuts_at_calls()) tell({"idle_gap"}, "--cut-at cuts the jobs");
    return;
  }
  tell({"task", "cut_at", "idle_gap", "auto", "duration"},
       "it is of a command, and this is a file");
  if (arguments.machine.backend == "emulator") {
    tell({"kernel", "device", "realtime"}, "the emulator has no GPU");
  } else {
    tell({"sms", "partition_step"}, "only the emulator has it");
  }
  if (!arguments.json) tell({"samples"}, "it goes with --json");
}

int measure_file(const MeasureArguments& arguments) {
  if (arguments.words.size() != 1) return fail("measure takes one FILE, or -- and a COMMAND");
  verbs::About about{document_at(arguments.words.front()), arguments.what_if};
  const auto edited = about.edited(told_here());
  if (!edited) return complain_of(edited.none());
  runtime::MeasureOptions options;
  options.backend = arguments.machine.backend;
  options.machine = verbs::machine_of(arguments.machine);
  const auto measured = [&] {
    LongWork work;
    options.stop = work.stop_token();
    options.progress = work.progress();
    return verbs::measure(edited->system, runtime::Workload(), arguments.question, options);
  }();
  if (!measured) return complain_of(measured.none());
  if (!arguments.output.empty() && !save(arguments.output, write_system(measured->system))) {
    return kBadInput;
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text =
      arguments.json
          ? report::measurement_json(*measured, options, arguments.question.samples,
                                     edited->changes)
          : changes_text(*edited, style) + report::measurement_text(*measured, options, style);
  return emit(text) ? kYes : kBadInput;
}

int run(MeasureArguments& arguments) {
  tell_idle(arguments);
  return arguments.is_command ? arguments.command.run(arguments.words, arguments.output,
                                                      arguments.json, arguments.question)
                              : measure_file(arguments);
}

}  // namespace

void add_measure(Parser& app, int& exit_code) {
  add_verb<MeasureArguments>(
      app, exit_code, "measure",
      "Measure how long work takes beside what disturbs it, or watch a program",
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
      "  tactus measure -o camera.system.json --task camera -- ./camera --frames 500",
      run);
}

}  // namespace tactus::cli
