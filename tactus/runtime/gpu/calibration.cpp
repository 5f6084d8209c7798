#include "tactus/runtime/gpu/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tactus/base/json_writer.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::runtime::gpu {
namespace {

std::string decimal(double value) { return fmt::format("{:.3f}", value); }

void write(json::Writer& w, std::string_view key, const SampleStatistics& summary) {
  w.key(key).begin_object();
  w.key("count").integer(static_cast<std::int64_t>(summary.count));
  w.key("min_ns").number(decimal(summary.min));
  w.key("p50_ns").number(decimal(summary.p50));
  w.key("mean_ns").number(decimal(summary.mean));
  w.key("p99_ns").number(decimal(summary.p99));
  w.key("max_ns").number(decimal(summary.max));
  w.key("std_ns").number(decimal(summary.deviation));
  w.end_object();
}

void write(json::Writer& w, std::string_view key,
           const std::vector<std::pair<std::int64_t, SampleStatistics>>& times,
           const ScalingFit& fit) {
  w.key(key).begin_object();
  w.key("times").begin_array();
  for (const auto& [width, summary] : times) {
    w.begin_object();
    w.key("sms").integer(width);
    write(w, "time", summary);
    w.end_object();
  }
  w.end_array();
  w.key("dag").begin_object();
  w.key("load_ns").number(decimal(fit.load));
  w.key("t_min_ns").number(decimal(fit.t_min));
  w.key("worst_error").number(decimal(fit.dag_error));
  w.end_object();
  w.key("rtgpu").begin_object();
  w.key("work_ns").number(decimal(fit.work));
  w.key("overhead_ns").number(decimal(fit.overhead));
  w.key("worst_error").number(decimal(fit.rtgpu_error));
  w.end_object();
  w.end_object();
}

void write(json::Writer& w, std::string_view key, const CopyReport& report) {
  w.key(key).begin_object();
  w.key("fixed_ns").number(decimal(report.line.fixed));
  w.key("ns_per_byte").number(fmt::format("{:.6f}", report.line.slope));
  w.key("worst_error").number(decimal(report.line.worst_error));
  w.key("points").begin_array();
  for (const auto& [bytes, ns] : report.points) {
    w.begin_object();
    w.key("bytes").number(fmt::format("{:.0f}", bytes));
    w.key("ns").number(decimal(ns));
    w.end_object();
  }
  w.end_array();
  w.end_object();
}

void write(json::Writer& w, const GpuInfo& gpu) {
  w.key("gpu").begin_object();
  w.key("name").string(gpu.name);
  w.key("driver").string(gpu.driver);
  w.key("driver_cuda").integer(gpu.driver_cuda);
  w.key("sms").integer(gpu.sms);
  w.key("sm_clock_khz").integer(gpu.sm_clock_khz);
  w.key("memory_clock_khz").integer(gpu.memory_clock_khz);
  w.end_object();
}

/// Nanoseconds, rounded up: what is measured goes into bounds.
Time up(double ns) {
  return Time::from_ns(static_cast<std::int64_t>(std::ceil(std::max(ns, 0.0))));
}

std::string note_of(const Calibration& calibration) {
  const GpuInfo& gpu = calibration.gpu;
  std::string note =
      fmt::format("{}, driver {}, CUDA {}.{}, SM clock up to {} MHz, measured {}.", gpu.name,
                  gpu.driver, gpu.driver_cuda / 1000, gpu.driver_cuda % 1000 / 10,
                  gpu.sm_clock_khz / 1000, calibration.date);
  note += " Interleaving (two blocks per SM):";
  for (const KindTimes& kind : calibration.kinds) {
    note += fmt::format(" {} {:.3f}", kind.kind, kind.alpha);
  }
  note += fmt::format(
      ". Copies: to the device {:.1f} us + {:.1f} us/MB, to the host {:.1f} us + "
      "{:.1f} us/MB.",
      calibration.to_device.line.fixed / 1e3, calibration.to_device.line.slope * 1e3,
      calibration.to_host.line.fixed / 1e3, calibration.to_host.line.slope * 1e3);
  const LaunchCosts& launches = calibration.launches;
  note += fmt::format(" Launch call p50 {:.1f} us, p99 {:.1f} us of {}.",
                      launches.launch_call.p50 / 1e3, launches.launch_call.p99 / 1e3,
                      launches.launch_call.count);
  if (calibration.switches) {
    const SwitchReport& turns = *calibration.switches;
    note += fmt::format(
        " Slice p50 {:.0f} us of {}; switch p50 {:.0f} us, max {:.0f} us of {} by "
        "timestamps",
        turns.slice.p50 / 1e3, turns.slice.count, turns.theta.p50 / 1e3, turns.theta.max / 1e3,
        turns.theta.count);
    for (const SwitchReport::Together& run : turns.formula) {
      note += fmt::format(", mean {:.0f} us, max {:.0f} us by completion of {} processes",
                          run.theta_mean / 1e3, run.theta_most / 1e3, run.processes);
    }
    note += ".";
  } else {
    note += " Turns between processes: " + calibration.no_switches + ".";
  }
  return note;
}

}  // namespace

