#pragma once

#include <stop_token>

#include "tactus/methods/gang/locks/lock_view.hpp"

/// Bounds of one sequential DAG on identical processors. Both throw `LimitReached` when the caller
/// asks to stop.
namespace tactus::gang {

struct HeBound {
  Fraction total;
  std::vector<NodeIndex> path;  ///< the path it was computed for
};

/// He, Guan, et al., RTSS 2022 (arXiv 2211.08800): any work-conserving scheduler. A list of paths
/// is taken out of the DAG, longest first; with j of them known to run in parallel, the rest of the
/// volume has m - j processors. j = 0 is Graham's bound.
class PathList {
 public:
  /// For bounds on at most `cpus` processors, which never use more paths than that.
  PathList(const InflatedDag& dag, std::int64_t cpus, const std::stop_token& stop = {});
  HeBound bound(std::int64_t cpus) const;

 private:
  template <typename Whole>
  void fill(std::vector<Whole> left, std::int64_t cpus, const std::stop_token& stop);

  const InflatedDag& dag_;
  std::vector<mpz_class> lengths_;  ///< of the paths; never empty
  std::vector<NodeIndex> longest_;
};

/// Preemptive prioritised list scheduling, nodes on long paths first: only unordered nodes of
/// higher priority interfere with a path.
HeBound prioritised_bound(const InflatedDag& dag, const Reachability& order, std::int64_t cpus,
                          const std::stop_token& stop = {});

}  // namespace tactus::gang
