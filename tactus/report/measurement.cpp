#include "tactus/report/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/json_writer.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::report {
namespace {

using runtime::MeasuredNode;
using runtime::MeasuredNodes;
using runtime::MeasuredWidth;
using runtime::MeasureOptions;
using runtime::SeenBeside;
using runtime::gpu::GpuState;

constexpr std::size_t kShown = 5;  ///< neighbours per width

bool is_noisy(const MeasuredNode& node, const MeasuredWidth& width) {
  return node.kind != MeasuredNode::Kind::kCpu && node.kind != MeasuredNode::Kind::kCopy &&
         runtime::is_noisy(width.beside.front().statistics);
}

std::string units_text(const MeasuredNode& node, const MeasuredWidth& width) {
  if (width.got > 0) return std::to_string(width.got);
  return node.kind == MeasuredNode::Kind::kGraph || node.kind == MeasuredNode::Kind::kKernel ? "all"
                                                                                             : "";
}

/// Alone first, then the worst.
std::vector<const SeenBeside*> shown_of(const MeasuredWidth& width) {
  std::vector<const SeenBeside*> shown;
  for (const SeenBeside& seen : width.beside) shown.push_back(&seen);
  std::stable_sort(shown.begin() + 1, shown.end(), [](const SeenBeside* a, const SeenBeside* b) {
    return a->statistics.max > b->statistics.max;
  });
  if (shown.size() > kShown) shown.resize(kShown);
  return shown;
}

std::string state_text(const GpuState& state) {
  return fmt::format("SM {} MHz, memory {} MHz, {} degrees{}", state.sm_clock_mhz,
                     state.memory_clock_mhz, state.temperature_c,
                     state.throttled ? ", slowed down by power or heat" : "");
}

void write(json::Writer& w, const std::optional<GpuState>& state) {
  if (!state) {
    w.null();
    return;
  }
  w.begin_object();
  w.key("sm_clock_mhz").integer(state->sm_clock_mhz);
  w.key("memory_clock_mhz").integer(state->memory_clock_mhz);
  w.key("temperature_c").integer(state->temperature_c);
  w.key("throttled").boolean(state->throttled);
  w.end_object();
}

void write(json::Writer& w, const runtime::gpu::Conditions& conditions) {
  w.begin_object();
  w.key("before");
  write(w, conditions.before);
  w.key("after");
  write(w, conditions.after);
  w.key("stolen_cpu_s");
  if (conditions.stolen_ns) {
    w.number(fmt::format("{:.2f}", static_cast<double>(*conditions.stolen_ns) / 1e9));
  } else {
    w.null();
  }
  w.key("took_s").number(fmt::format("{:.3f}", static_cast<double>(conditions.took_ns) / 1e9));
  w.end_object();
}

}  // namespace

