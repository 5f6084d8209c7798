#include "tactus/cli/run_policy.hpp"

#include <unistd.h>

#include "tactus/arbiter/tasks/task_process.hpp"
#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/host/programs.hpp"
#include "tactus/report/task_run.hpp"

namespace tactus::cli {

void PolicyRun::add_to(CLI::App& verb) {
  verb.add_option("--policy", policy,
                  "Instead of a plan: gcaps, the file's tasks as processes with GPU priorities")
      ->check(CLI::IsMember({"gcaps"}));
  verb.add_option("--mode", mode,
                  "With --policy: who decides about the GPU; arbiter (tactusd), lock (one lock, "
                  "first come first served), off (the driver's round robin)")
      ->capture_default_str()
      ->check(CLI::IsMember({"arbiter", "lock", "off"}));
  verb.add_option("--tier", tier,
                  "With --mode arbiter: how work is taken off the GPU; channel, yield, gate")
      ->capture_default_str()
      ->check(CLI::IsMember({"channel", "yield", "gate"}));
  verb.add_option("--wait", wait, "With --policy: what the CPU does meanwhile; suspend, busy")
      ->capture_default_str()
      ->check(CLI::IsMember({"suspend", "busy"}));
}

int run_policy(const System& system, const PolicyRun& policy, const PolicyRunSettings& settings) {
  using namespace arbiter::tasks;
  if (settings.backend != "cuda" && settings.backend != "cpu" && settings.backend != "process") {
    complain(
        "tactus: --policy needs --backend cuda; or cpu to spin GPU work on the CPU, or process to "
        "do so in processes that can be stopped");
    return kBadInput;
  }
  TaskRunOptions options;
  options.mode = policy.mode == "off"    ? Mode::kOff
                 : policy.mode == "lock" ? Mode::kLock
                                         : Mode::kArbiter;
  options.tier = policy.tier == "channel" ? TierChoice::kChannel
                 : policy.tier == "yield" ? TierChoice::kYield
                                          : TierChoice::kGate;
  if (settings.backend == "process") options.tier = TierChoice::kProcess;
  options.backend = settings.backend == "cuda" ? Backend::kCuda : Backend::kCpu;
  options.busy_wait = policy.wait == "busy";
  options.duration = settings.duration;
  options.fill = settings.fill;
  options.device = settings.device;
  options.realtime = settings.realtime;
  options.program = host::own_program();
  options.preload = host::companion("libtactus_preload.so");
  const auto run = [&] {
    LongWork work;
    options.stop = work.stop_token();
    return run_tasks(system, options);
  }();
  if (!run) {
    complain("tactus: " + run.error().message);
    return kUnknown;
  }
  const report::TaskProcesses shown{system, options, *run};
  if (!emit(settings.json ? report::task_run_json(shown)
                          : report::task_run_text(shown, report::Style::of(STDOUT_FILENO))))
    return kBadInput;
  return run->interrupted ? kUnknown : run->good() ? kYes : kNo;
}

void add_task_process(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("task-process", "One task of `tactus run --policy`");
  verb->group("");  // not for people
  struct Arguments {
    int file = -1;
    unsigned index = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->file)->required();
  verb->add_option("TASK", arguments->index)->required();
  verb->callback([arguments, &exit_code] {
    exit_code = arbiter::tasks::run_task_process(arguments->file, arguments->index);
  });
}

}  // namespace tactus::cli
