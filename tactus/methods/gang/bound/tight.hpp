#pragma once

#include "tactus/methods/gang/bound/theorem2.hpp"

namespace tactus::gang {

/// A bound that is never above Theorem 2, with the path that attains it.
struct TightBound {
  Fraction total;
  Time length;                    ///< of that path
  std::vector<Fraction> amounts;  ///< interference beside that path, by load
};

/// Theorem 2 adds the longest path and, for every element, the path of least volume, which may be
/// different paths. The interference of a path of volume x on p is at most fill(vol(V_p) - x), and
/// the filling is concave: its tangent at the volume that Theorem 2 fills is an upper bound too,
/// and linear, so that one longest-path pass maximises length and interference together
/// (not in the paper). For one sequential element this is Graham's bound.
TightBound tighten(const PreparedDag& dag, const DagBound& bound);

}  // namespace tactus::gang
