#include "tactus/report/gpu.hpp"

#include <fmt/format.h>

#include "tactus/base/json_writer.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::report {
namespace {

using runtime::gpu::Calibration;
using runtime::gpu::GpuInfo;
using runtime::gpu::KindTimes;
using runtime::gpu::SwitchReport;

std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string us(double ns) { return fmt::format("{:.1f}", ns / 1e3); }

std::vector<Cell> row(const std::string& what, const SampleStatistics& summary) {
  return {what,
          us(summary.min),
          us(summary.p50),
          us(summary.p99),
          us(summary.max),
          std::to_string(summary.count)};
}

Table summary_table(std::string title) {
  return Table({{std::move(title)},
                {"min", Align::kRight},
                {"p50", Align::kRight},
                {"p99", Align::kRight},
                {"max", Align::kRight},
                {"count", Align::kRight}});
}

}  // namespace

std::string gpu_info_text(const std::vector<GpuInfo>& gpus, const Style& style) {
  std::string text;
  for (const GpuInfo& gpu : gpus) {
    Table table({{"GPU " + std::to_string(gpu.device)}, {gpu.name}});
    table.add(
        {"compute capability", fmt::format("{}.{}", gpu.capability_major, gpu.capability_minor)});
    table.add(
        {"driver", fmt::format("{} (CUDA {}; tactus was built with {})",
                               gpu.driver.empty() ? "unknown" : gpu.driver,
                               cuda_version(gpu.driver_cuda), cuda_version(gpu.runtime_cuda))});
    table.add({"SMs", fmt::format("{} (each {} threads, {} blocks, {} registers, {} bytes shared)",
                                  gpu.sms, gpu.threads_per_sm, gpu.blocks_per_sm,
                                  gpu.registers_per_sm, gpu.shared_per_sm)});
    table.add(
        {"memory", fmt::format("{} MiB, L2 {} MiB", gpu.memory_bytes >> 20, gpu.l2_bytes >> 20)});
    table.add({"clocks", fmt::format("SM up to {} MHz, memory {} MHz", gpu.sm_clock_khz / 1000,
                                     gpu.memory_clock_khz / 1000)});
    table.add({"copy engines", std::to_string(gpu.copy_engines)});
    for (const std::string& feature : gpu.features) {
      const std::size_t colon = feature.find(": ");
      if (colon == std::string::npos) {
        table.add({"note", feature});
      } else {
        table.add({feature.substr(0, colon), feature.substr(colon + 2)});
      }
    }
    if (!text.empty()) text += '\n';
    text += table.render(style);
  }
  return text;
}

std::string gpu_info_json(const std::vector<GpuInfo>& gpus) {
  json::Writer w;
  codec::begin_document(w, "gpus");
  w.key("gpus").begin_array();
  for (const GpuInfo& gpu : gpus) {
    w.begin_object();
    w.key("device").integer(gpu.device);
    w.key("name").string(gpu.name);
    w.key("uuid").string(gpu.uuid);
    w.key("compute_capability")
        .string(fmt::format("{}.{}", gpu.capability_major, gpu.capability_minor));
    w.key("driver").string(gpu.driver);
    w.key("driver_cuda").string(cuda_version(gpu.driver_cuda));
    w.key("runtime_cuda").string(cuda_version(gpu.runtime_cuda));
    w.key("sms").integer(gpu.sms);
    w.key("memory_bytes").integer(gpu.memory_bytes);
    w.key("l2_bytes").integer(gpu.l2_bytes);
    w.key("sm").begin_object();
    w.key("threads").integer(gpu.threads_per_sm);
    w.key("blocks").integer(gpu.blocks_per_sm);
    w.key("registers").integer(gpu.registers_per_sm);
    w.key("shared_memory").integer(gpu.shared_per_sm);
    w.end_object();
    w.key("partition_step").integer(gpu.partition_step);
    w.key("partition_least").integer(gpu.partition_least);
    w.key("partition_step_with_clusters").integer(gpu.clustered_step);
    w.key("priorities").integer(gpu.priorities);
    w.key("copy_engines").integer(gpu.copy_engines);
    w.key("sm_clock_khz").integer(gpu.sm_clock_khz);
    w.key("memory_clock_khz").integer(gpu.memory_clock_khz);
    w.key("compute_preemption").boolean(gpu.compute_preemption);
    w.key("mps").boolean(gpu.mps);
    w.key("features").begin_array();
    for (const std::string& feature : gpu.features) w.string(feature);
    w.end_array();
    w.end_object();
  }
  w.end_array();
  w.end_object();
  return w.take();
}

