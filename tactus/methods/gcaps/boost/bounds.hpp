#pragma once

#include <algorithm>
#include <span>
#include <stop_token>
#include <vector>

#include "tactus/methods/gcaps/boost/arrangement.hpp"
#include "tactus/methods/gcaps/boost/view.hpp"
#include "tactus/methods/gcaps/causes.hpp"
#include "tactus/methods/gcaps/mode.hpp"
#include "tactus/methods/gcaps/releases.hpp"
#include "tactus/methods/gcaps/window_search.hpp"
#include "tactus/methods/recurrence.hpp"
#include "tactus/methods/verdict.hpp"

namespace tactus::gcaps::boost {

/// Bounds of all tasks for one arrangement: R, from the arrival to the end of a job, and F, from the
/// arrival to the end of each GPU section. docs/use/methods/boost.md derives every equation.
class Bounds {
 public:
  /// @param windows false: jobs of others are counted over the whole response only
  /// @param releases of the tasks of the view, where some start others
  Bounds(const View& view, Mode mode, bool windows = true, std::stop_token stop = {},
         Releases* releases = nullptr)
      : view_(view),
        mode_(mode),
        use_windows_(windows),
        search_(std::move(stop)),
        releases_(releases) {}

  /// True when every task has a bound within its deadline.
  bool find(const Arrangement& arrangement, bool terms = false);

  /// What was found: a bound, the demand that first exceeded a deadline, or nothing (a task that was
  /// not reached).
  struct Found {
    FixedPoint response;
    bool reached = false;
    std::vector<Term> terms;
  };
  const std::vector<Found>& found() const { return found_; }
  /// F of a section. @pre its task has a bound.
  Time completion(std::size_t section) const { return completion_[section]; }

 private:
  /// How long a section can be delayed from its submission: until it is started, and until it ends.
  struct Window {
    Time start = kNoWindow, whole = kNoWindow;
  };
  /// Lower work that is not taken off for a task.
  struct Item {
    Time length, period, deadline;
  };
  /// A more urgent task on the same core, which keeps it while it waits for the GPU.
  struct Local {
    std::size_t task;
    Time work, period, jitter;
  };

  void set_up(const Arrangement& arrangement);
  void find_copy_waits();
  void add_items(std::size_t i);
  /// How long a section has the GPU, and what its own task counts for it.
  Time length(std::size_t section) const {
    return view_.sections[section].length + copy_waits_[section];
  }
  Time demand(std::size_t section) const {
    return view_.sections[section].demand + copy_waits_[section];
  }
  bool in_priority_order(std::size_t tasks);
  bool until_nothing_changes();
  bool until_releases_settle();

  // bounds.cpp: one task.
  bool judge(std::size_t i);
  void add_source(Causes& to, std::size_t h, std::size_t seen_from) const;
  bool preempts(std::size_t h, std::size_t seen_from) const;
  void find_windows(std::size_t i);
  Time window_for(std::size_t section, std::size_t h) const;
  Time blocking(std::size_t i, std::size_t units, Time window) const;

  // waiting.cpp: what a job waits for.
  void begin_suspend(std::size_t i);
  void begin_busy(std::size_t i);
  void next_phase(std::size_t i, Time phase);
  void next_section(std::size_t i, std::size_t section);
  void cap_by_windows(Time window);
  Time locals(Time window) const;
  Time prefix(std::size_t i, std::size_t sections, Time window);
  void add_cpu_cause(std::size_t h);
  void add_arbiter(std::size_t i);

  // terms.cpp
  void explain(std::size_t i, Found& found);

  void add_prefix_growths(std::size_t sections, Time window, Causes::SureGrowths& sure) const;

  const View& view_;
  Mode mode_;
  bool use_windows_;
  WindowSearch search_;
  Releases* releases_;
  bool terms_ = false;

  // Of the arrangement:
  std::vector<std::size_t> by_rank_, rank_, limit_;
  std::vector<std::size_t> next_limit_;  ///< by rank: the least limit above it
  std::size_t highest_limit_ = 0;
  std::vector<Time> copy_waits_;         ///< by section: until copies of lower tasks are done
  std::vector<Item> items_;              ///< of all tasks, each its longest first
  std::vector<std::size_t> first_item_;  ///< by task
  std::vector<bool> has_low_;            ///< by task: something lower can be on, and is taken off
  std::vector<Time> block_;              ///< B, by task

  // Of the tasks:
  std::vector<Found> found_;
  std::vector<Time> response_, completion_;
  std::vector<Window> windows_;  ///< by section

  // Of the task that is judged:
  Causes seen_;  ///< all tasks of higher rank
  Causes gpu_;   ///< busy: those that delay it or the tasks above it on its core
  Causes cpu_;   ///< suspend: the tasks above it on its core; and the arbiter, if it is there
  std::vector<Local> locals_;              ///< busy: the tasks above it on its core
  std::vector<std::size_t> waiters_;       ///< busy: those of them that use the GPU
  std::vector<std::int64_t> own_caps_;     ///< busy, by component: jobs in the own windows
  std::vector<std::int64_t> waiter_caps_;  ///< busy, by component and waiter: jobs in its windows
  Time own_;                               ///< its own work so far, and what is added per piece
  std::size_t phases_ = 0, sections_ = 0;  ///< how many of them
  Time best_effort_starts_;                ///< in `own_`: on the arbiter's core
};

}  // namespace tactus::gcaps::boost
