#include "tactus/cli/run_processes.hpp"
#include "tactus/cli/numbers.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include "tactus/arbiter/tasks/sharing.hpp"
#include "tactus/arbiter/tasks/task_process.hpp"
#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/decide/run_start.hpp"
#include "tactus/host/programs.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/cover.hpp"
#include "tactus/report/task_run.hpp"
#include "tactus/trace/observed_json.hpp"

namespace tactus::cli {

using namespace arbiter::tasks;

void ProcessRun::add_to(Parser& verb) {
  verb.add_option("--mode", mode,
                  "With --policy gcaps: what decides about the GPU; arbiter (tactusd; as with "
                  "--policy gcaps.suspend), boost (tactusd with gates; gcaps.boost.suspend), lock "
                  "(one lock, first come first served; "
                  "fmlp.suspend), off (the driver's round robin; tsg-rr.suspend)")
      ->check(one_of({"arbiter", "boost", "lock", "off"}));
  verb.add_option("--tier", tier,
                  "Under an arbiter: how work is taken off the GPU; channel, yield, gate; or hold "
                  "(boost: gates only, nothing is taken off) (default: channel; with --backend cpu "
                  "gate, and hold under boost)")
      ->check(one_of({"channel", "yield", "gate", "hold"}));
  verb.add_option("--wait", wait,
                  "With --policy gcaps: what the CPU does while the GPU works; suspend (as "
                  "gcaps.suspend), busy (as gcaps.busy)")
      ->check(one_of({"suspend", "busy"}));
}

const Method* ProcessRun::choose(const Method* method, bool by_alias) const {
  if (mode.empty() && wait.empty()) return method;
  if (!by_alias) {
    complain(fmt::format("tactus: --mode and --wait go with --policy gcaps; {} says both itself",
                         method->id));
    return nullptr;
  }
  const Mode chosen = mode == "off"     ? Mode::kOff
                      : mode == "lock"  ? Mode::kLock
                      : mode == "boost" ? Mode::kBoost
                                        : Mode::kArbiter;
  return &method_run_by(chosen, wait == "busy");
}

namespace {

TierChoice tier_of(std::string_view word, std::string_view backend, Mode mode) {
  if (backend == "process") return TierChoice::kProcess;
  if (word.empty() && backend == "cpu")
    return mode == Mode::kBoost ? TierChoice::kHold : TierChoice::kGate;
  return word == "yield"  ? TierChoice::kYield
         : word == "hold" ? TierChoice::kHold
         : word == "gate" ? TierChoice::kGate
                          : TierChoice::kChannel;
}

/// Gates start whole segments: a tier that waits at launches has no place there, and the tier hold
/// none elsewhere.
std::string why_no_tier(const TaskRunOptions& options) {
  const bool gated = options.mode == Mode::kBoost;
  if (arbitrated(options.mode) && !gated && options.tier == TierChoice::kHold)
    return "the tier hold is for plans of gcaps.boost; here channel, yield or gate";
  if (gated && options.tier == TierChoice::kGate)
    return "plans of gcaps.boost run with the tiers channel, yield and hold, not with gate";
  const bool on_cpu = options.backend == Backend::kCpu && options.tier != TierChoice::kProcess;
  if (arbitrated(options.mode) && on_cpu &&
      options.tier != (gated ? TierChoice::kHold : TierChoice::kGate)) {
    return fmt::format(
        "with --backend cpu work is held back by --tier {}; with --backend process it is taken "
        "off, too",
        gated ? "hold" : "gate");
  }
  return {};
}

/// What placing tasks has said already, in more detail.
bool is_told(const std::string& id) {
  return id == "cores" || id == "cpu-order" || id == "arbiter-core" || id == "proof" ||
         id == "variant" || id == "real-gpu";
}

/// Asks whether this start covers the plan, and says what does not, or may not.
Result<std::vector<std::string>> covered(const System& as_run, const Verdict& plan,
                                         const TaskRunOptions& options,
                                         const Placement& placement) {
  const decide::Start start = decide::start_of_run(as_run, options, placement);
  const auto conditions = decide::judge(as_run, plan, start);
  std::vector<std::string> notes;
  const auto said = [](const decide::Condition& condition) {
    return fmt::format("{}: {} ({})", condition.id, condition.what, condition.help);
  };
  for (const decide::Condition& condition : report::those(conditions, decide::Holds::kNo)) {
    if (options.plan != nullptr && decide::keeps_from_running(start, condition))
      return Error{said(condition) + "; --policy runs it all the same"};
    if (!is_told(condition.id))
      notes.push_back("the bounds do not cover this start: " + said(condition));
  }
  for (const decide::Condition& condition : report::those(conditions, decide::Holds::kNotKnown)) {
    if (condition.whose != decide::Whose::kProgram)
      notes.push_back("it is not known whether the bounds cover this start: " + said(condition));
  }
  return notes;
}

}  // namespace

bool runs_as_processes(const Method& method) { return static_cast<bool>(find_sharing(method)); }

int run_processes(const decide::Edited& edited, const ProcessRunSubject& subject,
                  const ProcessRun& how, const ProcessRunSettings& settings) {
  const System& system = edited.system;
  if (settings.backend != "cuda" && settings.backend != "cpu" && settings.backend != "process") {
    complain(fmt::format(
        "tactus: tasks of {} run as processes, which needs --backend cuda; or cpu to spin GPU work "
        "on the CPU, or process to do so in processes that can be stopped",
        subject.method.id));
    return kBadInput;
  }
  const auto sharing = find_sharing(subject.method);
  if (!sharing) {
    complain("tactus: " + sharing.error().message);
    return kUnknown;
  }
  TaskRunOptions options;
  options.method = &subject.method;
  options.plan = subject.plan;
  options.variant = subject.variant.value_or(std::string(sharing->variant));
  options.mode = sharing->mode;
  options.busy_wait = sharing->busy_wait;
  options.tier = tier_of(how.tier, settings.backend, options.mode);
  options.backend = settings.backend == "cuda" ? Backend::kCuda : Backend::kCpu;
  if (!how.tier.empty() && !arbitrated(options.mode)) {
    complain("tactus: warning: --tier has no effect: no arbiter takes work off the GPU here");
  }
  if (const std::string why = why_no_tier(options); !why.empty()) {
    complain("tactus: " + why);
    return kBadInput;
  }
  options.duration = settings.duration;
  options.fill = settings.fill;
  options.device = settings.device;
  options.realtime = settings.realtime;
  options.program = host::own_program();
  options.preload = host::companion("libtactus_preload.so");
  options.judge = [&](const System& as_run, const Verdict& plan, const Placement& placement) {
    return covered(as_run, plan, options, placement);
  };
  auto run = [&] {
    LongWork work;
    options.stop = work.stop_token();
    return run_tasks(system, options);
  }();
  if (!run) {
    complain("tactus: " + run.error().message);
    return kUnknown;
  }
  if (settings.json) report::note_changes(edited, *run);
  const report::Style style = report::Style::of(STDOUT_FILENO);
  if (!emit(settings.json
                ? trace::observed_json(system, *run)
                : changes_text(edited, style) + report::task_run_text(system, *run, style)))
    return kBadInput;
  return !run->cut_short.empty() ? kUnknown : run->good() ? kYes : kNo;
}

void add_task_process(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("task-process", "One task of a `tactus run` of processes");
  verb->group("");  // not for people
  struct Arguments {
    int file = -1;
    unsigned index = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->file)->required();
  verb->add_option("TASK", arguments->index)->required();
  verb->callback(
      [arguments, &exit_code] { exit_code = run_task_process(arguments->file, arguments->index); });
}

}  // namespace tactus::cli