namespace {

/// How kernels of each kind scale with SMs, and how two blocks on an SM slow each other down.
std::string kernels_text(const Calibration& calibration, const Style& style) {
  std::vector<Table::Column> columns = {{"kernel"}, {"width by"}};
  for (const auto& [width, summary] : calibration.kinds.front().grid) {
    columns.push_back({fmt::format("{} SM{}", width, width == 1 ? "" : "s"), Align::kRight});
  }
  columns.push_back({"fit (C-L)/m + L", Align::kRight});
  columns.push_back({"error", Align::kRight});
  Table scaling(columns);
  Table alpha({{"kernel"},
               {"one block", Align::kRight},
               {"two blocks", Align::kRight},
               {"alpha", Align::kRight},
               {"lost", Align::kRight},
               {"shortest", Align::kRight}});
  for (const KindTimes& kind : calibration.kinds) {
    for (const bool pinned : {false, true}) {
      std::vector<Cell> cells = {kind.kind, pinned ? "SM list" : "grid"};
      for (const auto& [width, summary] : pinned ? kind.pinned : kind.grid) {
        cells.emplace_back(us(summary.p50));
      }
      const auto& fit = pinned ? kind.pinned_fit : kind.grid_fit;
      cells.emplace_back(fmt::format("C {} L {}", us(fit.work), us(fit.overhead)));
      cells.emplace_back(fmt::format("{:.1f}%", 100 * fit.rtgpu_error));
      scaling.add(std::move(cells));
    }
    alpha.add({kind.kind, us(kind.one_seat.p50), us(kind.two_seats.p50),
               fmt::format("{:.3f}", kind.alpha), std::to_string(kind.lost),
               us(kind.shortest.p50)});
  }
  return scaling.render(style) + "\n" + alpha.render(style) + "\n";
}

std::string launches_text(const Calibration& calibration, const Style& style) {
  Table costs = summary_table("launches");
  const auto& launches = calibration.launches;
  costs.add(row("launch and wait", launches.launch_and_wait));
  costs.add(row("the same, 2 ms idle before", launches.after_idle));
  costs.add(row("launch call (G^m)", launches.launch_call));
  costs.add(row("end seen, by a word", launches.seen_by_word));
  costs.add(row("end seen, by asking", launches.seen_by_query));
  costs.add(row("of 100 in a stream, each", launches.chain_in_stream));
  costs.add(row("of 100 in a graph, each", launches.chain_in_graph));
  costs.add(row("gap in a graph", launches.gap_in_graph));
  return costs.render(style) + "\n";
}

std::string copies_text(const Calibration& calibration) {
  std::string text;
  for (const auto& [name, copy] : {std::pair("to the device", &calibration.to_device),
                                   std::pair("to the host", &calibration.to_host)}) {
    text += fmt::format("copies {}: {} us + {:.2f} us/MB ({:.1f} GB/s), worst error {:.1f}%\n",
                        name, us(copy->line.fixed), copy->line.slope * 1e3, 1 / copy->line.slope,
                        100 * copy->line.worst_error);
  }
  return text;
}

std::string turns_text(const SwitchReport& report, const Style& style) {
  Table turns = summary_table("turns between processes");
  turns.add(row("slice L", report.slice));
  turns.add(row("switch theta, by timestamps", report.theta));
  for (const SwitchReport::Together& run : report.formula) {
    turns.add(row("kernel alone", run.alone));
    turns.add(row(fmt::format("kernel, {} processes", run.processes), run.together));
  }
  std::string text = turns.render(style);
  for (const SwitchReport::Together& run : report.formula) {
    text += fmt::format("theta by completion of {}: mean {} us, max {} us\n", run.processes,
                        us(run.theta_mean), us(run.theta_most));
  }
  return text;
}

}  // namespace

std::string calibration_text(const Calibration& calibration, const Style& style) {
  const GpuInfo& gpu = calibration.gpu;
  std::string text =
      fmt::format("{}, driver {}, {}. Times in us.\n\n", gpu.name, gpu.driver, calibration.date);
  text += kernels_text(calibration, style) + launches_text(calibration, style);
  text += copies_text(calibration);
  if (!calibration.switches) {
    return text + fmt::format("turns between processes: {}\n", calibration.no_switches);
  }
  return text + '\n' + turns_text(*calibration.switches, style);
}

}  // namespace tactus::report
