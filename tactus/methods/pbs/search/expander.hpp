#pragma once

#include <span>
#include <vector>

#include "tactus/methods/pbs/batches/batch_source.hpp"
#include "tactus/methods/pbs/features.hpp"
#include "tactus/methods/pbs/search/budget.hpp"
#include "tactus/methods/pbs/search/move_cache.hpp"
#include "tactus/methods/pbs/search/symmetry.hpp"
#include "tactus/methods/pbs/weights/demand_bound.hpp"

namespace tactus::pbs {

/// Lists the batches that may start in a state without making a job miss, in stages: a few good
/// ones first, the complete list only when those have failed.
///
/// Each function appends to `out`, best first, and returns the time from which on (within the
/// window) deadlines, or the demand after the frame, reject all that it did not append; kAlways when
/// nothing was rejected.
class Expander {
 public:
  static constexpr Ticks kAlways = -kNever;

  Expander(const TaskSet& set, const Windows& windows, BatchSource& source, DemandBound& demand,
           const Features& features, ChildOrder order, Budget& budget, Counters& counters);

  /// The value of a batch is the sum of these divided by its completion.
  void set_weights(std::span<const std::int64_t> weights);

  /// Whether `greedy` is worth a stage of its own before `packings`.
  bool has_greedy(const State& state) const {
    return source_.by_level() && std::popcount(state.ready) > kGreedyFrom;
  }
  /// For each level a few greedy packings, and the batches of one.
  Ticks greedy(const State& state, std::vector<Move>& out);
  /// All that the idle relaxation needs: maximal batches if they are enough, otherwise all.
  Ticks packings(const State& state, std::vector<Move>& out);
  /// All batches with all their completions: what the work-conserving search needs.
  Ticks everything(const State& state, std::vector<Move>& out);

  std::size_t bytes() const { return cache_.bytes(); }

 private:
  static constexpr int kGreedyFrom = 15;

  const MoveList& list_for(Mask ready);
  Ticks singles(const State& state, const FrameTest& test, std::vector<Move>& out);
  enum class Which { kMaximal, kAll };
  Ticks by_level(const State& state, const FrameTest& test, Which which, std::vector<Move>& out);
  /// Listed batches without levels: by the list of the ready mask.
  Ticks from_list(const State& state, const FrameTest& test, std::vector<Move>& out);
  Ticks from_listed(const State& state, const FrameTest& test, const std::vector<Move>& listed,
                    std::vector<Move>& out);
  bool extendable(const Move& move, Mask ready) const;
  void sort_best_first(const FrameTest& test, std::size_t from, std::vector<Move>& out);
  double worth(const Move& move) const;
  bool enough(const std::vector<Move>& out);

  struct Ranked {
    bool urgent;
    double worth;
    Move move;
  };

  const Windows& windows_;
  BatchSource& source_;
  DemandBound& demand_;
  Symmetry symmetry_;
  bool use_cache_;
  int needs_from_;
  ChildOrder order_;
  Budget& budget_;
  Counters& counters_;
  MoveCache cache_;
  MoveList uncached_;
  std::vector<double> weights_;
  std::vector<std::uint8_t> by_density_;  ///< kernels by weight per size, descending
  std::vector<Ranked> ranked_;
  std::vector<Mask> forced_;  ///< by completion of a list
  std::vector<PackingNeed> needs_;
};

}  // namespace tactus::pbs
