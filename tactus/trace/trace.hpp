#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tactus/model/system.hpp"

/// What HAPPENED, one type for all producers: simulator, emulator or GPU. Charts, exports and
/// "observed against bound" all read this.
namespace tactus::trace {

/// What a unit was doing.
enum class Activity : std::uint8_t {
  kRun,     ///< the work of a node
  kLaunch,  ///< CPU side of a GPU segment
  kUpdate,  ///< a runlist update
  kSpin,    ///< waiting busily
  kSwitch,  ///< changing the GPU context
};

std::string_view to_string(Activity activity);

/// A unit of an element busy for a while. Intervals of one unit do not overlap where the element
/// has one lane per unit.
struct Interval {
  TaskIndex task = 0;
  std::uint32_t job = 0;
  NodeIndex node = 0;
  ElementIndex element = 0;
  std::uint32_t unit = 0;
  std::uint32_t width = 1;  ///< units, or lanes of one unit, that it takes
  Activity activity = Activity::kRun;
  Time start, end;
  bool preempted = false;  ///< taken off its unit before it was done
};

/// A job from its arrival to its end, or as far as it had come at the end of the run.
struct JobSpan {
  TaskIndex task = 0;
  std::uint32_t job = 0;
  Time release;  ///< its arrival; a job that waits for its release after that is `late` by so long
  Time begin;    ///< its arrival, or the end of the job before where that was later
  Time end;
  bool ended = true;                  ///< else the run was over before
  bool disturbed = false;             ///< the machine took time from it that no analysis covers
  bool missed = false;                ///< its deadline
  std::optional<Time> deadline = {};  ///< from its arrival; best-effort work has none
  Time late = {};

  Time response() const { return end - release; }
};

/// From `at` on, `units` of an element (lanes, if it has several per unit) are in use.
struct Usage {
  ElementIndex element = 0;
  Time at;
  std::int64_t units = 0;
};

/// Takes what happens, in the order of its end.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void add(const Interval& interval) = 0;
  virtual void add(const JobSpan& job) = 0;
  virtual void add(const Usage& usage) = 0;
};

/// Keeps everything in memory.
class Trace final : public TraceSink {
 public:
  std::vector<Interval> intervals;
  std::vector<JobSpan> jobs;
  std::vector<Usage> usage;

  void add(const Interval& interval) override { intervals.push_back(interval); }
  void add(const JobSpan& job) override { jobs.push_back(job); }
  void add(const Usage& change) override { usage.push_back(change); }
};

}  // namespace tactus::trace
