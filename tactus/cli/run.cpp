#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "tactus/cli/figure.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/run_processes.hpp"
#include "tactus/cli/run_watch.hpp"
#include "tactus/cli/subject.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/cli/without_effect.hpp"
#include "tactus/decide/deployment.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/run.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/executors/run.hpp"
#include "tactus/simulate/registry.hpp"
#include "tactus/trace/observed_json.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/ring_trace.hpp"

namespace tactus::cli {
namespace {

constexpr std::uint32_t kJobs = 100;  ///< where nothing is said

struct Arguments {
  std::string file, plan;
  MethodOptions choice;
  WhatIf what_if;
  ProcessRun processes;
  std::string backend = "emulator", scenario = "offsets,worst", strategy = "planned";
  std::uint64_t seed = 1;
  std::optional<std::uint32_t> jobs;
  std::string duration, jitter, trace, kernel = "compute", on_overrun;
  int fill = 95, device = 0;
  std::int64_t sms = 0, partition_step = 1;
  std::size_t trace_last = 0;
  FigureOptions figure;
  bool strict = false, share_gpu = false, realtime = false, json = false, until_stopped = false;
  const Parser* verb = nullptr;

  /// What only plans of this process have.
  bool watches() const {
    return until_stopped || trace_last > 0 || !on_overrun.empty() || figure.given();
  }
};

/// In the order of `runtime::OnOverrun`.
constexpr std::array<std::string_view, 3> kOnOverrun = {"log", "skip-next", "stop"};

/// In the order of `runtime::Strategy`.
constexpr std::array<std::string_view, 5> kStrategies = {"planned", "reclaim", "concurrent",
                                                         "streams", "shared"};

/// The plan of a file, or one made now.
SubjectOrExit subject_of(const Arguments& arguments, const System& system) {
  if (!arguments.plan.empty()) return plan_of_file(arguments.plan, system);
  std::string why;
  SubjectOrExit made = plan_made_now(
      arguments.choice, arguments.file, system,
      [](const Method& method) {
        return method.makes_plan && static_cast<bool>(decide::deployment_of(method));
      },
      why);
  if (!why.empty() && std::holds_alternative<Subject>(made)) complain("tactus: " + why);
  return made;
}

std::optional<runtime::RunOptions> options_of(const Arguments& arguments, const System& system,
                                              const Method* method) {
  runtime::RunOptions options;
  options.jobs = arguments.jobs.value_or(kJobs);
  if (!arguments.duration.empty()) {
    options.duration = time_argument("duration", arguments.duration, system);
    if (!options.duration) return std::nullopt;
  }
  const auto scenario = trace::parse_scenario(arguments.scenario, arguments.seed);
  if (!scenario) {
    complain("tactus: " + scenario.error().message);
    return std::nullopt;
  }
  options.scenario = *scenario;
  if (method != nullptr) {
    if (const auto policy = simulate::find_policy(*method)) {
      options.scenario = policy->admit(*scenario);
    }
  }
  options.strategy = static_cast<runtime::Strategy>(
      std::find(kStrategies.begin(), kStrategies.end(), arguments.strategy) - kStrategies.begin());
  options.strict = arguments.strict;
  options.best_effort_shares = arguments.share_gpu;
  options.until_stopped = arguments.until_stopped;
  if (!arguments.on_overrun.empty()) {
    options.on_overrun = static_cast<runtime::OnOverrun>(
        std::find(kOnOverrun.begin(), kOnOverrun.end(), arguments.on_overrun) - kOnOverrun.begin());
  }
  options.fill = arguments.fill;
  return options;
}

runtime::BackendOptions backend_options_of(const Arguments& arguments,
                                           const trace::Scenario& scenario) {
  runtime::BackendOptions options;
  options.scenario = scenario;
  options.partition_step = arguments.partition_step;
  if (arguments.sms > 0) options.sms = arguments.sms;
  options.kernel = arguments.kernel;
  options.device = arguments.device;
  options.realtime = arguments.realtime;
  return options;
}

/// Processes run for a time: as long as it takes the slowest task to have its jobs, where these are
/// asked for.
std::optional<Time> duration_of(const Arguments& arguments, const runtime::RunOptions& options,
                                const System& system) {
  constexpr Time kUsual = Time::from_ms(10'000);
  if (options.duration) return *options.duration;
  if (!arguments.jobs) return kUsual;
  trace::Scenario releases;  // tasks that are processes release jobs from their offsets on
  releases.releases = trace::Releases::kOffsets;
  try {
    const Time span = releases.span_of(system, *arguments.jobs);
    return span > Time() ? span : kUsual;
  } catch (const OverflowError& error) {
    complain(fmt::format("tactus: --jobs {} take too long: {}", *arguments.jobs, error.what()));
    return std::nullopt;
  }
}

/// What does nothing when tasks run as processes.
void tell_idle_of_processes(const Arguments& arguments) {
  const auto tell = [&](const std::vector<std::string>& options, std::string_view why) {
    tell_without_effect(*arguments.verb, options, why);
  };
  tell({"--scenario", "--seed", "--strategy", "--share-gpu", "--strict", "--kernel", "--sms",
        "--partition-step", "--jitter", "--trace"},
       "the tasks run as processes");
  if (arguments.backend != "cuda") tell({"--device"}, "no GPU is used");
  if (arguments.backend == "process") tell({"--tier"}, "--backend process stops processes");
  if (!arguments.plan.empty()) return;
  std::vector<std::string> names = arguments.choice.names();
  std::erase(names, "--variant");
  tell(names, "the tier says it; give it to `tactus plan`, and run that plan");
}

/// What does nothing when tactus itself plays a plan.
void tell_idle_of_a_plan(const Arguments& arguments, const runtime::RunOptions& options,
                         const Method& method) {
  const auto tell = [&](const std::vector<std::string>& names, std::string_view why) {
    tell_without_effect(*arguments.verb, names, why);
  };
  tell({"--tier"}, fmt::format("tasks of {} do not run as processes", method.id));
  if (arguments.backend == "emulator") {
    tell({"--fill", "--kernel", "--device", "--realtime"}, "the emulator has no GPU");
  } else {
    tell({"--sms", "--partition-step", "--jitter"}, "only the emulator has it");
  }
  if (arguments.jitter.empty()) tell_idle_seed(*arguments.verb, options.scenario);
}

int run_as_processes(const Arguments& arguments, const decide::Edited& edited,
                     const ProcessRunSubject& subject) {
  tell_idle_of_processes(arguments);
  if (arguments.watches()) {
    complain(
        "tactus: --until-stopped, --on-overrun, --trace-last and --figure are for plans that "
        "tactus runs in "
        "one process; tasks of this plan are processes");
    return kBadInput;
  }
  const auto options = options_of(arguments, edited.system, nullptr);
  if (!options) return kBadInput;
  const auto duration = duration_of(arguments, *options, edited.system);
  if (!duration) return kBadInput;
  return run_processes(edited, subject, arguments.processes,
                       {.backend = arguments.backend,
                        .duration = *duration,
                        .fill = arguments.fill,
                        .device = arguments.device,
                        .realtime = arguments.realtime,
                        .json = arguments.json});
}

/// The chosen method, when its tasks run as processes: these need no plan to be made first.
std::optional<int> run_method_as_processes(const Arguments& arguments,
                                           const decide::Edited& edited) {
  const auto methods = arguments.choice.methods();
  if (!methods) return kBadInput;
  if (methods->size() != 1 || !runs_as_processes(*methods->front())) return std::nullopt;
  const Method* method = arguments.processes.choose(methods->front(), arguments.choice.by_alias());
  if (method == nullptr) return kBadInput;
  return run_as_processes(arguments, edited, {*method, arguments.choice.variant()});
}

int run(const Arguments& arguments) {
  const std::optional<decide::Edited> edited = arguments.what_if.read(arguments.file);
  if (!edited) return kBadInput;
  const System* const system = &edited->system;
  if (arguments.choice.given()) {
    if (const auto exit = run_method_as_processes(arguments, *edited)) return *exit;
  }
  if (arguments.processes.given()) {
    complain("tactus: --mode and --wait go with --policy gcaps");
    return kBadInput;
  }
  if (arguments.figure.chooses() && !arguments.figure.given()) {
    complain("tactus: --window and --around say what --figure draws; name it too");
    return kBadInput;
  }
  if (!arguments.plan.empty()) {
    tell_without_effect(*arguments.verb, arguments.choice.names(), "the plan says how it was made");
  }
  const auto subject = subject_of(arguments, *system);
  if (const Exit* exit = std::get_if<Exit>(&subject)) return *exit;
  const auto& [method, verdict] = std::get<Subject>(subject);
  if (runs_as_processes(*method)) {
    return run_as_processes(arguments, *edited, {*method, verdict.variant, &verdict});
  }
  auto options = options_of(arguments, *system, method);
  if (!options) return kBadInput;
  tell_idle_of_a_plan(arguments, *options, *method);
  auto machine = backend_options_of(arguments, options->scenario);
  if (!arguments.jitter.empty()) {
    const auto jitter = time_argument("jitter", arguments.jitter, *system);
    if (!jitter) return kBadInput;
    machine.jitter = *jitter;
  }
  std::unique_ptr<trace::PerfettoWriter> perfetto;
  trace::RingTrace last(arguments.trace_last);
  if (!arguments.trace.empty()) {
    perfetto = std::make_unique<trace::PerfettoWriter>(*system, arguments.trace);
    options->sink = perfetto.get();
    if (arguments.trace_last > 0) options->sink = &last;
  }
  auto excerpt = arguments.figure.excerpt(*system, options->sink);
  if (!excerpt) return kBadInput;
  if (arguments.figure.given()) options->sink = &*excerpt;
  auto seen = [&, &plan = verdict]() -> Result<trace::Observed> {
    LongWork work;
    options->stop = work.stop_token();
    RunWatch watch(*system, work, {plan.method, plan.variant});
    options->look = [&](const trace::Observed& so_far) { watch.look(so_far); };
    const auto device = runtime::open_backend(arguments.backend, *system, machine);
    if (!device) return device.error();
    return runtime::run_plan(*system, {plan.method, plan.plan, plan.variant}, **device, *options);
  }();
  if (!seen) {
    complain("tactus: " + seen.error().message);
    return kUnknown;
  }
  if (perfetto) {
    last.write_to(*perfetto);
    if (const auto problem = perfetto->close()) {
      complain("tactus: " + problem->message);
      return kBadInput;
    }
  }
  if (arguments.figure.given()) {
    const auto window = arguments.figure.window(*system, *seen, *excerpt);
    if (!window || !arguments.figure.draw(*system, *seen, *excerpt, *window)) return kBadInput;
  }
  if (arguments.json) report::note_changes(*edited, *seen);
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text =
      arguments.json ? trace::observed_json(*system, *seen)
                     : changes_text(*edited, style) + report::run_text(*system, *seen, style);
  if (!emit(text)) return kBadInput;
  if (!seen->good()) return kNo;
  if (seen->cut_short.empty()) return kYes;
  complain("tactus: the run was interrupted");
  return kUnknown;
}

}  // namespace

void add_run(Parser& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("run", "Execute a plan, and compare what is seen with its bounds");
  auto arguments = std::make_shared<Arguments>();
  arguments->verb = verb;
  verb->add_option("FILE", arguments->file, "System file; - is standard input")->required();
  arguments->choice.add_to(*verb, "", "-p,--policy,-m,--method");
  arguments->what_if.add_to(*verb);
  verb->add_option("--plan", arguments->plan, "The plan, as `tactus plan -o` writes it")
      ->type_name("PLAN")
      ->excludes(verb->get_option("--method"));
  arguments->processes.add_to(*verb);
  verb->add_option("--backend", arguments->backend,
                   "emulator: in virtual time, anywhere; cuda: on a GPU; cpu (gcaps, tsg-rr, mpcp, "
                   "fmlp): GPU work as busy loops on the CPU; process: as busy loops in processes "
                   "that are stopped and continued")
      ->capture_default_str()
      ->check(one_of({"emulator", "cuda", "cpu", "process"}));
  auto* jobs =
      verb->add_option("--jobs", arguments->jobs,
                       "Until the slowest task has had this many jobs; by default 100 jobs, or "
                       "10 s if tasks run as processes")
          ->check(whole_number(1));
  verb->add_option("--duration", arguments->duration,
                   "Or release jobs for this long, in the file's unit")
      ->check(decimal_number())
      ->excludes(jobs);
  verb->add_flag(
          "--until-stopped", arguments->until_stopped,
          "Or release jobs until Ctrl-C; memory stays constant. SIGUSR1 prints the report so "
          "far")
      ->excludes(jobs)
      ->excludes(verb->get_option("--duration"));
  verb->add_option("--on-overrun", arguments->on_overrun,
                   "A job exceeds a bound of a node or its deadline: log (list it), skip-next (the "
                   "next job of its task is not released), stop (end the run)")
      ->check(one_of(std::vector<std::string>(kOnOverrun.begin(), kOnOverrun.end())));
  verb->add_option("--strategy", arguments->strategy,
                   "planned; reclaim (a table: the next batch as soon as the one before has "
                   "ended); concurrent (a graph: without the order the plan adds); shared (shares: "
                   "all tasks on the whole GPU)")
      ->capture_default_str()
      ->check(one_of(std::vector<std::string>(kStrategies.begin(), kStrategies.end())));
  verb->add_flag(
      "--share-gpu", arguments->share_gpu,
      "Best-effort tasks run on the same SMs as a table (pbs), at the lowest priority, if "
      "it leaves no SMs; measure its batches like this, too");
  verb->add_flag("--strict", arguments->strict,
                 "Refuse a machine that gives other widths than asked");
  verb->add_option(
          "--scenario", arguments->scenario,
          "When jobs arrive (sync, offsets, random, sporadic, burst); on the emulator, how "
          "long things take (worst, uniform, early)")
      ->capture_default_str();
  verb->add_option("--seed", arguments->seed, "Of everything random")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("--fill", arguments->fill,
                   "Share of each bound, in percent, that synthetic work on a GPU takes")
      ->capture_default_str()
      ->check(between(1, 100));
  verb->add_option("--kernel", arguments->kernel,
                   "Synthetic kernels on a GPU: compute, special, branch, memory, mixed")
      ->capture_default_str()
      ->check(kernel_kind());
  verb->add_option("--device", arguments->device, "Which GPU")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_flag("--realtime", arguments->realtime,
                 "On a GPU: ask for real-time scheduling and locked memory; without real-time "
                 "scheduling, poll instead of sleeping");
  verb->add_option("--sms", arguments->sms, "Emulate a GPU with this many SMs, not the file's")
      ->check(whole_number(1));
  verb->add_option("--partition-step", arguments->partition_step,
                   "Emulate a GPU whose partitions are multiples of this many SMs")
      ->capture_default_str()
      ->check(whole_number(1));
  verb->add_option("--jitter", arguments->jitter,
                   "Emulate releases that are noticed up to this late, in the file's unit")
      ->check(decimal_number());
  verb->add_option("--trace", arguments->trace, "Write a Chrome/Perfetto trace")->type_name("FILE");
  verb->add_option("--trace-last", arguments->trace_last,
                   "Keep only this many events of the trace, the last ones")
      ->check(whole_number(1))
      ->needs(verb->get_option("--trace"));
  arguments->figure.add_to(*verb);
  verb->add_flag("--json", arguments->json, "As JSON");
  verb->footer(
      "Without --plan and --policy: the method that the file deploys, else the best that is run "
      "here.\n"
      "Exit code 0: no deadline missed, no bound exceeded, everything in order; 1: otherwise; 2: "
      "bad input;\n"
      "3: the plan cannot be run here (no GPU, too few SMs).\n"
      "Examples:\n"
      "  tactus run graph.system.json --plan graph.plan.json --jobs 100\n"
      "  tactus run kernels.system.json --method pbs.graph --strategy reclaim --duration 5000\n"
      "  tactus run robot.system.json --plan robot.plan.json --backend cuda --trace run.json\n"
      "  tactus run robot.system.json --plan robot.plan.json --figure run.svg --window 0..50\n"
      "  tactus run robot.system.json --policy gcaps --backend cuda --mode arbiter --tier channel");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
