#include "tactus/report/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tactus/base/diagnostic.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus {
namespace report {
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

/// What one run in a million exceeds; or why nobody knows.
std::string tail_text(const SeenBeside& seen, const System& system) {
  if (!seen.tail.trusted()) return std::string(seen.tail.doubt);
  return format_time(seen.tail.exceeded_with(runtime::kExceedance), system.time_unit);
}

std::string state_text(const GpuState& state) {
  return fmt::format("SM {} MHz, memory {} MHz, {} degrees{}", state.sm_clock_mhz,
                     state.memory_clock_mhz, state.temperature_c,
                     state.throttled ? ", slowed down by power or heat" : "");
}

}  // namespace

std::string measurement_text(const MeasuredNodes& measured, const MeasureOptions& options,
                             const Style& style) {
  const System& system = measured.system;
  const auto time = [&](Time value) { return format_time(value, system.time_unit); };
  std::string text =
      fmt::format("{} on {}: {} runs of each node, on each width, beside each neighbour\n",
                  system.name, measured.machine, options.runs);
  bool doubted = false, noisy = false;
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
                 {"one in 10^6", Align::kRight},
                 {"wcet", Align::kRight}});
    for (const MeasuredWidth& width : node.widths) {
      bool first = true;
      noisy = noisy || is_noisy(node, width);
      for (const SeenBeside* seen : shown_of(width)) {
        const bool worst = seen == &width.worst();
        doubted =
            doubted || (seen->samples.size() >= runtime::kFewestForDoubt && !seen->tail.trusted());
        table.add({first ? units_text(node, width) : "", seen->neighbour,
                   time(seen->statistics.min), time(seen->statistics.p50),
                   time(seen->statistics.p99),
                   Cell(time(seen->statistics.max), worst ? Ink::kBold : Ink::kPlain),
                   fmt::format("{:.2f}", seen->autocorrelation), tail_text(*seen, system),
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
      "\nwcet is the longest that was seen, plus {} %, rounded up; or what one run in a million "
      "exceeds by the fitted tail, where that is more. Measured, not proved: a longer time can "
      "always "
      "come.\n",
      options.margin);
  if (doubted) {
    text += fmt::format(
        "Where no tail can be fitted (the reason stands in its place), {} % were added.\n",
        2 * options.margin);
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

}  // namespace report

using namespace codec;  // the words of the tables
using runtime::MeasuredNode, runtime::MeasuredNodes, runtime::MeasuredWidth, runtime::SeenBeside;
using runtime::gpu::Conditions, runtime::gpu::GpuState;

namespace {

struct MeasurementDocument {
  const MeasuredNodes& measured;
  const runtime::MeasureOptions& options;
  bool samples;
  std::span<const decide::Change> changes;
};

/// The same, down to one of its parts.
struct NodeRow {
  const MeasurementDocument& document;
  const MeasuredNode& node;
};
struct WidthRow {
  const NodeRow& of;
  const MeasuredWidth& width;
};
struct BesideRow {
  const SeenBeside& seen;
  bool samples;
};

std::vector<NodeRow> nodes_of(const MeasurementDocument& document) {
  std::vector<NodeRow> rows;
  for (const MeasuredNode& node : document.measured.nodes) rows.push_back({document, node});
  return rows;
}
std::vector<WidthRow> widths_of(const NodeRow& row) {
  std::vector<WidthRow> rows;
  for (const MeasuredWidth& width : row.node.widths) rows.push_back({row, width});
  return rows;
}
std::vector<BesideRow> beside_of(const WidthRow& row) {
  std::vector<BesideRow> rows;
  for (const SeenBeside& seen : row.width.beside) rows.push_back({seen, row.of.document.samples});
  return rows;
}

std::string seconds(std::int64_t ns, int places) {
  return fmt::format("{:.{}f}", static_cast<double>(ns) / 1e9, places);
}
std::optional<std::string> stolen(const Conditions& conditions) {
  return conditions.stolen_ns ? std::optional(seconds(*conditions.stolen_ns, 2)) : std::nullopt;
}

template <auto kMember>
Time seen_time(const BesideRow& row) {
  return row.seen.statistics.*kMember;
}

/// The file as JSON text.
struct FileText : AnyValue {
  static void describe(json::Writer& out) { describe_object<System>(out); }
};

}  // namespace

template <>
std::span<const Field<GpuState>> fields<GpuState>() {
  static constexpr auto kTable = std::to_array<Field<GpuState>>({
      always<&GpuState::sm_clock_mhz, Number>("sm_clock_mhz", "Of the SMs"),
      always<&GpuState::memory_clock_mhz, Number>("memory_clock_mhz", "Of the memory"),
      always<&GpuState::temperature_c, Number>("temperature_c", "Of the GPU"),
      always<&GpuState::throttled, Flag>("throttled", "By power or heat"),
  });
  return kTable;
}

template <>
std::span<const Field<Conditions>> fields<Conditions>() {
  static constexpr auto kTable = std::to_array<Field<Conditions>>({
      always<&Conditions::before, OrNull<Object<GpuState>>>("before", "Null: not known"),
      always<&Conditions::after, OrNull<Object<GpuState>>>("after", "Null: not known"),
      always<stolen, OrNull<Decimal>>("stolen_cpu_s", "That the hypervisor took meanwhile"),
      always<Decimal>("took_s", "How long it took",
                      [](const Conditions& c) { return seconds(c.took_ns, 3); }),
  });
  return kTable;
}

template <>
std::span<const Field<BesideRow>> fields<BesideRow>() {
  static constexpr auto kTable = std::to_array<Field<BesideRow>>({
      always<Line>("neighbour", "Beside what",
                   [](const BesideRow& row) { return std::string_view(row.seen.neighbour); }),
      always<Number>("count", "Runs", [](const BesideRow& row) { return row.seen.samples.size(); }),
      always<seen_time<&Statistics::min>, TimeSeen>("min", "The shortest"),
      always<seen_time<&Statistics::mean>, TimeSeen>("mean", "Their mean"),
      always<seen_time<&Statistics::p50>, TimeSeen>("p50", "The median"),
      always<seen_time<&Statistics::p99>, TimeSeen>("p99", "99 of 100 are not longer"),
      always<seen_time<&Statistics::max>, TimeSeen>("max", "The longest"),
      always<Decimal>(
          "autocorrelation", "Of each with the next",
          [](const BesideRow& row) { return fmt::format("{:.3f}", row.seen.autocorrelation); }),
      always<Flag>("still_grows", "Is the longest in the second half?",
                   [](const BesideRow& row) { return row.seen.grew; }),
      always<OrNull<TimeSeen>>("one_in_a_million",
                               "What so few runs exceed, by the fitted tail, with 95 % confidence; "
                               "null: `doubt` says why it is not known",
                               [](const BesideRow& row) {
                                 return row.seen.tail.trusted()
                                            ? std::optional(
                                                  row.seen.tail.exceeded_with(runtime::kExceedance))
                                            : std::nullopt;
                               }),
      where_known<Line>("doubt", "Why the tail is not trusted",
                        [](const BesideRow& row) { return row.seen.tail.doubt; }),
      where_known<List<TimeSeen>>(
          "samples", "Every single one, in order",
          [](const BesideRow& row) { return row.samples ? &row.seen.samples : nullptr; }),
  });
  return kTable;
}

template <>
std::span<const Field<WidthRow>> fields<WidthRow>() {
  static constexpr auto kTable = std::to_array<Field<WidthRow>>({
      always<Number>("asked", "SMs asked for; 0: not divided",
                     [](const WidthRow& row) { return row.width.asked; }),
      always<Number>("units", "SMs that it had", [](const WidthRow& row) { return row.width.got; }),
      always<Line>("how", "It got into the partition",
                   [](const WidthRow& row) { return std::string_view(row.width.how); }),
      always<TimeSeen>("wcet",
                       "The longest of all, plus the margin (twice that where the tail is not "
                       "trusted), or what the tail says, rounded up",
                       [](const WidthRow& row) { return row.width.wcet; }),
      always<Line>(
          "worst", "Beside what it was longest",
          [](const WidthRow& row) { return std::string_view(row.width.worst().neighbour); }),
      always<Flag>("noisy", "Were times alone very different?",
                   [](const WidthRow& row) { return report::is_noisy(row.of.node, row.width); }),
      always<beside_of, List<Object<BesideRow>>>("beside", "By neighbour, alone first"),
  });
  return kTable;
}

template <>
std::span<const Field<NodeRow>> fields<NodeRow>() {
  static constexpr auto kTable = std::to_array<Field<NodeRow>>({
      always<TaskName>("task", "Its task", [](const NodeRow& row) { return row.node.task; }),
      always<Line>("node", "Its name",
                   [](const System& system, const NodeRow& row) {
                     return std::string_view(system.tasks[row.node.task].nodes[row.node.node].name);
                   }),
      always<OneOf<"graph", "kernel", "cpu", "copy">>(
          "kind", "What it is", [](const NodeRow& row) { return word_of(row.node.kind); }),
      always<TimeSeen>("wcet", "On the whole GPU",
                       [](const NodeRow& row) { return row.node.widths.back().wcet; }),
      always<widths_of, List<Object<WidthRow>>>("widths", "Rising"),
  });
  return kTable;
}

template <>
std::span<const Field<MeasurementDocument>> fields<MeasurementDocument>() {
  using Owner = MeasurementDocument;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      version<Owner>(),
      kind<Owner, "measurement">(),
      system_name<Owner>(),
      report::changes_field<Owner>(),
      always<Line>("machine", "Where it was measured",
                   [](const Owner& d) { return std::string_view(d.measured.machine); }),
      always<Number>("divisible", "SMs that partitions can have in all",
                     [](const Owner& d) { return d.measured.divisible; }),
      always<Number>("step", "SMs of a partition are a multiple of this",
                     [](const Owner& d) { return d.measured.step; }),
      always<Line>("backend", "What ran it",
                   [](const Owner& d) { return std::string_view(d.options.backend); }),
      always<Number>("runs", "Of each node, on each width, beside each neighbour",
                     [](const Owner& d) { return d.options.runs; }),
      always<Number>("margin", "Percent on top of the longest",
                     [](const Owner& d) { return d.options.margin; }),
      always<Object<Conditions>>("conditions", "Of the machine",
                                 [](const Owner& d) { return d.measured.conditions; }),
      always<Lines>("notes", "What to know of it", [](const Owner& d) { return d.measured.notes; }),
      always<nodes_of, List<Object<NodeRow>>>("nodes", "What was measured"),
      always<FileText>("file", "The system with these times",
                       [](const System& system, const Owner&) { return write_system(system); }),
  });
  return kTable;
}

namespace report {

std::string measurement_json(const MeasuredNodes& measured, const MeasureOptions& options,
                             bool samples, std::span<const decide::Change> changes) {
  return document_of(measured.system, MeasurementDocument{measured, options, samples, changes});
}

std::string measurement_schema() {
  return schema_of<MeasurementDocument>("measurement",
                                        "How long nodes took (tactus measure --json)");
}

}  // namespace report
}  // namespace tactus
