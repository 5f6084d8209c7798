#pragma once

#include <cstdint>
#include <vector>

#include "tactus/methods/pbs/batches/batch_source.hpp"

namespace tactus::pbs {

/// Weights y_i >= 0, one per kernel, with sum over b of y_i <= C(b) for EVERY eligible batch b:
/// then any schedule of a set of jobs, idling or not, takes at least the sum of their weights. They
/// are integers, in ticks times 2^shift, rounded down, so that no proof depends on floating point.
using Weights = std::vector<std::int64_t>;

class PossibleFrames;

/// What weights must respect, and how far they are from it.
///
/// Listed batches are scanned. Batches by level (slowdown model) are too many: for each completion
/// level the heaviest set that fits is replaced by the fractional knapsack, which is never lighter.
class WeightConstraints {
 public:
  /// Batches by level: those of two or more members, one of them of the level itself.
  struct Group {
    Ticks completion = 0;
    Mask members = 0;
    friend bool operator==(const Group&, const Group&) = default;
  };

  WeightConstraints(const BatchSource& source, Ticks hyperperiod);

  /// False when the numbers are too large for a useful scale; then there are no weights.
  bool usable() const { return shift_ > 0; }
  int shift() const { return shift_; }

  /// y_i = C_i * min over b containing i of C(b) / sum of C over b, then each raised in turn,
  /// largest C first, by its smallest remaining slack.
  Weights plain() const;

  /// Raises each weight, largest C first, by the slack that is left to it.
  void raise(Weights& weights) const;

  /// From now on only batches that can be in a table count; are they fewer than before? Then the
  /// weights bound complete tables only, and no longer schedules of a few of their jobs.
  bool restrict_to(const PossibleFrames& frames);

  const BatchSource& source() const { return source_; }
  /// Ascending completions.
  const std::vector<Group>& groups() const { return groups_; }
  /// The fastest of each listed set.
  const std::vector<Move>& listed() const { return listed_; }
  std::int64_t scaled(Ticks ticks) const { return ticks << shift_; }

 private:
  /// How much y_i can grow.
  std::int64_t slack(std::size_t kernel, const Weights& weights) const;
  /// Kernels by value per size, descending.
  std::vector<std::uint8_t> by_density(const Weights& values) const;
  /// Upper bound of the sum of `values` over the sets of members with kernel i; -1 when there is no
  /// other member.
  std::int64_t heaviest_with(std::size_t kernel, Mask members, const Weights& values,
                             const std::vector<std::uint8_t>& order) const;

  const BatchSource& source_;
  int shift_ = 0;
  std::vector<Group> groups_;  ///< empty without the formula
  std::vector<Move> listed_;
  std::vector<std::uint8_t> by_wcet_;  ///< descending
};

}  // namespace tactus::pbs
