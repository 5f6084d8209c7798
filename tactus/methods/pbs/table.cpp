#include "tactus/methods/pbs/table.hpp"

#include <fmt/core.h>

namespace tactus::pbs {

ScheduleTable::ScheduleTable(const TaskSet& set, Time margin, std::vector<Frame> frames)
    : tick_(set.tick), margin_(margin), hyperperiod_(set.hyperperiod), frames_(std::move(frames)) {
  for (const Kernel& kernel : set.kernels) task_of_.push_back(kernel.index);
}

void ScheduleTable::attach_graph(std::string dot, PlanTable counts) {
  dot_ = std::move(dot);
  counts_ = std::move(counts);
}

void ScheduleTable::write_fields(json::Writer& out, const System& system) const {
  const auto time = [&](Ticks ticks) { return format_time(ticks * tick_, system.time_unit); };
  out.key("hyperperiod").number(time(hyperperiod_));
  // The checker has to add it too; a plan that did not say so would look wrong.
  if (margin_ != Time()) out.key("margin").number(format_time(margin_, system.time_unit));
  out.key("frames").begin_array();
  for (const Frame& frame : frames_) {
    out.begin_object();
    out.key("start").number(time(frame.start));
    out.key("end").number(time(frame.end));
    out.key("batch").begin_array();
    for (const Frame::Job& job : frame.batch) {
      out.begin_object();
      out.key("task").string(system.tasks[task_of_[job.kernel]].name);
      out.key("job").integer(job.number);
      out.end_object();
    }
    out.end_array();
    out.end_object();
  }
  out.end_array();
}

std::vector<PlanTable> ScheduleTable::tables(const System& system) const {
  const auto time = [&](Ticks ticks) { return format_time(ticks * tick_, system.time_unit); };
  PlanTable table{
      fmt::format("Batches of one hyperperiod of {}, in submission order", time(hyperperiod_)),
      {"frame", "start", "end", "batch"},
      {}};
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    std::string batch;
    for (const Frame::Job& job : frames_[i].batch) {
      batch += fmt::format("{}{}#{}", batch.empty() ? "" : " ",
                           system.tasks[task_of_[job.kernel]].name, job.number);
    }
    table.rows.push_back(
        {std::to_string(i), time(frames_[i].start), time(frames_[i].end), std::move(batch)});
  }
  std::vector<PlanTable> all = {std::move(table)};
  if (counts_) all.push_back(*counts_);
  return all;
}

std::vector<PlanBar> ScheduleTable::bars(const System& system) const {
  // One line per task: the hardware chooses the SMs of a batch.
  std::vector<PlanBar> bars;
  for (const Frame& frame : frames_) {
    for (const Frame::Job& job : frame.batch) {
      bars.push_back({static_cast<std::int64_t>(job.kernel), frame.start * tick_, frame.end * tick_,
                      system.tasks[task_of_[job.kernel]].name});
    }
  }
  return bars;
}

std::vector<TaskVerdict> bounds_of(const TaskSet& set, const std::vector<Frame>& frames) {
  std::vector<TaskVerdict> tasks(set.size());
  for (std::size_t i = 0; i < set.size(); ++i) {
    tasks[i].task = set.kernels[i].index;
    tasks[i].deadline = set.time(set.kernels[i].deadline);
    tasks[i].schedulable = true;
  }
  for (const Frame& frame : frames) {
    for (const Frame::Job& job : frame.batch) {
      const Ticks arrival = arrival_of(set.kernels[job.kernel], job.number);
      const Time response = set.time(frame.end - arrival);
      TaskVerdict& task = tasks[job.kernel];
      if (task.bound && response <= *task.bound) continue;
      task.bound = response;
      task.terms = {{.label = "wait",
                     .amount = set.time(frame.start - arrival),
                     .how = "from its arrival to the start of its frame"},
                    {.label = "frame",
                     .amount = set.time(frame.end - frame.start),
                     .how = "until all kernels of the frame have ended"}};
    }
  }
  return tasks;
}

}  // namespace tactus::pbs
