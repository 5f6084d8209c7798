#pragma once

#include <deque>
#include <vector>

#include "tactus/arbiter/client/observer.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/trace/histogram.hpp"
#include "tactus/trace/observed.hpp"
#include "tactus/watch/departure.hpp"
#include "tactus/watch/diaries.hpp"
#include "tactus/watch/parts.hpp"

namespace tactus::watch {

/// Whose bounds rest on what a task does: by task, then by task.
using RestsOn = std::vector<std::vector<bool>>;

/// What was seen of the GPU segments of a task.
struct SeenSegments {
  std::uint64_t count = 0;
  trace::Histogram waits;  ///< from asking for the GPU to having it
  Time longest_wait;
  Time off;                     ///< for so long work was held off, in all
  std::uint64_t taken_off = 0;  ///< segments that were
};

/// An operation of the arbiter, by the name of its cost in system files.
struct SeenOperation {
  std::string name;
  Time longest;
  std::optional<Time> promised;
};

/// Jobs of a task, each in one of them.
struct Counted {
  std::uint64_t covered = 0;  ///< by its bound
  /// It, or another job on whose task its bound rests and that was there at the same time, was not as
  /// the model has it.
  std::uint64_t outside = 0;
};

/// What is seen while a proof is relied on, against what the proof assumes. It is told, and does nothing
/// itself.
///
///     Watch watch(system, verdict);
///     diaries.read([&](TaskIndex task, const Note& note) { watch.take(task, note); });
///     watch.settle(host::now_ns());
///     for (const Departure& departure : watch.take_news()) ...
class Watch {
 public:
  /// @param promised the verdict whose bounds are relied on
  Watch(const System& system, const Verdict& promised);

  void take(TaskIndex task, const Note& note);
  /// The arbiter, now and then. Its counts are compared with those of the last time.
  void take(const arbiter::client::Snapshot& snapshot);
  /// So many notes of a task are lost, in all.
  void take_lost(TaskIndex task, std::uint64_t lost, std::int64_t now_ns);
  /// Something that others have seen, until now.
  void take(Departure departure, std::int64_t now_ns);
  /// The time has come so far: jobs that still run may be late, and those that have ended long ago are
  /// counted.
  void settle(std::int64_t now_ns);
  /// Who rests on whom; until it is known, everybody on everybody.
  void set_rests_on(RestsOn rests) { rests_ = std::move(rests); }

  /// What is to be told of: new, or worse by a tenth than what was told, or ten times as often.
  std::vector<Departure> take_news();

  const System& system() const { return system_; }
  const trace::Observed& observed() const { return observed_; }
  const std::vector<Departure>& departures() const { return departures_; }
  const SeenSegments& segments(TaskIndex task) const { return tasks_[task].seen; }
  const trace::Histogram& responses(TaskIndex task) const { return tasks_[task].responses; }
  const Counted& counted(TaskIndex task) const { return tasks_[task].counted; }
  const std::vector<SeenOperation>& operations() const { return operations_; }
  /// Jobs of the task are seen, or at least its segments.
  bool sees_jobs(TaskIndex task) const { return tasks_[task].jobs_told; }
  bool sees_segments(TaskIndex task) const { return tasks_[task].seen.count > 0; }
  /// Does the bound of the task rest on something that was seen to be other than in the model?
  bool in_doubt(TaskIndex task) const;
  bool rests(TaskIndex bound, TaskIndex on) const;

 private:
  struct Window {
    std::int64_t from, to;
    std::optional<TaskIndex> of;  ///< none: of all
  };
  struct Told {
    std::uint64_t count = 0;
    Time seen;
  };
  struct State {
    std::vector<Part> parts;
    std::vector<std::size_t> nodes;  ///< by part, in `observed_.nodes`
    bool jobs_told = false, live = false, told_late = false;
    Note job;                    ///< the live one
    std::vector<Note> segments;  ///< of it
    std::optional<std::int64_t> last_arrival;
    std::int64_t last_end = 0;
    std::uint64_t lost = 0;
    SeenSegments seen;
    trace::Histogram responses;
    Counted counted;
    std::deque<Window> done;  ///< jobs that are not counted yet
  };

  void released(TaskIndex task, const Note& note);
  void ended(TaskIndex task, const Note& note);
  void segment(TaskIndex task, const Note& note);
  void node(TaskIndex task, const Note& note);
  void look_at_parts(TaskIndex task, const Note& job);
  void saw(std::size_t node, Time took, const Part& part);
  void saw_cpu(TaskIndex task, std::size_t part, std::int64_t wall, std::int64_t cpu,
               const Part* next);
  void saw_gpu(TaskIndex task, std::size_t part, const Note& segment);
  void note(Departure departure, std::int64_t from, std::int64_t to);
  void count(TaskIndex task, std::int64_t before_ns);

  System system_;
  trace::Observed observed_;
  std::vector<State> tasks_;
  std::vector<Departure> departures_;
  std::vector<Told> told_;  ///< by departure
  std::deque<Window> windows_;
  RestsOn rests_;
  std::optional<arbiter::client::Snapshot> last_;
  std::vector<SeenOperation> operations_;
  std::int64_t horizon_ns_ = 0;  ///< the longest deadline
  std::int64_t settled_ns_ = 0;  ///< of the last `settle`
};

}  // namespace tactus::watch
