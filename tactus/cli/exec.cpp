#include <unistd.h>

#include <optional>

#include "tactus/arbiter/exec/exec.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/start.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/host/programs.hpp"

namespace tactus::cli {
namespace {

struct ExecArguments {
  std::vector<std::string> command;
  std::optional<int> priority;
  bool best_effort = false, segments = false, required = false;
  std::string tier, socket;
  int slice = 0;  ///< us; 0: not given
};

/// A complaint, where what was given does not fit together.
const char* problem_of(const ExecArguments& arguments, bool with_priority) {
  const int ways =
      (with_priority ? 1 : 0) + (arguments.best_effort ? 1 : 0) + (arguments.segments ? 1 : 0);
  if (ways != 1) return "exec needs either --priority N or --best-effort or --segments";
  if (arguments.segments && arguments.tier == "process")
    return "a program with segments of its own is held back by --tier hold or channel";
  if (arguments.tier == "timeslice" && !arguments.best_effort)
    return "--tier timeslice is for best effort: such a program is never urgent";
  if (arguments.tier == "timeslice" && (arguments.required || !arguments.socket.empty()))
    return "--tier timeslice needs no arbiter, and asks none: leave out --required and --socket";
  if (arguments.slice != 0 && arguments.tier != "timeslice")
    return "--slice is for --tier timeslice";
  if (!arguments.segments && arguments.tier == "hold")
    return "--tier hold is for programs with segments of their own (--segments)";
  return nullptr;
}

int run(ExecArguments& arguments) {
  const bool with_priority = arguments.priority.has_value();
  if (const char* const problem = problem_of(arguments, with_priority)) {
    complain(std::string("tactus: ") + problem);
    return kBadInput;
  }
  arbiter::exec::ExecOptions options;
  options.tier = arguments.tier;
  if (arguments.slice != 0) options.time_slice_us = arguments.slice;
  options.own_segments = arguments.segments;
  if (options.tier.empty() && arguments.segments) options.tier = "hold";
  if (options.tier.empty()) {
    // Stopping a process does not stop its kernels, so with a GPU there is no safe default.
    if (access("/dev/nvidiactl", F_OK) == 0) {
      complain(
          "tactus: this machine has a GPU: say --tier channel (uses driver controls that are not "
          "documented) or --tier process (stops the processes, not their kernels)");
      return kBadInput;
    }
    options.tier = "process";
  }
  options.command = arguments.command;
  if (with_priority) options.urgency = arbiter::Urgency::real_time(*arguments.priority);
  options.socket = arguments.socket;
  options.preload = host::companion("libtactus_preload.so");
  options.required = arguments.required;
  options.children_ignored = children_were_ignored();
  options.tell = [](std::string_view line) { note("tactus: " + std::string(line)); };
  const auto code = arbiter::exec::execute(options);
  if (code) return *code;
  complain("tactus: " + code.error().message);
  return kUnknown;
}

void describe(ExecArguments& arguments, Fields& is) {
  is("command", arguments.command, "The program and its arguments, after --")
      .positional("COMMAND")
      .required();
  is("priority", arguments.priority, "Of its GPU work; larger is more urgent")
      .range(-1'000'000'000, 1'000'000'000);
  is("best_effort", arguments.best_effort, "Its GPU work runs when no other program wants the GPU")
      .excludes({"priority"});
  is("segments", arguments.segments,
     "It marks its GPU segments itself (tactus_segment_begin_stream): calls that wait "
     "for the GPU split them");
  is("tier", arguments.tier,
     "How its work is taken off: process (stop it; for CPU-bound programs, and the "
     "default where there is no GPU) or channel (its GPU channels, mid-kernel); with "
     "--segments: hold (its segments run to their end; the default) or channel. "
     "timeslice: not at all; its time slices are short, and no arbiter is needed")
      .one_of({"process", "channel", "hold", "timeslice"});
  is("slice", arguments.slice,
     "With --tier timeslice: how long it runs before another program's turn, in "
     "microseconds; default 100")
      .shows("US")
      .range(1, arbiter::kMostTimeSliceUs);
  is("socket", arguments.socket, "Where the arbiter listens").shows("PATH");
  is("required", arguments.required, "Do not run it when there is no arbiter");
}

}  // namespace

void add_exec(Parser& app, int& exit_code) {
  add_verb<ExecArguments>(
      app, exit_code, "exec", "Run a program, as it is, under the arbiter",

      "The exit code is that of the command; 126 or 127 when it cannot be started; 2: bad usage;\n"
      "3: the tier, the priority or (with --required) the arbiter is not available.\n"
      "Examples:\n"
      "  tactus exec --priority 70 --tier channel -- ./camera\n"
      "  tactus exec --best-effort --tier channel -- python3 train.py\n"
      "  tactus exec --segments --tier channel -- python3 camera.py\n"
      "  tactus exec --best-effort --tier timeslice -- python3 train.py\n"
      "  tactus exec --best-effort -- make -j8",
      run);
}

}  // namespace tactus::cli
