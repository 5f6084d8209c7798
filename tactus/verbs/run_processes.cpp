#include <fmt/core.h>

#include "tactus/arbiter/tasks/sharing.hpp"
#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/decide/run_start.hpp"
#include "tactus/host/programs.hpp"
#include "tactus/report/cover.hpp"
#include "tactus/verbs/run.hpp"

namespace tactus::verbs {

using namespace arbiter::tasks;

Answer<const Method*> method_of_processes(const RunQuestion& question, const Method* named) {
  if (question.mode.empty() && question.wait.empty()) return named;
  if (!question.choice.by_alias()) {
    return NoAnswer::bad_input(
        fmt::format("--mode and --wait go with --policy gcaps; {} says both itself", named->id));
  }
  const Mode chosen = question.mode == "off"     ? Mode::kOff
                      : question.mode == "lock"  ? Mode::kLock
                      : question.mode == "boost" ? Mode::kBoost
                                                 : Mode::kArbiter;
  return &method_run_by(chosen, question.wait == "busy");
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

Answer<trace::Observed> run_processes(const System& system, const ProcessRun& subject,
                                      const RunQuestion& question, Time duration,
                                      const Companion& companion) {
  const std::string& backend = question.machine.backend;
  if (backend != "cuda" && backend != "cpu" && backend != "process") {
    return NoAnswer::bad_input(fmt::format(
        "tasks of {} run as processes, which the emulator does not play: `tactus simulate` does in "
        "virtual time; --backend cuda runs them on a GPU, cpu and process spin GPU work on the CPU",
        subject.method.id));
  }
  const auto sharing = find_sharing(subject.method);
  if (!sharing) return NoAnswer::unknown(sharing.error().message);
  TaskRunOptions options;
  options.method = &subject.method;
  options.plan = subject.plan;
  options.variant = subject.variant.value_or(std::string(sharing->variant));
  options.mode = sharing->mode;
  options.busy_wait = sharing->busy_wait;
  options.tier = tier_of(question.tier, backend, options.mode);
  options.backend = backend == "cuda" ? Backend::kCuda : Backend::kCpu;
  if (!arbitrated(options.mode)) {
    tell_without_effect(companion, *question.fields, {"tier"},
                        "no arbiter takes work off the GPU here");
  }
  if (const std::string why = why_no_tier(options); !why.empty()) return NoAnswer::bad_input(why);
  options.duration = duration;
  options.fill = question.how.fill;
  options.device = question.machine.device;
  options.realtime = question.machine.realtime;
  options.program = host::own_program();
  options.preload = host::companion("libtactus_preload.so");
  options.judge = [&](const System& as_run, const Verdict& plan, const Placement& placement) {
    return covered(as_run, plan, options, placement);
  };
  options.stop = companion.stop;
  auto run = run_tasks(system, options);
  if (!run) return NoAnswer::unknown(run.error().message);
  return std::move(*run);
}

}  // namespace tactus::verbs
