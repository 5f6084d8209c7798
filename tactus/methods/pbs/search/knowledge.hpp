#pragma once

#include <vector>

#include "tactus/methods/pbs/search/expander.hpp"
#include "tactus/methods/pbs/search/learned_intervals.hpp"
#include "tactus/methods/pbs/search/records.hpp"
#include "tactus/methods/pbs/weights/demand_bound.hpp"

namespace tactus::pbs {

enum class Answer { kNo, kYes, kStopped };

/// Everything one search knows and shares between its two parts, the idle relaxation and the
/// work-conserving search: the problem, the thresholds of every (window, ready mask), the learned
/// intervals, the weights, and the budget.
class Knowledge {
 public:
  Knowledge(const TaskSet& set, const Oracle& oracle, const Windows& windows,
            const Features& features, ChildOrder order, Budget budget);
  Knowledge(const Knowledge&) = delete;
  Knowledge& operator=(const Knowledge&) = delete;

  /// The record of a state's window and ready mask; a new one starts with the demand bound. The
  /// reference lasts until the next call.
  Record& record(const State& state) {
    const auto [found, fresh] = records.find_or_insert(state.window, state.ready);
    if (fresh && !demand.empty()) found.infeasible = demand.latest(state.window, state.ready) + 1;
    return found;
  }

  /// From when on a state of this window with these ready jobs is known to be infeasible; keeps no
  /// new record.
  Ticks infeasible_from(const State& state) {
    if (const Record* known = records.find(state.window, state.ready)) return known->infeasible;
    return demand.empty() ? kNever : demand.latest(state.window, state.ready) + 1;
  }

  /// Whether to give up or to pause.
  bool spent(std::size_t depth) { return budget.spent(counters, bytes(), depth); }

  /// Better weights from linear programs, once: they cost some milliseconds at 20 tasks, and most
  /// searches end before they are worth it. May find that there is no table.
  void learn_weights();

  std::int64_t bytes() const;
  void count_records();

  const TaskSet& set;
  const Windows& windows;
  const Features features;
  Budget budget;
  Counters counters;
  BatchSource source;
  WeightConstraints constraints;
  DemandBound demand;
  Expander expander;
  RecordTable records;
  LearnedIntervals intervals;
  std::vector<Move> moves;  ///< children still to try, a stack of lists
  bool no_table = false;    ///< some kernel can be in no frame of a table, with idling or without

 private:
  bool has_frame(const PossibleFrames& frames, std::size_t kernel) const;
};

}  // namespace tactus::pbs
