#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tactus/simulate/ready_list.hpp"
#include "tactus/simulate/work.hpp"
#include "tactus/trace/scenario.hpp"

namespace tactus::simulate {

/// What a policy may look at when it decides.
class View {
 public:
  View(const System& system, const trace::Scenario& scenario, std::span<const Job> jobs,
       const ReadyList& ready, const Time& now)
      : system_(system), scenario_(scenario), jobs_(jobs), ready_(ready), now_(now) {}

  const System& system() const { return system_; }
  const trace::Scenario& scenario() const { return scenario_; }
  Time now() const { return now_; }
  /// Works whose predecessors have all ended: they wait or run. In the order they became ready.
  const ReadyList& ready() const { return ready_; }
  const Work& work(WorkId id) const { return jobs_[id.task].works[id.index]; }
  /// The job of a task; look at `live` first.
  const Job& job(TaskIndex task) const { return jobs_[task]; }

 private:
  const System& system_;
  const trace::Scenario& scenario_;
  std::span<const Job> jobs_;
  const ReadyList& ready_;
  const Time& now_;
};

/// What a policy decides: which works run from now until the next event.
class Choice {
 public:
  struct Run {
    WorkId id;
    std::uint32_t unit;
  };
  /// A unit taken by a job that makes no progress on it (spinning, a context switch).
  struct Hold {
    TaskIndex task;
    ElementIndex element;
    std::uint32_t unit;
    trace::Activity activity;
  };

  void clear() {
    runs.clear();
    holds.clear();
    resized.clear();
    granted.clear();
    wake.reset();
  }
  /// Runs a ready work, from unit `unit` on if it takes several. A work that ran and is not named
  /// again is preempted.
  void run(WorkId id, std::uint32_t unit) { runs.push_back({id, unit}); }
  void hold(const Hold& what) { holds.push_back(what); }
  /// Ends a gated work now; the policy is asked again at this instant.
  void grant(WorkId id) { granted.push_back(id); }
  /// Gives a work that has not started another length.
  void resize(WorkId id, Time length) { resized.emplace_back(id, length); }
  /// Decide again at this time, if nothing happens before.
  void wake_at(Time time) { wake = wake ? std::min(*wake, time) : time; }

  std::vector<Run> runs;
  std::vector<Hold> holds;
  std::vector<WorkId> granted;
  std::vector<std::pair<WorkId, Time>> resized;
  std::optional<Time> wake;
};

/// When whoever decides about the GPU sees that work on it is done.
enum class Seeing {
  kAtOnce,
  kLate,           ///< some time later, which is part of the cost of the operation that follows
  kLateUncharged,  ///< the same beside that cost: no bound covers it, so a search must notice it
};

/// A scheduling policy: cuts jobs into works and says which of them run. Only the engine changes
/// state. A policy may keep its own state (the holder of a lock), and is told what it needs.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Before the run. Only a policy in which somebody looks for completions heeds it
  /// (`PolicyEntry::sees_completions`).
  virtual void see_completions(Seeing /*how*/) {}
  /// Fills the works of a job that is released now.
  virtual void expand(const View& view, TaskIndex task, Job& job) = 0;
  /// Called before the releases of an instant: may grant requests that must not wait behind them.
  virtual void before_releases(const View& /*view*/, Choice& /*choice*/) {}
  /// Called whenever something has happened, with an empty choice.
  virtual void choose(const View& view, Choice& choice) = 0;
  /// Does a choice keep the policy's rule: no work waits that could run, none overtakes a more
  /// urgent one? Returns what is broken, or nothing. The code is separate from `choose`; audited
  /// runs (`Until::audit`) call it on every decision.
  virtual std::string_view audit(const View& /*view*/, const Choice& /*choice*/) const {
    return {};
  }
  /// A work has become one of `View::ready`.
  virtual void became_ready(const View& /*view*/, WorkId /*id*/) {}
  /// A work is done.
  virtual void finished(const View& /*view*/, WorkId /*id*/) {}
};

}  // namespace tactus::simulate
