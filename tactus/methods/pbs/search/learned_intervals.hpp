#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/methods/pbs/search/records.hpp"

namespace tactus::pbs {

/// Closed intervals of time from which no work-conserving schedule exists, per (window, ready
/// mask). They replace a set of visited states.
///
/// Why a whole interval may be learned from one exhausted state (t, m): the eligible batches depend
/// on m only, and each has failed for a reason that does not hold only at t:
/// - rejected by deadlines, limit L: at every t' > L - c;
/// - next state dead even with idling, threshold I in window k': at every t' >= max(I, A_k') - c
///   (later states of later windows are reached from it by waiting);
/// - next state in a learned interval [lo, hi] of window k': while t' + c stays in both;
/// - nothing ready after the batch, and the next opening dead: while t' + c <= that opening.
/// Every batch fails at each point of the intersection, within the window of t.
struct DeadInterval {
  Ticks from = 0, to = 0;

  void intersect(Ticks low, Ticks high) {
    from = from < low ? low : from;
    to = to > high ? high : to;
  }
};

/// The intervals of all records, as lists in one pool.
class LearnedIntervals {
 public:
  /// The interval of a record that contains `time`.
  std::optional<DeadInterval> find(const Record& record, Ticks time) const {
    for (std::uint32_t i = record.intervals; i != Record::kNoIntervals; i = pool_[i].next) {
      if (pool_[i].span.from <= time && time <= pool_[i].span.to) return pool_[i].span;
    }
    return std::nullopt;
  }

  /// Adds an interval, joined with those it touches, which stay disjoint.
  void add(Record& record, DeadInterval span);

  std::size_t size() const { return used_; }
  std::size_t bytes() const { return pool_.capacity() * sizeof(Link); }

 private:
  struct Link {
    DeadInterval span;
    std::uint32_t next;
  };
  std::vector<Link> pool_;
  std::uint32_t free_ = Record::kNoIntervals;  ///< links of joined intervals, for reuse
  std::size_t used_ = 0;
};

}  // namespace tactus::pbs
