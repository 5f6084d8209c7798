#include "tactus/cli/measure_command.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tactus/base/file.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/subject.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/host/programs.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/observe/task.hpp"
#include "tactus/observe/watch.hpp"
#include "tactus/report/watched_program.hpp"
#include "tactus/runtime/cuda/info.hpp"
#include "tactus/runtime/measure/measure_nodes.hpp"

namespace tactus::cli {
namespace {

/// The GPU where there is one, else the machine.
std::string machine_name() {
  if (const auto gpu = runtime::cuda::gpu_info()) return gpu->name;
  utsname machine{};
  return uname(&machine) == 0 ? machine.nodename : "unknown";
}

}  // namespace

void MeasureCommand::add_to(Parser& verb) {
  verb.add_option("--task", task_, "Name of the task that a command becomes")
      ->capture_default_str()
      ->type_name("NAME");
  verb.add_option("--cut-at", cut_at_,
                  "A job of a command begins with each call of this function, such as "
                  "cuGraphLaunch; default: after a pause")
      ->type_name("FUNCTION");
  verb.add_option("--idle-gap", idle_gap_, "How long such a pause is at least, ms")
      ->capture_default_str()
      ->check(decimal_number());
  verb.add_option("--duration", duration_, "End the command after this time, ms")
      ->check(decimal_number());
}

int MeasureCommand::run(const std::vector<std::string>& command, const std::string& output,
                        bool json, const runtime::MeasureOptions& options) const {
  observe::CutOptions cut;
  cut.at = cut_at_;
  const System in_ms;
  const auto gap = time_argument("idle-gap", idle_gap_, in_ms);
  if (!gap) return kBadInput;
  cut.idle_gap = *gap;
  std::optional<Time> longest;
  if (!duration_.empty()) {
    longest = time_argument("duration", duration_, in_ms);
    if (!longest) return kBadInput;
  }
  const auto unavailable = [](const Error& error) {
    complain(fmt::format("tactus: {}", error.message));
    return kUnknown;
  };
  const auto watched = [&] {
    const LongWork work;
    return observe::watch(command, host::companion("libtactus_observer.so"), longest,
                          work.stop_token());
  }();
  if (!watched) return unavailable(watched.error());
  const auto jobs = observe::cut_into_jobs(watched->calls, cut);
  if (!jobs) return unavailable(jobs.error());
  observe::TaskOptions task;
  task.name = task_;
  task.margin = options.margin;
  task.bcet = options.bcet;
  task.machine = machine_name();
  auto seen = observe::task_of(*jobs, task);
  if (!seen) return unavailable(seen.error());
  if (watched->lost > 0) {
    seen->notes.push_back(
        fmt::format("{} calls did not fit into the log, which is full", watched->lost));
  }
  if (watched->exit_code != 0 && !watched->ended_by_us) {
    seen->notes.push_back(fmt::format("the program ended with code {}", watched->exit_code));
  }
  if (!output.empty()) {
    if (const auto problem = write_text_file(output, write_system(seen->system))) {
      complain("tactus: " + problem->message);
      return kBadInput;
    }
  }
  const std::string text =
      json ? report::watched_json(*seen, task)
           : report::watched_text(*seen, task, report::Style::of(STDOUT_FILENO));
  return emit(text) ? kYes : kBadInput;
}

}  // namespace tactus::cli
