#include "tactus/methods/pbs/search/knowledge.hpp"

#include <algorithm>

#include "tactus/methods/pbs/weights/frame_proof.hpp"
#include "tactus/methods/pbs/weights/lp_weights.hpp"

namespace tactus::pbs {
namespace {

constexpr std::size_t kLpVectors = 4;    // beside the plain one
constexpr std::size_t kMostParts = 300;  // of the hyperperiod; each takes some milliseconds
constexpr int kMostRounds = 3;           // of weights that rule out frames, and then become heavier

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
bool Knowledge::has_frame(std::size_t kernel) const {
  const auto contains = [&](Mask members) { return (members & bit(kernel)) != 0; };
  const std::vector<Mask> alone = frames_->together(source.wcet(kernel));
  return std::any_of(alone.begin(), alone.end(), contains) ||
         std::any_of(constraints.groups().begin(), constraints.groups().end(),
                     [&](const auto& group) { return contains(group.members); }) ||
         std::any_of(constraints.listed().begin(), constraints.listed().end(),
                     [&](const Move& move) { return contains(move.batch); });
}

/// Rules out frames by weights, and makes the weights heavier by that, in turn.
void Knowledge::learn_frames(std::vector<Weights>& vectors) {
  for (int round = 0; round < kMostRounds; ++round) {
    for (const Weights& weights : vectors) frames_->learn(weights);
    if (!constraints.restrict_to(*frames_)) break;
    vectors = lp_weights(set, constraints, kLpVectors);
  }
  for (std::size_t i = 0; i < set.size(); ++i) no_table = no_table || !has_frame(i);
}

void Knowledge::use_weights(std::vector<Weights> vectors) {
  expander.set_weights(vectors.front());
  for (Weights& weights : vectors) demand.add(std::move(weights));
  records.for_each_record([&](Record& record) {
    const Ticks from = demand.latest(record.window, record.ready) + 1;
    record.infeasible = std::min(record.infeasible, from);
  });
}

void Knowledge::learn_weights() {
  if (!features.lp_weights || demand.empty()) return;
  std::vector<Weights> vectors = lp_weights(set, constraints, kLpVectors);
  if (features.possible_frames) {
    frames_.emplace(set, windows, constraints.shift());
    learn_frames(vectors);
  }
  use_weights(std::move(vectors));
}

/// Parts from one arrival instant to another, up to the longest period.
void Knowledge::learn_durations() {
  const auto instant = [&](std::size_t k) {
    return k == windows.count() ? set.hyperperiod : windows.start(k);
  };
  Ticks longest = 0;
  for (const Kernel& kernel : set.kernels) longest = std::max(longest, kernel.period);
  std::vector<std::pair<Ticks, Ticks>> parts;
  for (std::size_t k = 0; k < windows.count(); ++k) {
    for (std::size_t to = k + 1; to <= windows.count(); ++to) {
      if (instant(to) - instant(k) <= longest) parts.emplace_back(instant(k), instant(to));
    }
  }
  if (parts.size() > kMostParts) return;
  for (int round = 0; round < kMostRounds && !no_table; ++round) {
    for (const auto& [from, to] : parts) {
      if (spent(0)) return;
      const WeightConstraints inner = constraints.within(*frames_, from, to);
      const std::int64_t duration = least_duration(set, inner, from, to);
      no_table = no_table || duration > constraints.scaled(to - from);
      frames_->learn(from, to, duration);
    }
    if (!constraints.restrict_to(*frames_)) break;
  }
  std::vector<Weights> vectors = lp_weights(set, constraints, kLpVectors);
  learn_frames(vectors);
  use_weights(std::move(vectors));
}

void Knowledge::look_for_frame_proof(int halves, int programs) {
  if (!features.frame_proof || !frames_ || frames_->deadlines().empty()) return;
  if (!learned_durations_) {
    learned_durations_ = true;
    learn_durations();
    if (no_table) return;
  }
  Ticks longest = 0;
  for (const Kernel& kernel : set.kernels) longest = std::max(longest, kernel.period);
  const Ticks horizon = std::min(longest / 2 * halves, set.hyperperiod);
  const FramePlaces places(windows, source, *frames_, horizon);
  FrameProof proof(places, source, constraints.shift(), [&] { return spent(0); });
  no_table = proof.found(programs);
}

void Knowledge::count_records() {
  counters.records = static_cast<std::int64_t>(records.size() + intervals.size());
  counters.record_bytes = static_cast<std::int64_t>(records.bytes() + intervals.bytes());
}

}  // namespace tactus::pbs
