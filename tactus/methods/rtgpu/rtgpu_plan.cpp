#include "tactus/methods/rtgpu/rtgpu_plan.hpp"

#include <fmt/core.h>

#include <array>

#include "tactus/model/written.hpp"

namespace tactus {

using namespace codec;  // the words of the tables
using rtgpu::AllocationPlan;

namespace {

using Entry = AllocationPlan::Entry;

template <auto kMember>
auto by_task(const AllocationPlan& plan) {
  std::vector<std::pair<TaskIndex, std::int64_t>> all;
  for (const Entry& entry : plan.entries) all.emplace_back(entry.task, entry.*kMember);
  return all;
}

auto virtual_sms(const AllocationPlan& plan) {
  return plan.interleaved ? std::optional(by_task<&Entry::virtual_sms>(plan)) : std::nullopt;
}

using Units = std::vector<std::pair<std::string_view, std::int64_t>>;

std::vector<std::pair<TaskIndex, Units>> units_of(const System& system,
                                                  const AllocationPlan& plan) {
  std::vector<std::pair<TaskIndex, Units>> all;
  for (const Entry& entry : plan.entries) {
    if (entry.units.empty()) continue;
    Units& units = all.emplace_back(entry.task, Units()).second;
    for (const rtgpu::KernelUnits& kernel : entry.units) {
      units.emplace_back(system.tasks[entry.task].nodes[kernel.node].name, kernel.units);
    }
  }
  return all;
}

/// The bound of a task.
struct Bound {
  const Entry& entry;
  bool interleaved;
};

template <auto kMember>
std::optional<std::optional<Time>> if_interleaved(const Bound& bound) {
  if (!bound.interleaved) return std::nullopt;
  return std::optional<std::optional<Time>>(std::in_place, bound.entry.*kMember);
}

std::vector<Bound> bounds_of(const AllocationPlan& plan) {
  std::vector<Bound> all;
  for (const Entry& entry : plan.entries) all.push_back({entry, plan.interleaved});
  return all;
}

/// The bound of a segment.
struct Row {
  const Entry& entry;
  const rtgpu::SegmentBound& segment;
};

std::vector<Row> rows_of(const AllocationPlan& plan) {
  std::vector<Row> all;
  for (const Entry& entry : plan.entries) {
    for (const rtgpu::SegmentBound& segment : entry.segments) all.push_back({entry, segment});
  }
  return all;
}

std::vector<std::string_view> names_of(const System& system, const Row& row) {
  std::vector<std::string_view> names;
  for (const NodeIndex node : row.entry.nodes(row.segment)) {
    names.emplace_back(system.tasks[row.entry.task].nodes[node].name);
  }
  return names;
}

}  // namespace

template <>
std::span<const Field<Bound>> fields<Bound>() {
  static constexpr auto kTable = std::to_array<Field<Bound>>({
      always<TaskName>("task", "Whose", [](const Bound& b) { return b.entry.task; }),
      always<OrNull<TimeSeen>>("bound", "Null: beyond its deadline",
                               [](const Bound& b) { return b.entry.bound; }),
      where_known<if_interleaved<&Entry::per_copy>, OrNull<TimeSeen>>(
          "paper", "rtgpu.*: as in the paper, copy by copy"),
      where_known<if_interleaved<&Entry::whole_job>, OrNull<TimeSeen>>("tight",
                                                                       "rtgpu.*: job by job"),
  });
  return kTable;
}

template <>
std::span<const Field<Row>> fields<Row>() {
  static constexpr auto kTable = std::to_array<Field<Row>>({
      always<TaskName>("task", "Whose", [](const Row& row) { return row.entry.task; }),
      always<Line>("node", "Its first node",
                   [](const System& system, const Row& row) { return names_of(system, row)[0]; }),
      where_known<Lines>("nodes", "All, where there are several",
                         [](const System& system, const Row& row) {
                           auto names = names_of(system, row);
                           return names.size() > 1 ? std::optional(names) : std::nullopt;
                         }),
      always<Line>("kind", "cpu, copy, gpu or suspension",
                   [](const Row& row) { return row.segment.kind; }),
      always<OrNull<TimeSeen>>("bound", "Null: beyond the deadline",
                               [](const Row& row) { return row.segment.bound; }),
      always<TimeSeen>("lower", "The least time it takes",
                       [](const Row& row) { return row.segment.lower; }),
  });
  return kTable;
}

template <>
std::span<const Field<AllocationPlan>> fields<AllocationPlan>() {
  static constexpr auto kTable = std::to_array<Field<AllocationPlan>>({
      always<by_task<&Entry::sms>, ByTask<AnyInteger>>("allocation", "SMs, by task"),
      where_known<virtual_sms, ByTask<AnyInteger>>("virtual_sms", "By task"),
      always<units_of, ByTask<ByName<AnyInteger>>>("units", "SMs, by task and kernel"),
      always<by_task<&Entry::priority>, ByTask<AnyInteger>>("priorities",
                                                            "By task; larger is more urgent"),
      always<&AllocationPlan::spare_sms, AnyInteger>("spare_sms", "That no task has"),
      always<bounds_of, List<Object<Bound>>>("bounds", "Of the tasks"),
      always<rows_of, List<Object<Row>>>("segments", "Bounds of the segments"),
  });
  return kTable;
}

namespace rtgpu {
namespace {

std::string shown(const std::optional<Time>& time, const System& system) {
  return time ? format_time(*time, system.time_unit) : "-";
}

}  // namespace

void AllocationPlan::write_fields(json::Writer& out, const System& system) const {
  write_members(out, system, *this);
}
std::vector<Described> plan_keys() { return described<AllocationPlan>(); }

std::vector<PlanTable> AllocationPlan::tables(const System& system) const {
  PlanTable shares{fmt::format("SMs of each task ({} spare)", spare_sms), {}, {}};
  PlanTable kernels{"SMs that each kernel runs on", {"task", "node", "SMs"}, {}};
  PlanTable segments{"Bounds of the segments", {"task", "node", "on", "least", "bound"}, {}};
  shares.header = {"task", "priority", "SMs", "bound", "deadline"};
  if (interleaved) {
    shares.header = {"task",        "priority",    "SMs",     "virtual SMs",
                     "paper bound", "tight bound", "deadline"};
  }
  for (const Entry& entry : entries) {
    const Task& task = system.tasks[entry.task];
    std::vector<std::string> row = {task.name, std::to_string(entry.priority),
                                    std::to_string(entry.sms)};
    if (interleaved) {
      row.push_back(std::to_string(entry.virtual_sms));
      row.push_back(shown(entry.per_copy, system));
      row.push_back(shown(entry.whole_job, system));
    } else {
      row.push_back(shown(entry.bound, system));
    }
    row.push_back(shown(entry.deadline, system));
    shares.rows.push_back(std::move(row));
    for (const KernelUnits& kernel : entry.units) {
      kernels.rows.push_back(
          {task.name, task.nodes[kernel.node].name, std::to_string(kernel.units)});
    }
    for (const SegmentBound& segment : entry.segments) {
      std::string nodes;
      for (NodeIndex node : entry.nodes(segment)) {
        nodes += (nodes.empty() ? "" : "+") + task.nodes[node].name;
      }
      segments.rows.push_back({task.name, std::move(nodes), std::string(segment.kind),
                               shown(segment.lower, system), shown(segment.bound, system)});
    }
  }
  std::vector<PlanTable> all = {std::move(shares)};
  if (!kernels.rows.empty()) all.push_back(std::move(kernels));
  if (!segments.rows.empty()) all.push_back(std::move(segments));
  return all;
}

}  // namespace rtgpu
}  // namespace tactus