std::string calibration_json(const Calibration& calibration) {
  json::Writer w;
  w.begin_object();
  w.key("tactus").integer(1);
  w.key("date").string(calibration.date);
  write(w, calibration.gpu);
  w.key("kinds").begin_array();
  for (const KindTimes& kind : calibration.kinds) {
    w.begin_object();
    w.key("kind").string(kind.kind);
    write(w, "grid", kind.grid, kind.grid_fit);
    write(w, "pinned", kind.pinned, kind.pinned_fit);
    write(w, "shortest", kind.shortest);
    w.key("interleave").begin_object();
    w.key("alpha").number(decimal(kind.alpha));
    write(w, "one", kind.one_seat);
    write(w, "two", kind.two_seats);
    w.end_object();
    w.key("lost_blocks").integer(kind.lost);
    w.end_object();
  }
  w.end_array();
  write(w, "to_device", calibration.to_device);
  write(w, "to_host", calibration.to_host);
  w.key("launches").begin_object();
  const LaunchCosts& launches = calibration.launches;
  write(w, "launch_and_wait", launches.launch_and_wait);
  write(w, "after_idle", launches.after_idle);
  write(w, "launch_call", launches.launch_call);
  write(w, "seen_by_word", launches.seen_by_word);
  write(w, "seen_by_query", launches.seen_by_query);
  write(w, "chain_in_stream", launches.chain_in_stream);
  write(w, "chain_in_graph", launches.chain_in_graph);
  write(w, "gap_in_graph", launches.gap_in_graph);
  w.end_object();
  if (calibration.switches) {
    const SwitchReport& turns = *calibration.switches;
    w.key("switches").begin_object();
    write(w, "slice", turns.slice);
    write(w, "theta", turns.theta);
    w.key("formula").begin_array();
    for (const SwitchReport::Together& run : turns.formula) {
      w.begin_object();
      w.key("processes").integer(run.processes);
      write(w, "alone", run.alone);
      write(w, "together", run.together);
      w.key("theta_mean_ns").number(decimal(run.theta_mean));
      w.key("theta_max_ns").number(decimal(run.theta_most));
      w.end_object();
    }
    w.end_array();
    w.end_object();
  } else {
    w.key("switches").null();
    w.key("no_switches").string(calibration.no_switches);
  }
  w.end_object();
  return w.take();
}

std::string platform_fragment(const Calibration& calibration, std::int64_t cpu_cores) {
  System system;
  system.name = "measured";
  system.note = note_of(calibration);
  system.time_unit = TimeUnit::kUs;
  const auto add = [&](std::string name, ElementKind kind, std::int64_t units) -> Element& {
    Element& element = system.platform.elements.emplace_back();
    element.name = std::move(name);
    element.kind = kind;
    element.units = units;
    return element;
  };
  add("cpu", ElementKind::kCpu, std::max<std::int64_t>(cpu_cores, 1));
  add("h2d", ElementKind::kCopy, 1);
  add("d2h", ElementKind::kCopy, 1);
  Element& gpu = add("gpu", ElementKind::kGpu, calibration.gpu.sms);
  gpu.sm = SmLimits{calibration.gpu.threads_per_sm, calibration.gpu.blocks_per_sm,
                    calibration.gpu.registers_per_sm, calibration.gpu.shared_per_sm};
  double shortest = 0;
  for (const KindTimes& kind : calibration.kinds) {
    shortest = std::max(shortest, kind.shortest.p99);
  }
  if (shortest > 0) gpu.t_min = up(shortest + calibration.launches.gap_in_graph.p99);
  if (calibration.switches) {
    const SwitchReport& turns = *calibration.switches;
    double theta = turns.theta.max;
    for (const SwitchReport::Together& run : turns.formula) theta = std::max(theta, run.theta_most);
    gpu.time_slice = up(turns.slice.p50);
    gpu.context_switch = up(theta);
  }
  return write_system(system);
}

}  // namespace tactus::runtime::gpu
