#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/chrome_events.hpp"
#include "tactus/exchange/numbers.hpp"
#include "tactus/exchange/source.hpp"

/// Profiles of ONNX Runtime (SessionOptions.enable_profiling): a Chrome trace in which `model_run` is
/// an inference, `Node` events are what the CPU did for a node of the model, and `Kernel` events are
/// GPU work, where the build records it.
namespace tactus::exchange {
namespace {

constexpr std::string_view kNodeEnding = "_kernel_time";

class OnnxReader {
 public:
  std::optional<Error> take(const ChromeEvent& event) {
    const bool run = event.category == "Session" && event.name == "model_run";
    const bool node = event.category == "Node" && event.name.ends_with(kNodeEnding);
    const bool kernel = event.category == "Kernel";
    if (!run && !node && !kernel) return std::nullopt;
    const auto start = scaled(event.start, kMicroseconds, Rounding::kDown);
    const auto lasts = scaled(event.duration, kMicroseconds, Rounding::kUp);
    std::int64_t end = 0;
    if (!start || !lasts || *lasts < 0 || __builtin_add_overflow(*start, *lasts, &end)) {
      return Error{fmt::format("event {} ({}): its `ts` and `dur` are no times", event.place,
                               quote(event.name))};
    }
    if (++kept_ > kMostRecords) {
      return Error{fmt::format("more than {} events that matter; record fewer runs", kMostRecords)};
    }
    if (run) runs_.push_back({*start, end});
    if (node) take_node(event, *start, end);
    if (kernel) take_kernel(event, *start, end);
    return std::nullopt;
  }

  Recorded finish() {
    if (runs_.empty()) {
      return Error{
          "this profile of ONNX Runtime has no `model_run`: was the model run, and the "
          "profile ended (end_profiling)?"};
    }
    if (recording_.calls.empty()) return Error{"this profile of ONNX Runtime has no nodes"};
    std::sort(runs_.begin(), runs_.end(),
              [](const Run& a, const Run& b) { return a.start < b.start; });
    for (const Run& run : runs_) {
      recording_.annotations.push_back(
          {recording_.names.of("model_run"), kThread, run.start, run.end});
    }
    if (recording_.work.empty() && launches_ > 0) bound_by_runs();
    recording_.any_job = true;
    recording_.threads = 1;
    return std::move(recording_);
  }

 private:
  static constexpr ThreadId kThread{0, 0};  // runs of one session, whichever thread asks for them
  struct Run {
    std::int64_t start, end;
  };

  static bool is_gpu(std::string_view provider) {
    for (std::string_view gpu : {"CUDA", "Tensorrt", "NvTensorRTRTX", "ROCM", "MIGraphX", "Dml"}) {
      if (provider.starts_with(gpu)) return true;
    }
    return false;
  }

  void take_node(const ChromeEvent& event, std::int64_t start, std::int64_t end) {
    const std::string* provider = event.arg("provider");
    const bool gpu = provider != nullptr && is_gpu(*provider);
    const std::string_view name =
        std::string_view(event.name).substr(0, event.name.size() - kNodeEnding.size());
    launches_ += gpu ? 1 : 0;
    recording_.calls.push_back({gpu ? CallKind::kLaunch : CallKind::kCompute,
                                recording_.names.of(name), kThread, start, end, next_++});
    last_node_gpu_ = gpu;
  }

  /// It stands behind the node that launched it, and names it.
  void take_kernel(const ChromeEvent& event, std::int64_t start, std::int64_t end) {
    GpuWork work;
    const bool copy = event.name.find("emcpy") != std::string::npos;
    const bool on_device = event.name.find("DtoD") != std::string::npos;
    work.kind = !copy ? GpuKind::kKernel : on_device ? GpuKind::kCopyOnDevice : GpuKind::kCopy;
    work.name = recording_.names.of(event.name);
    work.stream = number(event, "stream", 0);
    work.start = start;
    work.end = end;
    work.correlation = recording_.calls.empty() ? -1 : recording_.calls.back().correlation;
    if (!recording_.calls.empty() && !last_node_gpu_) {
      recording_.calls.back().kind = CallKind::kLaunch;  // a copy for a node on the CPU
    }
    const auto product = [&](const char* x, const char* y, const char* z) {
      std::int64_t of_two = 0, all = 0;
      return __builtin_mul_overflow(number(event, x, 0), number(event, y, 1), &of_two) ||
                     __builtin_mul_overflow(of_two, number(event, z, 1), &all)
                 ? 0
                 : std::max<std::int64_t>(0, all);
    };
    work.blocks = product("grid_x", "grid_y", "grid_z");
    work.threads = product("block_x", "block_y", "block_z");
    recording_.work.push_back(work);
  }

  static std::int64_t number(const ChromeEvent& event, const char* key, std::int64_t otherwise) {
    const std::string* text = event.arg(key);
    return text == nullptr ? otherwise : whole(*text).value_or(otherwise);
  }

  /// Nothing says how long the GPU worked; it did so between the first launch of a run and its end.
  void bound_by_runs() {
    std::sort(recording_.calls.begin(), recording_.calls.end(),
              [](const Call& a, const Call& b) { return a.start < b.start; });
    std::size_t next = 0;
    for (const Run& run : runs_) {
      while (next < recording_.calls.size() && recording_.calls[next].start < run.start) ++next;
      std::size_t first = next;
      while (first < recording_.calls.size() && recording_.calls[first].start < run.end &&
             recording_.calls[first].kind != CallKind::kLaunch) {
        ++first;
      }
      if (first == recording_.calls.size() || recording_.calls[first].start >= run.end) continue;
      GpuWork work;
      work.name = recording_.names.of("model on GPU");
      work.start = recording_.calls[first].start;
      work.end = run.end;
      work.correlation = recording_.calls[first].correlation;
      recording_.work.push_back(work);
    }
    recording_.notes.emplace_back(
        "the profile has no GPU work, only the launches (ONNX Runtime records it in builds with "
        "CUDA "
        "profiling): the GPU is taken to work from the first launch of a run to its end, which is "
        "never too short; --join the profile of Nsight Systems, or measure, for less");
  }

  Recording recording_;
  std::vector<Run> runs_;
  std::size_t kept_ = 0, launches_ = 0;
  std::int64_t next_ = 0;
  bool last_node_gpu_ = false;
};

}  // namespace

Recorded record_onnx(Source& source, const ImportOptions&) {
  OnnxReader reader;
  const auto facts = read_chrome_events(
      source.bytes(), [&](const ChromeEvent& event) { return reader.take(event); });
  if (!facts) return facts.error();
  return reader.finish();
}

}  // namespace tactus::exchange
