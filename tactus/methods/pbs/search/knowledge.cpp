#include "tactus/methods/pbs/search/knowledge.hpp"

#include <algorithm>

#include "tactus/methods/pbs/weights/lp_weights.hpp"
#include "tactus/methods/pbs/weights/possible_frames.hpp"

namespace tactus::pbs {
namespace {

constexpr std::size_t kLpVectors = 4;  // beside the plain one
constexpr int kMostRounds = 3;         // of weights that rule out frames, and then become heavier

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
      expander(task_set, all_windows, source, demand, chosen, order, budget, counters) {
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

/// Whether a table can contain a frame with this kernel at all, alone or in a batch.
bool Knowledge::has_frame(const PossibleFrames& frames, std::size_t kernel) const {
  const auto contains = [&](Mask members) { return (members & bit(kernel)) != 0; };
  const std::vector<Mask> alone = frames.together(source.wcet(kernel));
  return std::any_of(alone.begin(), alone.end(), contains) ||
         std::any_of(constraints.groups().begin(), constraints.groups().end(),
                     [&](const auto& group) { return contains(group.members); }) ||
         std::any_of(constraints.listed().begin(), constraints.listed().end(),
                     [&](const Move& move) { return contains(move.batch); });
}

void Knowledge::learn_weights() {
  if (!features.lp_weights || demand.empty()) return;
  std::vector<Weights> vectors = lp_weights(set, constraints, kLpVectors);
  if (features.possible_frames) {
    PossibleFrames frames(set, windows, constraints.shift());
    for (int round = 0; round < kMostRounds; ++round) {
      for (const Weights& weights : vectors) frames.learn(weights);
      if (!constraints.restrict_to(frames)) break;
      vectors = lp_weights(set, constraints, kLpVectors);
    }
    for (std::size_t i = 0; i < set.size(); ++i) no_table = no_table || !has_frame(frames, i);
  }
  expander.set_weights(vectors.front());
  for (Weights& weights : vectors) demand.add(std::move(weights));
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
