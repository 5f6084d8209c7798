#include "tactus/report/measured.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus {
namespace report {
namespace {

/// Calls `visit(task, node)` for every node that says where its times come from.
template <typename Visit>
void for_each_measured(const System& system, Visit visit) {
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    for (const Node& node : system.tasks[i].nodes) {
      if (node.measured) visit(i, node);
    }
  }
}

std::string percent(Margin margin) { return format_scaled(margin.billionths, Margin::kScale - 2); }

/// The longest time that was seen.
std::optional<Time> longest(const Measured& measured) {
  if (!measured.alone || !measured.worst) return measured.worst ? measured.worst : measured.alone;
  return std::max(*measured.alone, *measured.worst);
}

std::string described(const Measured& measured, TimeUnit unit) {
  std::vector<std::string> parts;
  if (measured.runs) parts.push_back(fmt::format("{} runs", *measured.runs));
  if (measured.alone) parts.push_back(fmt::format("alone {}", format_time(*measured.alone, unit)));
  const std::string beside =
      measured.enemy ? fmt::format("beside {}", quote(*measured.enemy)) : std::string();
  if (measured.worst) {
    parts.push_back(fmt::format("at worst {}{}{}", format_time(*measured.worst, unit),
                                beside.empty() ? "" : " ", beside));
  } else if (!beside.empty()) {
    parts.push_back(beside);
  }
  if (measured.margin) parts.push_back(fmt::format("margin {} %", percent(*measured.margin)));
  if (measured.on) parts.push_back(quote(*measured.on));
  if (measured.date) parts.push_back(quote(*measured.date));
  return parts.empty() ? "nothing more is said" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string measured_text(const System& system, std::optional<TaskIndex> task, const Style& style) {
  std::string out, warnings;
  for_each_measured(system, [&](TaskIndex index, const Node& node) {
    if (task && *task != index) return;
    const std::string name = system.tasks[index].name + "." + node.name;
    out +=
        list_entry(fmt::format("{}: {}", name, described(*node.measured, system.time_unit)), style);
    const std::optional<Time> seen = longest(*node.measured);
    if (!seen || !node.wcet || *node.wcet >= *seen) return;
    warnings += fmt::format("  {} {}: its wcet {} is below the longest time measured, {}\n",
                            inked("warning:", Ink::kYellow, style), name,
                            format_time(*node.wcet, system.time_unit),
                            format_time(*seen, system.time_unit));
  });
  if (out.empty()) return out;
  return paragraph("", "Bounds rest on times that were measured; longer ones may exist:", style) +
         out + warnings + '\n';
}

std::vector<MeasuredTimes> measured_times(const System& system) {
  std::vector<MeasuredTimes> nodes;
  for_each_measured(system, [&](TaskIndex task, const Node& node) {
    nodes.push_back({task, &node});
  });
  return nodes;
}

}  // namespace report

using namespace codec;  // the words of the table
using report::MeasuredTimes;

template <>
std::span<const Field<MeasuredTimes>> fields<MeasuredTimes>() {
  static constexpr auto kTable = std::to_array<Field<MeasuredTimes>>({
      always<&MeasuredTimes::task, TaskName>("task", "Its task"),
      always<Line>("node", "Its name",
                   [](const MeasuredTimes& m) { return std::string_view(m.node->name); }),
      always<Object<Measured>>("measured", "As in the file",
                               [](const MeasuredTimes& m) { return *m.node->measured; }),
  });
  return kTable;
}

}  // namespace tactus
