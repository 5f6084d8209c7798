#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/methods/pbs/pbs_task_set.hpp"
#include "tactus/methods/plan.hpp"

namespace tactus::pbs {

/// One batch of a schedule table: its kernels in submission order, each with its job number.
struct Frame {
  struct Job {
    std::uint32_t kernel = 0;
    std::int64_t number = 0;
  };
  Ticks start = 0, end = 0;
  std::vector<Job> batch;
};

/// Instants of a job: arrival = offset + k*T, deadline = arrival + D.
inline Ticks arrival_of(const Kernel& kernel, std::int64_t job) {
  return kernel.offset + job * kernel.period;
}
inline Ticks deadline_of(const Kernel& kernel, std::int64_t job) {
  return arrival_of(kernel, job) + kernel.deadline;
}

/// The schedule of one hyperperiod, which repeats for ever; the plan of all three methods.
class ScheduleTable final : public Plan {
 public:
  /// Copies what it needs from `set`, so that it may outlive it.
  ScheduleTable(const TaskSet& set, Time margin, std::vector<Frame> frames);

  void write_fields(json::Writer& out, const System& system) const override;
  std::vector<PlanTable> tables(const System& system) const override;
  std::vector<PlanBar> bars(const System& system) const override;
  std::string dot(const System& /*system*/) const override { return dot_; }

  const std::vector<Frame>& frames() const { return frames_; }
  TaskIndex task_of(std::uint32_t kernel) const { return task_of_[kernel]; }
  Time time(Ticks ticks) const { return ticks * tick_; }
  Ticks hyperperiod() const { return hyperperiod_; }
  /// The drawing and the counts of the full scheduling graph, when that was asked for.
  void attach_graph(std::string dot, PlanTable counts);

 private:
  std::vector<TaskIndex> task_of_;  ///< by kernel
  Time tick_, margin_;
  Ticks hyperperiod_;
  std::vector<Frame> frames_;
  std::string dot_;
  std::optional<PlanTable> counts_;
};

/// Per task the largest time from arrival to the end of its frame, split into waiting and frame.
std::vector<TaskVerdict> bounds_of(const TaskSet& set, const std::vector<Frame>& frames);

}  // namespace tactus::pbs
