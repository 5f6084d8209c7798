#include "tactus/methods/pbs/table.hpp"

#include <fmt/core.h>

#include <array>

#include "tactus/model/written.hpp"

namespace tactus {

using namespace codec;  // the words of the tables
using pbs::ScheduleTable;

namespace {

struct Started {
  TaskIndex task = 0;
  std::int64_t job = 0;
};

/// A frame and the table that it is of.
struct Row {
  const ScheduleTable& table;
  const pbs::Frame& frame;
};

/// A table as it is written.
struct TableFields {
  const ScheduleTable& table;
  Time margin;
};

std::vector<Row> rows_of(const TableFields& written) {
  std::vector<Row> all;
  for (const pbs::Frame& frame : written.table.frames()) all.push_back({written.table, frame});
  return all;
}

std::vector<Started> batch_of(const Row& row) {
  std::vector<Started> all;
  for (const pbs::Frame::Job& job : row.frame.batch) {
    all.push_back({row.table.task_of(job.kernel), job.number});
  }
  return all;
}

}  // namespace

template <>
std::span<const Field<Started>> fields<Started>() {
  static constexpr auto kTable = std::to_array<Field<Started>>({
      always<&Started::task, TaskName>("task", "Its task"),
      always<&Started::job, Number>("job", "Its number, from 0"),
  });
  return kTable;
}

template <>
std::span<const Field<Row>> fields<Row>() {
  static constexpr auto kTable = std::to_array<Field<Row>>({
      always<TimeSeen>("start", "When it is submitted",
                       [](const Row& row) { return row.table.time(row.frame.start); }),
      always<TimeSeen>("end", "When all of it has ended",
                       [](const Row& row) { return row.table.time(row.frame.end); }),
      always<batch_of, List<Object<Started>>>("batch", "What is submitted together, in this order"),
  });
  return kTable;
}

template <>
std::span<const Field<TableFields>> fields<TableFields>() {
  static constexpr auto kTable = std::to_array<Field<TableFields>>({
      always<TimeSeen>("hyperperiod", "After which the table repeats",
                       [](const TableFields& w) { return w.table.time(w.table.hyperperiod()); }),
      // The checker has to add it too; a plan that did not say so would look wrong.
      where_known<&TableFields::margin, TimeSeen>("margin", "Added to every completion"),
      always<rows_of, List<Object<Row>>>("frames", "The table"),
  });
  return kTable;
}

namespace pbs {

ScheduleTable::ScheduleTable(const TaskSet& set, Time margin, std::vector<Frame> frames)
    : tick_(set.tick), margin_(margin), hyperperiod_(set.hyperperiod), frames_(std::move(frames)) {
  for (const Kernel& kernel : set.kernels) task_of_.push_back(kernel.index);
}

void ScheduleTable::attach_graph(std::string dot, PlanTable counts) {
  dot_ = std::move(dot);
  counts_ = std::move(counts);
}

void ScheduleTable::write_fields(json::Writer& out, const System& system) const {
  write_members(out, system, TableFields{*this, margin_});
}
std::vector<Described> plan_keys() { return described<TableFields>(); }

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

}  // namespace pbs
}  // namespace tactus
