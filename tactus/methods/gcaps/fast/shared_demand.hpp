#pragma once

#include <vector>

#include "tactus/methods/recurrence.hpp"

namespace tactus::gcaps {

/// A growing list of demands ceil((t + J) / T) * d that many tasks have in common. The sum of the
/// first of them is asked for in windows that differ little from each other, so it is kept for
/// blocks of demands, with the windows in which it does not change.
class SharedDemand {
 public:
  void add(const Recurrence::Demand& demand);
  std::size_t size() const { return summands_.size(); }

  /// The sum of the first `count` demands. @pre window > 0, count <= size().
  Time sum(Time window, std::size_t count);

 private:
  static constexpr std::size_t kBlock = 16;
  struct Summand {
    Time period, jitter, each;
  };
  /// Of `kBlock` summands: their sum in every window in (after, until].
  struct Block {
    std::int64_t after = 0, until = 0;
    Time sum;
  };
  void look(Block& block, const Summand* first, Time window) const;

  std::vector<Summand> summands_;
  std::vector<Block> blocks_;  ///< all that are complete
};

}  // namespace tactus::gcaps
