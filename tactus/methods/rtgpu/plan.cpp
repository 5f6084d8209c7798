#include "tactus/methods/rtgpu/plan.hpp"

#include <fmt/core.h>

namespace tactus::rtgpu {
namespace {

std::string shown(const std::optional<Time>& time, const System& system) {
  return time ? format_time(*time, system.time_unit) : "-";
}

}  // namespace

void AllocationPlan::write_fields(json::Writer& out, const System& system) const {
  const auto write_counts = [&](std::string_view key, auto count_of) {
    out.key(key).begin_object();
    for (const Entry& entry : entries) {
      out.key(system.tasks[entry.task].name).integer(count_of(entry));
    }
    out.end_object();
  };
  write_counts("allocation", [](const Entry& entry) { return entry.sms; });
  if (interleaved)
    write_counts("virtual_sms", [](const Entry& entry) { return entry.virtual_sms; });
  out.key("units").begin_object();
  for (const Entry& entry : entries) {
    if (entry.units.empty()) continue;
    const Task& task = system.tasks[entry.task];
    out.key(task.name).begin_object();
    for (const KernelUnits& kernel : entry.units) {
      out.key(task.nodes[kernel.node].name).integer(kernel.units);
    }
    out.end_object();
  }
  out.end_object();
  write_counts("priorities", [](const Entry& entry) { return entry.priority; });
  out.key("spare_sms").integer(spare_sms);
  out.key("bounds").begin_array();
  for (const Entry& entry : entries) {
    out.begin_object();
    out.key("task").string(system.tasks[entry.task].name);
    write_time(out.key("bound"), entry.bound, system.time_unit);
    if (interleaved) {
      write_time(out.key("paper"), entry.per_copy, system.time_unit);
      write_time(out.key("tight"), entry.whole_job, system.time_unit);
    }
    out.end_object();
  }
  out.end_array();
  out.key("segments").begin_array();
  for (const Entry& entry : entries) {
    const Task& task = system.tasks[entry.task];
    for (const SegmentBound& segment : entry.segments) {
      out.begin_object();
      out.key("task").string(task.name);
      const auto nodes = entry.nodes(segment);
      out.key("node").string(task.nodes[nodes.front()].name);
      if (nodes.size() > 1) {
        out.key("nodes").begin_array();
        for (NodeIndex node : nodes) out.string(task.nodes[node].name);
        out.end_array();
      }
      out.key("kind").string(segment.kind);
      write_time(out.key("bound"), segment.bound, system.time_unit);
      write_time(out.key("lower"), segment.lower, system.time_unit);
      out.end_object();
    }
  }
  out.end_array();
}

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

}  // namespace tactus::rtgpu
