#include "tactus/exchange/kineto.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/chrome_events.hpp"
#include "tactus/exchange/numbers.hpp"

namespace tactus::exchange {
namespace {

std::int64_t number_of(const ChromeEvent& event, std::string_view key, std::int64_t otherwise) {
  const std::string* text = event.arg(key);
  if (text == nullptr) return otherwise;
  return whole(*text).value_or(otherwise);
}

/// "392,2,1": the product.
std::int64_t product_of(const ChromeEvent& event, std::string_view key) {
  const std::string* text = event.arg(key);
  if (text == nullptr) return 0;
  std::int64_t product = 1;
  for (std::size_t start = 0; start <= text->size();) {
    const std::size_t end = std::min(text->find(',', start), text->size());
    const auto factor = whole(std::string_view(*text).substr(start, end - start));
    if (!factor || *factor < 1 || __builtin_mul_overflow(product, *factor, &product)) return 0;
    start = end + 1;
  }
  return product;
}

class KinetoReader {
 public:
  std::optional<Error> take(const ChromeEvent& event) {
    if (event.phase == "X") return take_span(event);
    if (event.phase == "B" || event.phase == "E") ++halves_;
    return std::nullopt;
  }

  Result<Recording> finish(const ChromeFacts& facts) {
    for (const auto& properties : facts.devices) recording_.devices.push_back(device(properties));
    const auto base = facts.values.find("baseTimeNanoseconds");
    if (base != facts.values.end()) {
      recording_.date = date_of(base->second);
      recording_.epoch = whole(base->second);
    } else if (earliest_ > kYear2001) {
      recording_.epoch = 0;
    }
    if (recording_.work.empty()) {
      return Error{facts.devices.empty()
                       ? "this is no trace of the PyTorch profiler: no event of it is GPU work "
                         "(category `kernel`, `gpu_memcpy` or `gpu_memset`)"
                       : "the trace has no GPU work; was the profiler told to record CUDA "
                         "(ProfilerActivity.CUDA)?"};
    }
    if (halves_ > 0) {
      recording_.notes.push_back(
          fmt::format("{} events are halves (phases B and E), which this profiler does not write; "
                      "they are left out",
                      halves_));
    }
    if (overhead_ > 0) {
      recording_.notes.push_back(fmt::format(
          "the profiler recorded {} us of its own overhead; where it lies inside of jobs it counts "
          "as their CPU work",
          format_scaled(overhead_, kMicroseconds)));
    }
    return std::move(recording_);
  }

 private:
  static Error bad(const ChromeEvent& event, std::string_view problem) {
    return {fmt::format("event {} ({}): {}", event.place, quote(event.name), problem)};
  }

  std::optional<Error> take_span(const ChromeEvent& event) {
    const std::string_view kind = event.category;
    const bool kernel = kind == "kernel";
    const bool on_gpu = kernel || kind == "gpu_memcpy" || kind == "gpu_memset";
    const bool call = kind == "cuda_runtime" || kind == "cuda_driver";
    const bool annotation = kind == "user_annotation";
    const bool wait = kind == "cuda_sync", overhead = kind == "overhead";
    if (!on_gpu && !call && !annotation && !wait && !overhead) return std::nullopt;

    const auto start = scaled(event.start, kMicroseconds, Rounding::kDown);
    if (!start) return bad(event, "its start `ts` is not a time");
    const auto lasts = scaled(event.duration.empty() ? "0" : std::string_view(event.duration),
                              kMicroseconds, Rounding::kUp);
    if (!lasts) return bad(event, "its duration `dur` is not a time");
    if (*lasts < 0) return bad(event, fmt::format("it lasts {} us", event.duration));
    std::int64_t end = 0;
    if (__builtin_add_overflow(*start, *lasts, &end)) return bad(event, "its end is out of range");
    if (++kept_ > kMostRecords) {
      return Error{fmt::format("more than {} events that matter; record fewer jobs", kMostRecords)};
    }
    earliest_ = std::min(earliest_, *start);
    if (overhead) overhead_ += *lasts;
    if (wait) take_wait(event);
    const ThreadId by{whole(event.process).value_or(-1), whole(event.thread).value_or(-1)};
    if (annotation) {
      recording_.annotations.push_back({recording_.names.of(event.name), by, *start, end});
    }
    if (call) {
      const auto meaning = call_kind(event.name);
      if (!meaning) return std::nullopt;
      recording_.calls.push_back({*meaning, recording_.names.of(event.name), by, *start, end,
                                  number_of(event, "correlation", -1)});
    }
    if (on_gpu) take_work(event, *start, end);
    return std::nullopt;
  }

