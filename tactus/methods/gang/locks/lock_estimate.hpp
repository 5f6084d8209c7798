#pragma once

#include "tactus/methods/gang/locks/lock_view.hpp"

namespace tactus::gang {

/// Length and volume, in ns, of every DAG with its accesses inflated: no bound can be below these.
/// In doubles, so exact to one part in 10^12; many times faster than the exact bounds, it shows
/// which numbers of partitions need not be examined.
struct LockEstimate {
  std::vector<double> length, volume;
};
LockEstimate estimate(const System& system, const LockView& view, const Partitions& partitions,
                      const Waiting& waiting);

/// Is a clearly more than b, in spite of rounding?
inline bool surely_above(double a, double b) { return a > b * (1 + 1e-9); }

}  // namespace tactus::gang
