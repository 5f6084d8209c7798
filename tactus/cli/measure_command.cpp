#include "tactus/cli/measure_command.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/host/programs.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/observe/task.hpp"
#include "tactus/observe/watch.hpp"
#include "tactus/report/watched_program.hpp"
#include "tactus/runtime/cuda/info.hpp"
#include "tactus/verbs/simulate.hpp"

namespace tactus::cli {
namespace {

/// The GPU where there is one, else the machine.
std::string machine_name() {
  if (const auto gpu = runtime::cuda::gpu_info()) return gpu->name;
  utsname machine{};
  return uname(&machine) == 0 ? machine.nodename : "unknown";
}

}  // namespace

void describe(MeasureCommand& command, Fields& is) {
  is("task", command.task_, "Name of the task that a command becomes").shows("NAME");
  is("cut_at", command.cut_at_,
     "A job of a command begins with each call of this function, such as cuGraphLaunch; default: "
     "after a pause")
      .shows("FUNCTION");
  is("idle_gap", command.idle_gap_, "How long such a pause is at least, ms").decimal();
  is("auto", command.automatic_,
     "GPU parts of a command are cut where tactus exec --auto cuts segments");
  is("duration", command.duration_, "End the command after this time, ms").decimal();
}

int MeasureCommand::run(const std::vector<std::string>& command, const std::string& output,
                        bool json, const verbs::MeasureQuestion& options) const {
  observe::CutOptions cut;
  cut.at = cut_at_;
  cut.automatic = automatic_;
  const System in_ms;
  const auto gap = verbs::time_of("idle-gap", idle_gap_, in_ms);
  if (!gap) return complain_of(gap.none());
  cut.idle_gap = *gap;
  std::optional<Time> longest;
  if (!duration_.empty()) {
    const auto time = verbs::time_of("duration", duration_, in_ms);
    if (!time) return complain_of(time.none());
    longest = *time;
  }
  const auto unavailable = [](const Error& error) { return fail(error.message, kUnknown); };
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
  if (!output.empty() && !save(output, write_system(seen->system))) return kBadInput;
  const std::string text =
      json ? report::watched_json(*seen, task)
           : report::watched_text(*seen, task, report::Style::of(STDOUT_FILENO));
  return emit(text) ? kYes : kBadInput;
}

}  // namespace tactus::cli
