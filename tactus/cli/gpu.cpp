#include <unistd.h>

#include <thread>

#include "tactus/base/file.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/gpu.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/cuda/calibrate.hpp"
#include "tactus/runtime/cuda/info.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::cli {
namespace {

/// No GPU, or none that works: one line, exit 3.
int unavailable(const Error& error) { return fail(error.message, kUnknown); }

struct InfoArguments {
  bool json = false;
};

void describe(InfoArguments& arguments, Fields& is) { is("json", arguments.json, "As JSON"); }

int show_info(InfoArguments& arguments) {
  const bool json = arguments.json;
  const auto gpus = runtime::cuda::gpu_infos();
  if (!gpus) return unavailable(gpus.error());
  const std::string text = json ? report::gpu_info_json(*gpus)
                                : report::gpu_info_text(*gpus, report::Style::of(STDOUT_FILENO));
  return emit(text) ? kYes : kBadInput;
}

void add_info(Parser& gpu, int& exit_code) {
  add_verb<InfoArguments>(
      gpu, exit_code, "info", "Show the GPU and which of its features are used",

      "Exit code 0: there is one; 3: there is no GPU or no driver, or tactus was built without "
      "CUDA.\n"
      "Examples:\n"
      "  tactus gpu info\n"
      "  tactus gpu info --json",
      show_info);
}

struct ProfilesArguments {
  bool json = false;
};

void describe(ProfilesArguments& arguments, Fields& is) { is("json", arguments.json, "As JSON"); }

int show_profiles(ProfilesArguments& arguments) {
  const std::string text = arguments.json
                               ? report::gpu_profiles_json()
                               : report::gpu_profiles_text(report::Style::of(STDOUT_FILENO));
  return emit(text) ? kYes : kBadInput;
}

void add_profiles(Parser& gpu, int& exit_code) {
  add_verb<ProfilesArguments>(gpu, exit_code, "profiles",
                              "What was measured of known GPUs, and where it was written down",
                              "Examples:\n"
                              "  tactus gpu profiles\n"
                              "  tactus analyze robot.system.json --costs h200/channel",
                              show_profiles);
}

struct CalibrateArguments {
  std::string output;
  int device = 0, repeats = 20;
  bool json = false, helper = false, switches = true;
};

int calibrate(CalibrateArguments& arguments) {
  if (arguments.helper) return runtime::cuda::serve_calibration(arguments.device);
  runtime::cuda::CalibrateOptions options;
  options.device = arguments.device;
  options.repeats = arguments.repeats;
  options.switches = arguments.switches;
  LongWork work;
  options.stop = work.stop_token();
  options.progress = work.progress();
  const auto result = runtime::cuda::calibrate(options);
  if (!result) return unavailable(result.error());
  if (!arguments.output.empty()) {
    const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    const std::string fragment = runtime::gpu::platform_fragment(*result, cores);
    if (!save(arguments.output, fragment)) return kBadInput;
  }
  const std::string text =
      arguments.json ? runtime::gpu::calibration_json(*result)
                     : report::calibration_text(*result, report::Style::of(STDOUT_FILENO));
  return emit(text) ? kYes : kBadInput;
}

void describe(CalibrateArguments& arguments, Fields& is) {
  is("output", arguments.output, "Write a system file without tasks: the platform as measured")
      .letter('o')
      .shows("FILE");
  is("device", arguments.device, "Which GPU").range(0);
  is("runs", arguments.repeats, "Of every measurement").range(1).formerly("repeats");
  is("switches", arguments.switches, "The turns between processes, which need helper processes")
      .off("Leave out the turns between processes, which need helper processes");
  is("json", arguments.json, "As JSON, with counts and quantiles");
  is("helper", arguments.helper, "Be a helper process of a calibration").hidden();
}

void add_calibrate(Parser& gpu, int& exit_code) {
  add_verb<CalibrateArguments>(
      gpu, exit_code, "calibrate", "Measure what the analyses need to know about the GPU",

      "Measures time against SMs with the fits of the dag and rtgpu models, interleaving, copies,\n"
      "launches, time slices and context switches. The GPU should have nothing else to do.\n"
      "Exit code 0: measured; 3: there is no GPU, or it failed.\n"
      "Examples:\n"
      "  tactus gpu calibrate\n"
      "  tactus gpu calibrate -o h200.system.json --json",
      calibrate);
}

struct BatchArguments {
  verbs::About about;
  std::string output, quantile = "1", kernel = "compute", backend = "cuda";
  runtime::MeasureBatchesOptions options;
  int device = 0;
  bool json = false;
  const Fields* fields = nullptr;
};

int measure_batches(BatchArguments& arguments) {
  if (arguments.backend == "emulator") {
    tell_without_effect(told_here(), *arguments.fields, {"fill", "kernel", "device"},
                        "the emulator has no GPU");
  }
  const auto edited = arguments.about.edited(told_here());
  if (!edited) return complain_of(edited.none());
  const System* const system = &edited->system;
  const auto quantile = parse_scaled(arguments.quantile, 6, Rounding::kUp);
  if (!quantile || quantile->value <= 0 || quantile->value > 1'000'000)
    return fail("--quantile must be above 0 and at most 1");
  arguments.options.quantile = quantile->value;
  const auto measured = [&]() -> Result<runtime::MeasuredBatches> {
    LongWork work;
    arguments.options.stop = work.stop_token();
    arguments.options.progress = work.progress();
    runtime::BackendOptions machine;
    machine.kernel = arguments.kernel;
    machine.device = arguments.device;
    const auto device = runtime::open_backend(arguments.backend, *system, machine);
    if (!device) return device.error();
    return runtime::measure_batches(*system, **device, arguments.options);
  }();
  if (!measured) return unavailable(measured.error());
  if (!save(arguments.output, write_system(measured->system))) return kBadInput;
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text =
      arguments.json ? report::batches_json(*measured, edited->changes)
                     : changes_text(*edited, style) + report::batches_text(*measured, style);
  return emit(text) ? kYes : kBadInput;
}

void describe(BatchArguments& arguments, Fields& is) {
  describe(arguments.about, is);
  is("output", arguments.output, "Write the system file with the `batches` that were measured")
      .letter('o')
      .required()
      .shows("FILE");
  is("max_size", arguments.options.max_size, "At most this many kernels per batch").range(2);
  is("runs", arguments.options.repeats, "Of every submission order").range(1).formerly("repeats");
  is("quantile", arguments.quantile,
     "Share of the repeats that must not exceed the completion; 1 is the maximum")
      .decimal();
  is("margin", arguments.options.margin, "Percent added to it, and 20 us").range(0);
  is("fill", arguments.options.fill, "Percent of its wcet that a synthetic kernel works").range(1);
  is("share_gpu", arguments.options.best_effort_shares,
     "Best-effort tasks run beside them on the same SMs, at the lowest priority, if the "
     "file leaves no SMs");
  is("kernel", arguments.kernel, "Synthetic work: compute, special, branch, memory or mixed")
      .one_of({"compute", "special", "branch", "memory", "mixed"});
  is("backend", arguments.backend, "cuda or emulator").one_of({"cuda", "emulator"});
  is("device", arguments.device, "Which GPU").range(0);
  is("json", arguments.json, "As JSON");
}

void add_measure_batches(Parser& gpu, int& exit_code) {
  add_verb<BatchArguments>(
      gpu, exit_code, "measure-batches",
      "Measure how long kernels take when they are submitted together",

      "Submits every eligible combination, in every order, and waits for all of it. A set of "
      "tasks\n"
      "gets the completion of its worst order; orders that are better get separate entries.\n"
      "Exit code 0: measured; 2: bad file; 3: there is no GPU, or pbs does not cover the file.\n"
      "Examples:\n"
      "  tactus gpu measure-batches drone.system.json -o measured.system.json\n"
      "  tactus gpu measure-batches drone.system.json -o m.system.json --max-size 2 --quantile "
      "0.99",
      measure_batches);
}

}  // namespace

void add_gpu(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("gpu", "Look at the GPU and measure it");
  verb->require_subcommand(1);
  add_info(*verb, exit_code);
  add_profiles(*verb, exit_code);
  add_calibrate(*verb, exit_code);
  add_measure_batches(*verb, exit_code);
  for (Parser& own : verb->subcommands()) own.group("Verbs");
  verb->footer(
      "Examples:\n"
      "  tactus gpu info\n"
      "  tactus gpu profiles\n"
      "  tactus gpu calibrate -o platform.system.json\n"
      "  tactus gpu measure-batches drone.system.json -o measured.system.json");
}

}  // namespace tactus::cli