  void take_work(const ChromeEvent& event, std::int64_t start, std::int64_t end) {
    GpuWork work;
    work.kind = event.category == "kernel"       ? GpuKind::kKernel
                : event.category == "gpu_memset" ? GpuKind::kMemset
                : event.name.find("DtoD") != std::string::npos ||
                        event.name.find("Device -> Device") != std::string::npos
                    ? GpuKind::kCopyOnDevice
                    : GpuKind::kCopy;
    work.name = recording_.names.of(event.name);
    work.device = number_of(event, "device", whole(event.process).value_or(0));
    work.stream = number_of(event, "stream", whole(event.thread).value_or(0));
    work.start = start;
    work.end = end;
    work.correlation = number_of(event, "correlation", -1);
    if (work.kind == GpuKind::kKernel) {
      work.blocks = product_of(event, "grid");
      work.threads = product_of(event, "block");
      work.registers = number_of(event, "registers per thread", 0);
      work.shared_memory = number_of(event, "shared memory", 0);
    }
    recording_.work.push_back(work);
  }

  void take_wait(const ChromeEvent& event) {
    const std::string* kind = event.arg("cuda_sync_kind");
    const std::string_view name = kind != nullptr ? *kind : event.name;
    if (name.find("Context") != std::string_view::npos) return;  // it waits for every stream
    recording_.waits.push_back({number_of(event, "correlation", -1), number_of(event, "stream", -1),
                                number_of(event, "wait_on_stream", -1),
                                number_of(event, "wait_on_cuda_event_record_corr_id", -1)});
  }

  static GpuDevice device(const std::map<std::string, std::string, std::less<>>& properties) {
    const auto number = [&](std::string_view key) -> std::optional<std::int64_t> {
      const auto found = properties.find(key);
      const auto value = found == properties.end() ? std::nullopt : whole(found->second);
      return value && *value > 0 ? value : std::nullopt;
    };
    GpuDevice device;
    device.id = number("id").value_or(0);
    if (const auto found = properties.find("name"); found != properties.end()) {
      device.name = found->second;
    }
    device.units = number("numSms").value_or(0);
    device.sm.threads = number("maxThreadsPerMultiprocessor");
    device.sm.registers = number("regsPerMultiprocessor");
    device.sm.shared_memory = number("sharedMemPerMultiprocessor");
    const auto minor = properties.find("computeMinor");
    device.sm.blocks =
        most_blocks_of_sm(number("computeMajor").value_or(0),
                          minor == properties.end() ? 0 : whole(minor->second).value_or(0));
    return device;
  }

  /// The day of a time since 1970; empty if that makes no sense.
  static std::string date_of(std::string_view nanoseconds) {
    const auto ns = whole(nanoseconds);
    if (!ns || *ns < 0) return {};
    const std::chrono::year_month_day day(
        std::chrono::sys_days(std::chrono::days(*ns / 86'400'000'000'000)));
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                       static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  }

  /// Times as large as this one count from 1970.
  static constexpr std::int64_t kYear2001 = 978'307'200'000'000'000;

  Recording recording_;
  std::int64_t earliest_ = INT64_MAX;
  std::size_t kept_ = 0, halves_ = 0;
  std::int64_t overhead_ = 0;
};

}  // namespace

Result<Recording> read_kineto(Bytes& bytes) {
  KinetoReader reader;
  const auto facts =
      read_chrome_events(bytes, [&](const ChromeEvent& event) { return reader.take(event); });
  if (!facts) return facts.error();
  return reader.finish(*facts);
}

}  // namespace tactus::exchange
