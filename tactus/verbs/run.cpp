#include "tactus/verbs/run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tactus/arbiter/path_variables.hpp"
#include "tactus/decide/deployment.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/runtime/executors/run_plan.hpp"
#include "tactus/simulate/registry.hpp"
#include "tactus/trace/observed_json.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/ring_trace.hpp"
#include "tactus/verbs/plan.hpp"
#include "tactus/verbs/simulate.hpp"
#include "tactus/watch/diary_sink.hpp"

namespace tactus::verbs {
namespace {

/// In the order of `runtime::OnOverrun`.
constexpr std::array<std::string_view, 3> kOnOverrun = {"log", "skip-next", "stop"};

/// In the order of `runtime::Strategy`.
constexpr std::array<std::string_view, 5> kStrategies = {"planned", "reclaim", "concurrent",
                                                         "streams", "shared"};

template <typename Enumeration, typename Words>
Enumeration read_word(const std::string& word, const Words& words) {
  return static_cast<Enumeration>(std::find(words.begin(), words.end(), word) - words.begin());
}

Answer<runtime::RunOptions> options_of(const PlayQuestion& how, const System& system,
                                       const Method* method) {
  runtime::RunOptions options;
  options.jobs = how.jobs.value_or(options.jobs);
  if (!how.duration.empty()) {
    const auto time = time_of("duration", how.duration, system);
    if (!time) return time.none();
    options.duration = *time;
  }
  const auto scenario = trace::parse_scenario(how.scenario, how.seed);
  if (!scenario) return NoAnswer::bad_input(scenario.error().message);
  options.scenario = *scenario;
  if (method != nullptr) {
    if (const auto policy = simulate::find_policy(*method)) {
      options.scenario = policy->admit(*scenario);
    }
  }
  options.strategy = read_word<runtime::Strategy>(how.strategy, kStrategies);
  options.strict = how.strict;
  options.best_effort_shares = how.share_gpu;
  options.until_stopped = how.until_stopped;
  if (!how.on_overrun.empty()) {
    options.on_overrun = read_word<runtime::OnOverrun>(how.on_overrun, kOnOverrun);
  }
  options.fill = how.fill;
  return options;
}

/// Processes run for a time: as long as it takes the slowest task to have its jobs, where these are
/// asked for.
Answer<Time> duration_of(const PlayQuestion& how, const System& system) {
  constexpr Time kUsual = Time::from_ms(10'000);
  const auto options = options_of(how, system, nullptr);
  if (!options) return options.none();
  if (options->duration) return *options->duration;
  if (!how.jobs) return kUsual;
  trace::Scenario releases;  // tasks that are processes release jobs from their offsets on
  releases.releases = trace::Releases::kOffsets;
  try {
    const Time span = releases.span_of(system, *how.jobs);
    return span > Time() ? span : kUsual;
  } catch (const OverflowError& error) {
    return NoAnswer::bad_input(fmt::format("--jobs {} take too long: {}", *how.jobs, error.what()));
  }
}

Answer<trace::Observed> run_as_processes(const RunQuestion& question, const System& system,
                                         const ProcessRun& subject, const Companion& companion) {
  const Fields& fields = *question.fields;
  tell_without_effect(companion, fields,
                      {"scenario", "seed", "strategy", "share_gpu", "strict", "kernel", "sms",
                       "partition_step", "jitter", "trace"},
                      "the tasks run as processes");
  if (question.machine.backend != "cuda") {
    tell_without_effect(companion, fields, {"device"}, "no GPU is used");
  }
  if (question.machine.backend == "process") {
    tell_without_effect(companion, fields, {"tier"}, "--backend process stops processes");
  }
  if (!question.plan.given()) {
    question.choice.tell_idle(
        companion, fields, "the tier says it; give it to `tactus plan`, and run that plan", true);
  }
  const PlayQuestion& how = question.how;
  if (how.until_stopped || how.trace_last > 0 || !how.on_overrun.empty() || how.watch) {
    return NoAnswer::bad_input(
        "--until-stopped, --on-overrun, --trace-last and --figure are for plans that tactus runs "
        "in "
        "one process; tasks of this plan are processes");
  }
  const auto duration = duration_of(how, system);
  if (!duration) return duration.none();
  return run_processes(system, subject, question, *duration, companion);
}

}  // namespace

void describe(MachineQuestion& question, Fields& is,
              std::initializer_list<std::string_view> backends) {
  const auto has = [&](std::string_view name) {
    return std::find(backends.begin(), backends.end(), name) != backends.end();
  };
  is("backend", question.backend,
     fmt::format("emulator: in virtual time; cuda: on a GPU{}{}",
                 has("driver")
                     ? "; driver: on one through its driver alone; cpu: what is bound, on "
                       "threads of this computer"
                     : "",
                 has("process") ? "; cpu, process (gcaps, tsg-rr, mpcp, fmlp): busy loops instead "
                                  "of GPU work, also in processes that are stopped"
                                : ""))
      .one_of(backends);
  is("device", question.device, "Which GPU");
  is("realtime", question.realtime,
     "On a GPU: ask for real-time scheduling and locked memory; without real-time scheduling, poll "
     "instead of sleeping")
      .seldom();
  is("kernel", question.kernel, "Synthetic kernels on a GPU")
      .one_of({"compute", "special", "branch", "memory", "mixed"})
      .seldom();
  is("sms", question.sms, "Emulate a GPU with this many SMs, not the file's")
      .range(1, 100'000)
      .seldom();
  is("partition_step", question.partition_step,
     "Emulate a GPU whose partitions are multiples of this many SMs")
      .range(1)
      .seldom();
}

runtime::BackendOptions machine_of(const MachineQuestion& question) {
  runtime::BackendOptions machine;
  machine.partition_step = question.partition_step;
  if (question.sms > 0) machine.sms = question.sms;
  machine.kernel = question.kernel;
  machine.device = question.device;
  machine.realtime = question.realtime;
  return machine;
}

void describe(PlayQuestion& question, Fields& is) {
  is("jobs", question.jobs,
     "Until the slowest task has had this many jobs; by default 100 jobs, or 10 s if tasks run as "
     "processes")
      .range(1);
  is("duration", question.duration, "Or release jobs for this long, in the file's unit")
      .decimal()
      .formerly("horizon")
      .excludes({"jobs"});
  is("until_stopped", question.until_stopped, "Or until Ctrl-C; SIGUSR1 prints the report so far")
      .excludes({"jobs", "duration"});
  is("on_overrun", question.on_overrun,
     "A job exceeds a bound of a node or its deadline: log (list it), skip-next (the next job of "
     "its "
     "task is not released), stop (end the run)")
      .one_of(kOnOverrun)
      .seldom();
  is("strategy", question.strategy,
     "planned; reclaim (a table: the next batch as soon as the one before has ended); concurrent "
     "(a "
     "graph: without the order the plan adds); streams (a graph: in order, by streams and events); "
     "shared (shares: all tasks on the whole GPU)")
      .one_of(kStrategies)
      .seldom();
  is("share_gpu", question.share_gpu,
     "Best-effort tasks run on the same SMs as a table (pbs), at the lowest priority, if it leaves "
     "no SMs; measure its batches like this, too")
      .seldom();
  is("strict", question.strict, "Refuse a machine that gives other widths than asked").seldom();
  is("scenario", question.scenario,
     "When jobs arrive (sync, offsets, random, sporadic, burst); on the emulator, how long things "
     "take (worst, uniform, early)")
      .seldom();
  is("seed", question.seed, "Of everything random").seldom();
  is("fill", question.fill, "Share of each bound, in percent, that synthetic work on a GPU takes")
      .range(1, 100)
      .seldom();
  is("jitter", question.jitter,
     "Emulate releases that are noticed up to this late, in the file's unit")
      .decimal()
      .seldom();
  is("trace", question.trace, "Write a Chrome/Perfetto trace").shows("FILE");
  is("trace_last", question.trace_last, "Keep only this many events of the trace, the last ones")
      .range(1)
      .needs("trace")
      .seldom();
}

void describe(OpenQuestion& question, Fields& is) {
  describe(question.about, is);
  describe(question.choice, is, false);
  is("plan", question.plan, "What is run, instead of what a method makes now").excludes({"method"});
  describe(question.machine, is, {"emulator", "cuda", "driver", "cpu"});
}

Answer<trace::Observed> play(const System& system, const Subject& subject, const PlayQuestion& how,
                             const MachineQuestion& where, const Fields& fields,
                             const Companion& companion, const runtime::Workload* workload) {
  auto options = options_of(how, system, subject.method);
  if (!options) return options.none();
  runtime::BackendOptions machine = machine_of(where);
  machine.scenario = options->scenario;
  machine.workload = workload;
  if (!how.jitter.empty()) {
    const auto jitter = time_of("jitter", how.jitter, system);
    if (!jitter) return jitter.none();
    machine.jitter = *jitter;
  }
  if (where.backend == "emulator") {
    tell_without_effect(companion, fields, {"fill", "kernel", "device", "realtime"},
                        "the emulator has no GPU");
  } else {
    tell_without_effect(companion, fields, {"sms", "partition_step", "jitter"},
                        "only the emulator has it");
  }
  if (how.jitter.empty() && !is_random(options->scenario)) {
    tell_without_effect(companion, fields, {"seed"},
                        fmt::format("nothing is random in {}", to_string(options->scenario)));
  }
  std::optional<trace::PerfettoWriter> perfetto;
  trace::RingTrace last(how.trace_last);
  if (!how.trace.empty()) {
    perfetto.emplace(system, how.trace);
    options->sink = &*perfetto;
    if (how.trace_last > 0) options->sink = &last;
  }
  if (how.watch) {
    const auto watching = how.watch(system, options->sink);
    if (!watching) return watching.none();
    options->sink = *watching;
  }
  const Verdict& verdict = subject.verdict;
  if (how.look) {
    options->look = [&](const trace::Observed& so_far, const std::vector<runtime::LiveJob>& live) {
      how.look(system, verdict, so_far, live);
    };
  }
  options->stop = companion.stop;
  options->arrivals = how.arrivals;
  options->overrun_callback = how.overrun;
  options->skipped = how.skipped;
  if (how.arrivals != nullptr) machine.doorbell = &how.arrivals->doorbell();
  const auto device = runtime::open_backend(where.backend, system, machine);
  if (!device) return NoAnswer::unknown(device.error().message);
  std::optional<watch::DiarySink> diaries;
  const char* const folder = std::getenv(arbiter::kWatchVariable);
  if (folder != nullptr && *folder != 0 && !(*device)->capabilities().virtual_time) {
    diaries.emplace(system, folder, options->sink);
    options->sink = &*diaries;
  }
  auto seen = runtime::run_plan(system, {verdict.method, verdict.plan, verdict.variant}, **device,
                                *options);
  if (!seen) return NoAnswer::unknown(seen.error().message);
  if (perfetto) {
    last.write_to(*perfetto);
    if (const auto problem = perfetto->close()) return NoAnswer::bad_input(problem->message);
  }
  return std::move(*seen);
}

void describe(RunQuestion& question, Fields& is) {
  describe(question.about, is);
  describe_policy(question.choice, question.plan, is);
  is("mode", question.mode,
     "With --policy gcaps: what decides about the GPU; arbiter (tactusd; as with --policy "
     "gcaps.suspend), boost (tactusd with gates; gcaps.boost.suspend), lock (one lock, first come "
     "first served; fmlp.suspend), off (the driver's round robin; tsg-rr.suspend)")
      .one_of({"arbiter", "boost", "lock", "off"})
      .seldom();
  is("tier", question.tier,
     "How an arbiter takes work off the GPU (default: channel; with --backend cpu gate, or hold "
     "under boost)")
      .one_of({"channel", "yield", "gate", "hold"});
  is("wait", question.wait,
     "With --policy gcaps: what the CPU does while the GPU works; suspend (as gcaps.suspend), busy "
     "(as gcaps.busy)")
      .one_of({"suspend", "busy"})
      .seldom();
  describe(question.machine, is, {"emulator", "cuda", "cpu", "process"});
  describe(question.how, is);
}

Exit Ran::exit() const {
  if (as_processes && !observed.cut_short.empty()) return kUnknown;
  return exit_of(observed);
}

std::string Ran::json() const {
  trace::Observed told = observed;
  report::note_changes(*edited, told);
  return trace::observed_json(edited->system, told);
}

Answer<Ran> answer(const RunQuestion& question, const Companion& companion) {
  auto read = question.about.edited(companion);
  if (!read) return read.none();
  const auto edited = std::make_shared<const decide::Edited>(std::move(*read));
  const System& system = edited->system;
  const auto by_processes = [&](const ProcessRun& subject) -> Answer<Ran> {
    auto seen = run_as_processes(question, system, subject, companion);
    if (!seen) return seen.none();
    return Ran{edited, std::move(*seen), true};
  };
  if (question.choice.named()) {  // as processes they need no plan to be made first
    const auto methods = question.choice.methods();
    if (!methods) return methods.none();
    if (methods->size() == 1 && runs_as_processes(*methods->front())) {
      const auto method = method_of_processes(question, methods->front());
      if (!method) return method.none();
      return by_processes({**method, question.choice.variant});
    }
  }
  if (!question.mode.empty() || !question.wait.empty()) {
    return NoAnswer::bad_input("--mode and --wait go with --policy gcaps");
  }
  std::string why;
  if (question.plan.given()) {
    question.choice.tell_idle(companion, *question.fields, "the plan says how it was made");
  }
  const auto subject = [&]() -> Answer<Subject> {
    if (question.plan.given()) return plan_in(question.plan, system);
    return plan_made_now(
        question.choice, system, question.about.name(), companion,
        [](const Method& method) {
          return method.makes_plan && static_cast<bool>(decide::deployment_of(method));
        },
        why);
  }();
  if (!subject) return subject.none();
  if (!why.empty()) companion.warn({why});
  if (runs_as_processes(*subject->method)) {
    return by_processes({*subject->method, subject->verdict.variant, &subject->verdict});
  }
  if (const std::string& backend = question.machine.backend;
      backend == "cpu" || backend == "process") {
    return NoAnswer::bad_input(fmt::format(
        "--backend {} is for tasks that are processes; one program runs plans of {}, on the "
        "emulator or on cuda",
        backend, subject->method->id));
  }
  tell_without_effect(companion, *question.fields, {"tier"},
                      fmt::format("tasks of {} do not run as processes", subject->method->id));
  auto seen = play(system, *subject, question.how, question.machine, *question.fields, companion);
  if (!seen) return seen.none();
  return Ran{edited, std::move(*seen), false};
}

}  // namespace tactus::verbs
