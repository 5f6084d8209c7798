#include "tactus/methods/pbs/search/knowledge.hpp"

#include <algorithm>

#include "tactus/methods/pbs/weights/lp_weights.hpp"

namespace tactus::pbs {
namespace {

/// Linear programs cost some milliseconds at 20 tasks; most searches end before they are worth it.
constexpr std::int64_t kStatesBeforeLp = 300;
constexpr std::size_t kLpVectors = 4;  // beside the plain one

}  // namespace

Knowledge::Knowledge(const TaskSet& task_set, const Oracle& oracle, const Windows& all_windows,
                     const Features& chosen, ChildOrder order, Budget limits)
    : set(task_set),
      windows(all_windows),
      features(chosen),
      budget(std::move(limits)),
      source(task_set, oracle, chosen),
      constraints(source, task_set.hyperperiod),
      demand(task_set, all_windows, constraints.shift()),
      expander(task_set, all_windows, source, chosen, order, budget, counters) {
  if (!constraints.usable()) return;
  Weights plain = constraints.plain();
  expander.set_weights(plain);
  if (features.demand_bound) demand.add(std::move(plain));
}

std::int64_t Knowledge::bytes() const {
  return static_cast<std::int64_t>(records.bytes() + records.bytes_to_grow() + intervals.bytes() +
                                   expander.bytes() + source.bytes() + demand.bytes() +
                                   windows.bytes() + moves.capacity() * sizeof(Move));
}

bool Knowledge::spent(std::size_t depth) {
  const bool late = counters.states + counters.relaxed_states >= kStatesBeforeLp;
  if (late && !has_lp_weights_) add_lp_weights();
  return budget.spent(counters, bytes(), depth);
}

void Knowledge::add_lp_weights() {
  has_lp_weights_ = true;
  if (!features.lp_weights || demand.empty()) return;
  for (Weights& weights : lp_weights(set, constraints, kLpVectors)) {
    demand.add(std::move(weights));
  }
  records.for_each_record([&](Record& record) {
    const Ticks from = demand.latest(record.window, record.ready) + 1;
    record.infeasible = std::min(record.infeasible, from);
  });
}

void Knowledge::count_records() {
  counters.records = static_cast<std::int64_t>(records.size() + intervals.size());
  counters.record_bytes = static_cast<std::int64_t>(records.bytes() + intervals.bytes());
}

}  // namespace tactus::pbs
