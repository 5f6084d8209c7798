#pragma once

#include <optional>
#include <vector>

#include "tactus/methods/pbs/search/knowledge.hpp"

namespace tactus::pbs {

/// Looks for a table by going through the hyperperiod once with at most `width` states side by side:
/// of all their successors the best go on. It can prove nothing but that a table exists.
///
/// The best are those that have wasted least: the time that has passed minus the weights of the jobs
/// that have run. With the weights of the linear program for the whole hyperperiod, waste is exactly
/// what brings the end beyond what can be reached. States of the same window have the same future
/// arrivals, so only those are compared. Every step is a batch right away, or a jump to the next
/// arrival where nothing is ready, so a result is work-conserving.
class Beam {
 public:
  explicit Beam(Knowledge& knowledge);

  struct Step {
    State state;
    Move move;
  };
  /// `careful`: states that are close to a deadline that they cannot meet count as worse.
  /// Nothing when no state is left, or when the budget is spent.
  std::optional<std::vector<Step>> run(const State& root, std::size_t width, bool careful);

 private:
  static constexpr std::uint32_t kNoParent = UINT32_MAX;
  struct Node {
    State state;
    Move move;                         ///< that led here
    std::uint32_t parent = kNoParent;  ///< in `kept_`
    std::int64_t waste = 0, score = 0;
  };

  void keep_best(std::vector<Node>& nodes, std::size_t width) const;
  /// The successors of a kept node, each to its window; the last move when a table is complete.
  std::optional<Move> expand(std::uint32_t at, bool careful);
  std::int64_t weight_of(Mask batch) const;
  std::vector<Step> path(std::uint32_t last, const Move& move) const;

  Knowledge& know_;
  Weights weights_;
  Ticks ample_ = 0;                         ///< a slack that needs no care
  std::vector<Node> kept_;                  ///< that were expanded, for the way back
  std::vector<std::vector<Node>> waiting_;  ///< by window
  std::vector<Move> moves_;
};

}  // namespace tactus::pbs
