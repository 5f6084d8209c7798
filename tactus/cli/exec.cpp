#include <unistd.h>

#include <charconv>
#include <optional>

#include "tactus/arbiter/exec/exec.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/json.hpp"
#include "tactus/base/json_copy.hpp"
#include "tactus/base/json_writer.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/start.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/host/programs.hpp"
#include "tactus/verbs/about.hpp"
#include "tactus/verbs/simulate.hpp"

namespace tactus::cli {
namespace {

struct ExecArguments {
  std::vector<std::string> command;
  std::optional<int> priority;
  bool best_effort = false, segments = false, automatic = false, required = false;
  std::string tier, socket, share, threshold;
  int slice = 0;  ///< us; 0: not given
  std::string period, deadline, gpu_time, launch_time, cpu_time, jitter, warm_up;
  std::string task, name, reserved;
  std::optional<int> core;
  std::string bound;
  bool declared = false, until_started = false, wait = false, else_best_effort = false;
  const Fields* fields = nullptr;

  /// Does it ask for a reservation?
  bool asks() const { return !period.empty() || !task.empty() || !reserved.empty(); }
};

/// "20%" or "20": a whole number of percent, at least 1 and as much as can be promised. 0: it is none.
int percent_of(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  int percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && percent >= 1 && percent <= arbiter::Urgency::kMostShare ? percent : 0;
}

/// What the arbiter is asked, as JSON. Nothing, with a complaint, where the file cannot be read.
std::optional<arbiter::exec::Wish> wish_of(const ExecArguments& arguments) {
  arbiter::exec::Wish wish;
  wish.waits = arguments.wait;
  wish.else_best_effort = arguments.else_best_effort;
  json::Writer out(json::Layout::kOneLine);
  out.begin_object().key("ask").string("reserve");
  const auto say = [&](const char* key, const std::string& text) {
    if (!text.empty()) out.key(key).string(text);
  };
  if (!arguments.task.empty()) {
    const auto text = read_text_file(arguments.task);
    if (!text) return complain("tactus: " + text.error().message), std::nullopt;
    const auto parsed = json::Document::parse(*text);
    if (const auto* const problem = std::get_if<Diagnostic>(&parsed))
      return complain(to_string(*problem, arguments.task)), std::nullopt;
    json::copy(out.key("task"), std::get<json::Document>(parsed).root());
  } else if (!arguments.reserved.empty()) {
    say("name", arguments.reserved);
  } else {
    const std::string& program = arguments.command[0];
    say("name", arguments.name.empty() ? program.substr(program.rfind('/') + 1) : arguments.name);
    out.key("name_may_vary").boolean(arguments.name.empty());
    say("period", arguments.period);
    say("deadline", arguments.deadline);
    say("jitter", arguments.jitter);
    say("gpu", arguments.gpu_time);
    say("launch", arguments.launch_time);
    say("cpu", arguments.cpu_time);
    if (arguments.core) out.key("core").integer(*arguments.core);
    wish.uses_gpu = !arguments.gpu_time.empty();
  }
  if (arguments.until_started) out.key("until_started").boolean(true);
  say("warm_up", arguments.warm_up);
  say("bound", arguments.bound);
  if (arguments.declared) out.key("declared").boolean(true);
  out.key("leaves").boolean(arguments.tier != "hold");
  out.end_object();
  wish.request = out.take();
  return wish;
}

/// The same where it asks for a reservation.
const char* problem_of_wish(const ExecArguments& arguments, bool with_priority) {
  if (with_priority || arguments.best_effort || arguments.segments || !arguments.share.empty())
    return "a reservation says how urgent it is: leave out --priority, --best-effort, --share and "
           "--segments";
  const int ways = (arguments.period.empty() ? 0 : 1) + (arguments.task.empty() ? 0 : 1) +
                   (arguments.reserved.empty() ? 0 : 1);
  if (ways != 1) return "--period, --task and --reserved are three ways to say it: take one";
  if (!arguments.period.empty() && arguments.gpu_time.empty() && arguments.cpu_time.empty())
    return "--period needs --gpu-time or --cpu-time";
  if (arguments.period.empty() &&
      (!arguments.deadline.empty() || !arguments.gpu_time.empty() || !arguments.cpu_time.empty() ||
       !arguments.launch_time.empty() || !arguments.jitter.empty() || arguments.core))
    return "times and cores are said with --period; a task has its own";
  if (!arguments.tier.empty() && arguments.tier != "channel")
    return "a reservation needs --tier channel: its GPU work must be able to leave";
  if (!arguments.threshold.empty())
    return "a reservation has thresholds of its own: leave out --threshold";
  return nullptr;
}

/// The same where the library cuts the segments.
const char* problem_of_automatic(const ExecArguments& arguments, bool with_priority) {
  if (!with_priority) return "--auto needs --priority N: best-effort programs need no segments";
  if (arguments.tier == "process" || arguments.tier == "timeslice")
    return "a program with automatic segments is held back by --tier hold or channel";
  if (arguments.slice != 0) return "--slice is for --tier timeslice";
  return nullptr;
}

/// Nothing, with a complaint, where a value is not one.
std::optional<arbiter::exec::Automatic> automatic_of(const ExecArguments& arguments) {
  arbiter::exec::Automatic automatic;
  const std::string& threshold = arguments.threshold;
  if (threshold == "protected") {
    automatic.threshold = arbiter::Submit::kProtected;
  } else if (!threshold.empty()) {
    std::int32_t number = 0;
    const auto [end, problem] =
        std::from_chars(threshold.data(), threshold.data() + threshold.size(), number);
    if (problem != std::errc() || end != threshold.data() + threshold.size() ||
        number < *arguments.priority)
      return complain("tactus: --threshold is protected, or a number not below --priority"),
             std::nullopt;
    automatic.threshold = number;
  }
  if (arguments.warm_up.empty()) return automatic;
  const System in_ms;
  const auto time = verbs::time_of("warm-up", arguments.warm_up, in_ms);
  if (!time) return complain_of(time.none()), std::nullopt;
  automatic.warm_up_ns = time->ns();
  return automatic;
}

/// A complaint, where what was given does not fit together.
const char* problem_of(const ExecArguments& arguments, bool with_priority) {
  if (arguments.asks()) return problem_of_wish(arguments, with_priority);
  if (!arguments.share.empty() && (!arguments.best_effort || arguments.tier == "timeslice"))
    return "--share is for best effort that the arbiter holds off: --best-effort, and not --tier "
           "timeslice";
  if (!arguments.share.empty() && percent_of(arguments.share) == 0)
    return "--share is a whole number of percent, from 1% to 95%";
  if (arguments.automatic) return problem_of_automatic(arguments, with_priority);
  if (!arguments.threshold.empty()) return "--threshold is for --auto";
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
    return "--tier hold is for programs with segments (--segments, --auto)";
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
  if (arguments.asks()) {
    options.wish = wish_of(arguments);
    if (!options.wish) return kBadInput;
    options.tier = "channel";
    options.own_segments = true;
  } else {
    constexpr std::string_view kWhy = "no reservation is asked for (--period, --task, --reserved)";
    tell_without_effect(told_here(), *arguments.fields,
                        {"deadline", "gpu_time", "launch_time", "cpu_time", "core", "jitter",
                         "name", "bound", "declared", "until_started", "wait", "else_best_effort"},
                        kWhy);
    if (!arguments.automatic)
      tell_without_effect(told_here(), *arguments.fields, {"warm_up"}, kWhy);
  }
  if (arguments.slice != 0) options.time_slice_us = arguments.slice;
  options.own_segments = options.own_segments || arguments.segments;
  if (arguments.automatic) {
    options.automatic = automatic_of(arguments);
    if (!options.automatic) return kBadInput;
  }
  if (options.tier.empty() && (arguments.segments || arguments.automatic)) options.tier = "hold";
  if (options.tier.empty() && !options.wish) {
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
  options.urgency.share = arguments.share.empty() ? 0 : percent_of(arguments.share);
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
  is("share", arguments.share,
     "Of best effort, while others want the GPU, too: at least so much of the time that "
     "real-time work leaves (tactusd --protocol boost)")
      .shows("PERCENT");
  is("segments", arguments.segments,
     "It marks its GPU segments itself (tactus_segment_begin_stream): calls that wait "
     "for the GPU split them");
  is("auto", arguments.automatic,
     "Its GPU work is cut into segments by what it calls: from its first launch to where it waits "
     "for the GPU (docs/use/automatic.md); for --priority, and an arbiter for boost")
      .excludes({"best_effort", "segments"});
  is("threshold", arguments.threshold,
     "With --auto: only above this priority its work is taken off, once it runs; a number or "
     "protected. Default: the priority")
      .shows("N");
  is("tier", arguments.tier,
     "How its work is taken off: process (stop it; for CPU-bound programs, and the "
     "default where there is no GPU) or channel (its GPU channels, mid-kernel); with "
     "--segments or --auto: hold (its segments run to their end; the default) or channel. "
     "timeslice: not at all; its time slices are short, and no arbiter is needed")
      .one_of({"process", "channel", "hold", "timeslice"});
  is("slice", arguments.slice,
     "With --tier timeslice: how long it runs before another program's turn, in "
     "microseconds; default 100")
      .shows("US")
      .range(1, arbiter::kMostTimeSliceUs);
  is("socket", arguments.socket, "Where the arbiter listens").shows("PATH");
  is("required", arguments.required, "Do not run it when there is no arbiter");
  const std::string_view asked =
      "Reservation (docs/use/reservations.md); 33, \"33ms\" or \"800us\"";
  is("period", arguments.period, "A job comes so often; with it the command asks to be admitted")
      .shows("TIME")
      .group(asked);
  is("deadline", arguments.deadline, "Of a job, from its arrival; default: the period")
      .shows("TIME")
      .group(asked);
  is("gpu_time", arguments.gpu_time, "Of a job on the GPU, in one segment")
      .shows("TIME")
      .group(asked);
  is("launch_time", arguments.launch_time, "CPU time that launches it").shows("TIME").group(asked);
  is("cpu_time", arguments.cpu_time, "Other CPU time of a job").shows("TIME").group(asked);
  is("jitter", arguments.jitter, "A job may begin so long after its arrival")
      .shows("TIME")
      .group(asked);
  is("core", arguments.core, "Its own; core 1 is CPU 0. Default: one that is free")
      .range(1, 100'000)
      .group(asked);
  is("task", arguments.task, "JSON of one task as in a system file, in place of these")
      .shows("FILE")
      .group(asked);
  is("reserved", arguments.reserved, "Take up the task of this name in the arbiter's own file")
      .shows("NAME")
      .group(asked);
  is("name", arguments.name, "Of the reservation; default: that of the program")
      .shows("NAME")
      .group(asked);
  is("bound", arguments.bound, "Its response stays at most this, whoever is admitted later")
      .shows("TIME")
      .group(asked);
  is("declared", arguments.declared,
     "It says when each job arrives (tactus_job_begins): shorter bounds")
      .group(asked);
  is("warm_up", arguments.warm_up,
     "Its start-up takes so long, and is best effort; with --auto it is not cut")
      .shows("TIME")
      .group(asked);
  is("until_started", arguments.until_started,
     "Its start-up lasts until tactus reserve --start NAME")
      .group(asked);
  is("wait", arguments.wait, "Wait, where only tasks that are gone stand in its way").group(asked);
  is("else_best_effort", arguments.else_best_effort, "Run it as best effort if it is not admitted")
      .group(asked);
}

}  // namespace

void add_exec(Parser& app, int& exit_code) {
  add_verb<ExecArguments>(
      app, exit_code, "exec", "Run a program, as it is, under the arbiter",

      "The exit code is that of the command; 126 or 127 when it cannot be started; 2: bad usage;\n"
      "3: the tier, the priority, the reservation or (with --required) the arbiter is not "
      "available.\n"
      "Examples:\n"
      "  tactus exec --priority 70 --tier channel -- ./camera\n"
      "  tactus exec --best-effort --tier channel -- python3 train.py\n"
      "  tactus exec --priority 70 --auto -- python3 detector.py\n"
      "  tactus exec --segments --tier channel -- python3 camera.py\n"
      "  tactus exec --period 33 --gpu-time 9 --launch-time 0.8 --cpu-time 2.5 -- python3 "
      "detector.py\n"
      "  tactus exec --best-effort --share 20% --tier channel -- python3 train.py\n"
      "  tactus exec --best-effort --tier timeslice -- python3 train.py\n"
      "  tactus exec --best-effort -- make -j8",
      run);
}

}  // namespace tactus::cli
