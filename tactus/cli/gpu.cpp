#include <unistd.h>

#include <memory>
#include <thread>

#include "tactus/base/file.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/cli/without_effect.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/gpu.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/cuda/calibrate.hpp"
#include "tactus/runtime/cuda/info.hpp"

namespace tactus::cli {
namespace {

/// No GPU, or none that works: one line, exit 3.
int unavailable(const Error& error) {
  complain("tactus: " + error.message);
  return kUnknown;
}

int show_info(bool json) {
  const auto gpus = runtime::cuda::gpu_infos();
  if (!gpus) return unavailable(gpus.error());
  const std::string text = json ? report::gpu_info_json(*gpus)
                                : report::gpu_info_text(*gpus, report::Style::of(STDOUT_FILENO));
  return emit(text) ? kYes : kBadInput;
}

void add_info(Parser& gpu, int& exit_code) {
  auto* verb = gpu.add_subcommand("info", "Show the GPU and which of its features are used");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "As JSON");
  verb->footer(
      "Exit code 0: there is one; 3: there is no GPU or no driver, or tactus was built without "
      "CUDA.\n"
      "Examples:\n"
      "  tactus gpu info\n"
      "  tactus gpu info --json");
  verb->callback([json, &exit_code] { exit_code = show_info(*json); });
}

struct CalibrateArguments {
  std::string output;
  int device = 0, repeats = 20;
  bool json = false, helper = false, no_switches = false;
};

int calibrate(const CalibrateArguments& arguments) {
  if (arguments.helper) return runtime::cuda::serve_calibration(arguments.device);
  runtime::cuda::CalibrateOptions options;
  options.device = arguments.device;
  options.repeats = arguments.repeats;
  options.switches = !arguments.no_switches;
  LongWork work;
  options.stop = work.stop_token();
  options.progress = work.progress();
  const auto result = runtime::cuda::calibrate(options);
  if (!result) return unavailable(result.error());
  if (!arguments.output.empty()) {
    const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    const std::string fragment = runtime::gpu::platform_fragment(*result, cores);
    if (const auto problem = write_text_file(arguments.output, fragment)) {
      complain("tactus: " + problem->message);
      return kBadInput;
    }
  }
  const std::string text =
      arguments.json ? runtime::gpu::calibration_json(*result)
                     : report::calibration_text(*result, report::Style::of(STDOUT_FILENO));
  return emit(text) ? kYes : kBadInput;
}

void add_calibrate(Parser& gpu, int& exit_code) {
  auto* verb =
      gpu.add_subcommand("calibrate", "Measure what the analyses need to know about the GPU");
  auto arguments = std::make_shared<CalibrateArguments>();
  verb->add_option("-o,--output", arguments->output,
                   "Write a system file without tasks: the platform as measured")
      ->type_name("FILE");
  verb->add_option("--device", arguments->device, "Which GPU")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("--runs", arguments->repeats, "Of every measurement")
      ->capture_default_str()
      ->check(whole_number(1));
  verb->add_flag("--no-switches", arguments->no_switches,
                 "Leave out the turns between processes, which need helper processes");
  verb->add_flag("--json", arguments->json, "As JSON, with counts and quantiles");
  verb->add_flag("--helper", arguments->helper, "Be a helper process of a calibration")->group("");
  verb->footer(
      "Measures time against SMs with the fits of the dag and rtgpu models, interleaving, copies,\n"
      "launches, time slices and context switches. The GPU should have nothing else to do.\n"
      "Exit code 0: measured; 3: there is no GPU, or it failed.\n"
      "Examples:\n"
      "  tactus gpu calibrate\n"
      "  tactus gpu calibrate -o h200.system.json --json");
  verb->callback([arguments, &exit_code] { exit_code = calibrate(*arguments); });
}

struct BatchArguments {
  std::string file, output, quantile = "1", kernel = "compute", backend = "cuda";
  runtime::MeasureBatchesOptions options;
  WhatIf what_if;
  int device = 0;
  bool json = false;
  const Parser* verb = nullptr;
};

int measure_batches(BatchArguments& arguments) {
  if (arguments.backend == "emulator") {
    tell_without_effect(*arguments.verb, {"--fill", "--kernel", "--device"},
                        "the emulator has no GPU");
  }
  const std::optional<decide::Edited> edited = arguments.what_if.read(arguments.file);
  if (!edited) return kBadInput;
  const System* const system = &edited->system;
  const auto quantile = parse_scaled(arguments.quantile, 6, Rounding::kUp);
  if (!quantile || quantile->value <= 0 || quantile->value > 1'000'000) {
    complain("tactus: --quantile must be above 0 and at most 1");
    return kBadInput;
  }
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
  if (const auto problem = write_text_file(arguments.output, write_system(measured->system))) {
    complain("tactus: " + problem->message);
    return kBadInput;
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text =
      arguments.json ? report::batches_json(*measured, edited->changes)
                     : changes_text(*edited, style) + report::batches_text(*measured, style);
  return emit(text) ? kYes : kBadInput;
}

void add_measure_batches(Parser& gpu, int& exit_code) {
  auto* verb = gpu.add_subcommand("measure-batches",
                                  "Measure how long kernels take when they are submitted together");
  auto arguments = std::make_shared<BatchArguments>();
  arguments->verb = verb;
  verb->add_option("FILE", arguments->file, "System file that the pbs methods cover")->required();
  arguments->what_if.add_to(*verb);
  verb->add_option("-o,--output", arguments->output,
                   "Write the system file with the `batches` that were measured")
      ->required()
      ->type_name("FILE");
  verb->add_option("--max-size", arguments->options.max_size, "At most this many kernels per batch")
      ->capture_default_str()
      ->check(whole_number(2));
  verb->add_option("--runs", arguments->options.repeats, "Of every submission order")
      ->capture_default_str()
      ->check(whole_number(1));
  verb->add_option("--quantile", arguments->quantile,
                   "Share of the repeats that must not exceed the completion; 1 is the maximum")
      ->capture_default_str()
      ->check(decimal_number());
  verb->add_option("--margin", arguments->options.margin, "Percent added to it, and 20 us")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("--fill", arguments->options.fill,
                   "Percent of its wcet that a synthetic kernel works")
      ->capture_default_str()
      ->check(whole_number(1));
  verb->add_flag(
      "--share-gpu", arguments->options.best_effort_shares,
      "Best-effort tasks run beside them on the same SMs, at the lowest priority, if the "
      "file leaves no SMs");
  verb->add_option("--kernel", arguments->kernel,
                   "Synthetic work: compute, special, branch, memory or mixed")
      ->capture_default_str()
      ->check(kernel_kind());
  verb->add_option("--backend", arguments->backend, "cuda or emulator")
      ->capture_default_str()
      ->check(one_of({"cuda", "emulator"}));
  verb->add_option("--device", arguments->device, "Which GPU")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_flag("--json", arguments->json, "As JSON");
  verb->footer(
      "Submits every eligible combination, in every order, and waits for all of it. A set of "
      "tasks\n"
      "gets the completion of its worst order; orders that are better get separate entries.\n"
      "Exit code 0: measured; 2: bad file; 3: there is no GPU, or pbs does not cover the file.\n"
      "Examples:\n"
      "  tactus gpu measure-batches drone.system.json -o measured.system.json\n"
      "  tactus gpu measure-batches drone.system.json -o m.system.json --max-size 2 --quantile "
      "0.99");
  verb->callback([arguments, &exit_code] { exit_code = measure_batches(*arguments); });
}

}  // namespace

void add_gpu(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("gpu", "Look at the GPU and measure it");
  verb->require_subcommand(1);
  add_info(*verb, exit_code);
  add_calibrate(*verb, exit_code);
  add_measure_batches(*verb, exit_code);
  for (Parser& own : verb->subcommands()) own.group("Verbs");
  verb->footer(
      "Examples:\n"
      "  tactus gpu info\n"
      "  tactus gpu calibrate -o platform.system.json\n"
      "  tactus gpu measure-batches drone.system.json -o measured.system.json");
}

}  // namespace tactus::cli