std::string measurement_text(const MeasuredNodes& measured, const MeasureOptions& options,
                             const Style& style) {
  const System& system = measured.system;
  const auto time = [&](Time value) { return format_time(value, system.time_unit); };
  std::string text =
      fmt::format("{} on {}: {} runs of each node, on each width, beside each neighbour\n",
                  system.name, measured.machine, options.runs);
  bool grows = false, noisy = false;
  for (const MeasuredNode& node : measured.nodes) {
    const Task& task = system.tasks[node.task];
    text += fmt::format("\n{} of {} ({}{})\n", task.nodes[node.node].name, task.name,
                        word_of(node.kind),
                        node.widths.front().how.empty() ? "" : ": " + node.widths.front().how);
    Table table({{"units", Align::kRight},
                 {"beside"},
                 {"min", Align::kRight},
                 {"p50", Align::kRight},
                 {"p99", Align::kRight},
                 {"max", Align::kRight},
                 {"autocorr.", Align::kRight},
                 {"still grows"},
                 {"wcet", Align::kRight}});
    for (const MeasuredWidth& width : node.widths) {
      bool first = true;
      noisy = noisy || is_noisy(node, width);
      for (const SeenBeside* seen : shown_of(width)) {
        const bool worst = seen == &width.worst();
        grows = grows || (worst && seen->grew);
        table.add({first ? units_text(node, width) : "", seen->neighbour,
                   time(seen->statistics.min), time(seen->statistics.p50),
                   time(seen->statistics.p99),
                   Cell(time(seen->statistics.max), worst ? Ink::kBold : Ink::kPlain),
                   fmt::format("{:.2f}", seen->autocorrelation), seen->grew ? "yes" : "",
                   first ? time(width.wcet) : ""});
        first = false;
      }
      if (width.beside.size() > kShown) {
        table.add_heading(fmt::format("       and {} neighbours that were no worse",
                                      width.beside.size() - kShown));
      }
    }
    text += table.render(style, "  ");
  }
  text += fmt::format(
      "\nwcet is the longest that was seen, plus {} %, rounded up. Measured, not proved: a longer "
      "time can always come.\n",
      options.margin);
  if (grows) {
    text +=
        "Some of the longest times came in the second half of their runs: more runs may show "
        "longer ones.\n";
  }
  if (noisy) text += "The machine is noisy: nodes alone take very different times.\n";
  const auto& conditions = measured.conditions;
  if (conditions.before) text += fmt::format("Before: {}\n", state_text(*conditions.before));
  if (conditions.after) text += fmt::format("After: {}\n", state_text(*conditions.after));
  const bool virtual_time = options.backend == "emulator";  // where nothing can be taken away
  if (!virtual_time && conditions.stolen_ns && *conditions.stolen_ns > 0) {
    text += fmt::format("The hypervisor took {:.2f} s of CPU time meanwhile.\n",
                        static_cast<double>(*conditions.stolen_ns) / 1e9);
  }
  for (const std::string& note : measured.notes) text += fmt::format("Note: {}\n", note);
  return text;
}

std::string measurement_json(const MeasuredNodes& measured, const MeasureOptions& options,
                             bool samples, std::span<const decide::Change> changes) {
  const System& system = measured.system;
  json::Writer w;
  const auto put = [&](const char* key, Time value) {
    w.key(key).number(format_time(value, system.time_unit));
  };
  begin_document(w, system, changes);
  w.key("machine").string(measured.machine);
  w.key("divisible").integer(measured.divisible);
  w.key("step").integer(measured.step);
  w.key("backend").string(options.backend);
  w.key("runs").integer(options.runs);
  w.key("margin").integer(options.margin);
  w.key("conditions");
  write(w, measured.conditions);
  w.key("notes").begin_array();
  for (const std::string& note : measured.notes) w.string(note);
  w.end_array();
  w.key("nodes").begin_array();
  for (const MeasuredNode& node : measured.nodes) {
    const Task& task = system.tasks[node.task];
    w.begin_object();
    w.key("task").string(task.name);
    w.key("node").string(task.nodes[node.node].name);
    w.key("kind").string(word_of(node.kind));
    put("wcet", node.widths.back().wcet);
    w.key("widths").begin_array();
    for (const MeasuredWidth& width : node.widths) {
      w.begin_object();
      w.key("asked").integer(width.asked);
      w.key("units").integer(width.got);
      w.key("how").string(width.how);
      put("wcet", width.wcet);
      w.key("worst").string(width.worst().neighbour);
      w.key("noisy").boolean(is_noisy(node, width));
      w.key("beside").begin_array();
      for (const SeenBeside& seen : width.beside) {
        w.begin_object();
        w.key("neighbour").string(seen.neighbour);
        w.key("count").integer(std::ssize(seen.samples));
        put("min", seen.statistics.min);
        put("mean", seen.statistics.mean);
        put("p50", seen.statistics.p50);
        put("p99", seen.statistics.p99);
        put("max", seen.statistics.max);
        w.key("autocorrelation").number(fmt::format("{:.3f}", seen.autocorrelation));
        w.key("still_grows").boolean(seen.grew);
        if (samples) {
          w.key("samples").begin_array();
          for (const Time sample : seen.samples) w.number(format_time(sample, system.time_unit));
          w.end_array();
        }
        w.end_object();
      }
      w.end_array();
      w.end_object();
    }
    w.end_array();
    w.end_object();
  }
  w.end_array();
  w.key("file").number(write_system(system));  // JSON text already
  w.end_object();
  return w.take();
}

}  // namespace tactus::report
