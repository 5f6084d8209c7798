#pragma once

#include <string>
#include <vector>

#include "tactus/trace/excerpt.hpp"

/// A stretch of a run as rows of boxes, for the figure of a schedule.
namespace tactus::report {

/// Part of a row that is in use. In a row of several units the height is their share.
struct ScheduleBox {
  TaskIndex task = 0;
  trace::Activity activity = trace::Activity::kRun;
  Time start, end;
  bool preempted = false;
  double low = 0, high = 1;
};

/// A core, a copy engine, a GPU with one owner; or all units of an element, where work takes several
/// of them: then a height says how many, and not which.
struct ScheduleRow {
  std::string name;
  std::vector<ScheduleBox> boxes;
};

/// What the width of an interval counts, where a unit has several lanes: a simulation counts lanes,
/// a run on a machine counts units.
enum class CountedIn : std::uint8_t { kLanes, kUnits };

std::vector<ScheduleRow> schedule_rows(const System& system, const trace::Trace& trace,
                                       trace::Window window, CountedIn counted = CountedIn::kLanes);

/// What a job does, seen from its CPU.
enum class JobState : std::uint8_t {
  kRuns,       ///< on a CPU; a task without work for CPUs: anywhere
  kUpdates,    ///< a runlist update or a switch of contexts
  kSpins,      ///< keeps its CPU while it waits for the GPU
  kSuspended,  ///< off the CPU while its work on the GPU or a copy engine runs
  kBlocked,    ///< nothing of it runs; a task of lower priority has what it gets next
  kWaits,      ///< nothing of it runs
};

struct JobPiece {
  JobState state = JobState::kRuns;
  Time start, end;
};

/// A job from its release to its end, as far as it lies in the window.
std::vector<JobPiece> job_pieces(const System& system, const trace::Trace& trace,
                                 const trace::JobSpan& job, trace::Window window);

}  // namespace tactus::report
