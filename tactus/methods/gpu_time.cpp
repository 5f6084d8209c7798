#include "tactus/methods/gpu_time.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"

namespace tactus {
namespace {

std::string place(const Task& task, const Node& node) {
  return fmt::format("task {}: node {}", quote(task.name), quote(node.name));
}

/// All units work on the part that speeds up; the rest does not get shorter.
Time spread_over(const Element& element, const Node& node) {
  const Time divided = *node.load - node.overhead;
  const Time spread = mul_div_up(divided, 1, element.units) + node.overhead;
  return std::max(spread, element.t_min.value_or(Time()));
}

}  // namespace

std::optional<WholeGpuTime> whole_gpu_time(const System& system, const Task& task,
                                           const Node& node) {
  const Element& element = system.platform.elements[node.on];
  if (node.wcet) return WholeGpuTime{*node.wcet, node.bcet, {}};
  if (node.load) {
    const Time time = spread_over(element, node);
    return WholeGpuTime{
        time, Time(),
        fmt::format("{}: its time with all {} units follows from `load`: {}", place(task, node),
                    element.units, format_time(time, system.time_unit))};
  }
  const TimesEntry* entry = entry_for(node.times, element.units);
  if (entry == nullptr) return std::nullopt;
  if (node.times.back().units == element.units) {
    entry = &node.times.back();  // no unit stays idle, so the kernel need not be confined
    return WholeGpuTime{entry->wcet, entry->bcet, {}};
  }
  return WholeGpuTime{entry->wcet, entry->bcet,
                      fmt::format("{}: time of {} of {} units; confine it to {} units",
                                  place(task, node), entry->units, element.units, entry->units)};
}

bool states_width(const Element& element, const Node& node) {
  return node.parallelism || (element.lanes > 1 && node.threads);
}

bool says_whole_time_only(const Element& element, const Node& node) {
  if (element.units == 1 && element.lanes == 1) return false;
  return node.wcet && !node.load && node.times.empty() && !states_width(element, node);
}

void lacks_time_on_fewer(Obstacles& obstacles, const Task& task, const Node& node,
                         Obstacles::Give give) {
  std::string problem =
      "says its time on the whole GPU only; this method divides the SMs and must know its time on "
      "fewer: give ";
  for (std::size_t i = 0; i < give.size(); ++i) {
    problem += i == 0 ? "" : i + 1 == give.size() ? " or " : ", ";
    problem += quote(give[i]);
  }
  obstacles.lacks(task, node, std::move(give), problem);
}

const TimesEntry* entry_for(std::span<const TimesEntry> times, std::int64_t units) {
  const TimesEntry* best = nullptr;
  for (const TimesEntry& entry : times) {
    if (entry.units > units) break;
    if (best == nullptr || entry.wcet < best->wcet) best = &entry;
  }
  return best;
}

}  // namespace tactus
