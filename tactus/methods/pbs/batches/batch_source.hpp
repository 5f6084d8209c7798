#pragma once

#include <bit>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tactus/methods/pbs/batches/batch_options.hpp"
#include "tactus/methods/pbs/batches/packing.hpp"
#include "tactus/methods/pbs/features.hpp"

namespace tactus::pbs {

/// The eligible batches of a task set, in the two forms in which they come:
/// - listed: one entry for each set and completion of the file;
/// - by level (slowdown model): every unlisted set of two or more that fits, and it completes with
///   its slowest member. There may be 2^n of them, so they are described, not stored.
/// Batches of one, which are always allowed, are in neither.
class BatchSource {
 public:
  /// The ready kernels of one level and of all levels up to it.
  struct Level {
    Ticks completion = 0;
    Mask exactly = 0, up_to = 0;
  };

  BatchSource(const TaskSet& set, const Oracle& oracle, const Features& features);

  /// Every option of every listed set.
  const std::vector<Move>& listed() const { return listed_; }
  /// Of each listed set only the fastest: with idling allowed, earlier is never worse.
  const std::vector<Move>& fastest_listed() const { return fastest_; }
  /// The least completion of a set, or kNever when it is not listed.
  Ticks fastest(Mask batch) const {
    const auto found = fastest_of_.find(batch);
    return found == fastest_of_.end() ? kNever : found->second;
  }

  bool by_level() const { return by_level_; }
  /// The levels of a ready mask, ascending; valid until the next call.
  const std::vector<Level>& levels_of(Mask ready);
  Ticks level(std::size_t kernel) const { return levels_[kernel]; }
  /// Kernels by ascending level.
  const std::vector<std::uint8_t>& by_level_order() const { return by_level_order_; }

  /// A set whose sizes exceed the capacity is not eligible.
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  std::int64_t capacity() const { return capacity_; }
  /// Whether a set within capacity, two or more, takes part by level: it fits in some order and
  /// the file does not say otherwise.
  bool joins_by_level(Mask batch);

  /// Removing a kernel from an eligible batch leaves an eligible one that takes no longer; then
  /// maximal batches are enough if idling is allowed.
  bool closed() const { return closed_; }

  /// Calls `follow(move)` for every eligible batch of the ready kernels, while `go_on()`.
  template <typename Follow, typename GoOn>
  void for_each_eligible(Mask ready, Follow follow, GoOn go_on) {
    for_each(ready, [&](std::size_t i) { follow(Move{bit(i), wcet(i)}); });
    for (const Move& move : listed_) {
      if ((move.batch & ~ready) == 0) follow(move);
    }
    if (!by_level_) return;
    PackingEnumerator packings(sizes_, capacity_);
    const std::vector<Level> levels = levels_of(ready);
    for (const Level& level : levels) {
      packings.all(0, level.up_to, [&](Mask batch) {
        const bool joins = (batch & level.exactly) != 0 && !std::has_single_bit(batch);
        if (joins && joins_by_level(batch)) follow(Move{batch, level.completion});
        return go_on();
      });
    }
  }

  Ticks wcet(std::size_t kernel) const { return set_.kernels[kernel].wcet; }
  std::size_t size() const { return set_.size(); }
  std::size_t bytes() const;

 private:
  bool listed_is_closed() const;

  const TaskSet& set_;
  const Oracle& oracle_;
  std::vector<Move> listed_, fastest_;
  std::unordered_map<Mask, Ticks> fastest_of_;
  std::unordered_set<Mask> overridden_;  ///< listed sets in the slowdown model
  bool by_level_ = false;
  bool size_decides_ = true;  ///< within capacity means fitting
  bool closed_ = false;
  std::vector<Ticks> levels_;
  std::vector<std::uint8_t> by_level_order_;
  std::vector<std::int64_t> sizes_;
  std::int64_t capacity_ = kNever;
  std::vector<Level> scratch_;
  std::unordered_map<Mask, bool> fits_;  ///< placements tried so far
};

}  // namespace tactus::pbs
