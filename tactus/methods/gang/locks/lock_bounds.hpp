#pragma once

#include <stop_token>

#include "tactus/methods/gang/bound/explain.hpp"
#include "tactus/methods/gang/locks/he_bounds.hpp"
#include "tactus/methods/verdict.hpp"

/// What the locking baselines share: tasks with inflated accesses, and the result of one division
/// of the accelerators.
namespace tactus::gang {

/// The DAGs behind their locks, for one division of the accelerators into partitions.
struct LockedDags {
  const System& system;
  const LockView& view;
  const Locks& locks;
  std::vector<InflatedDag> dags;  ///< as in the view
  std::stop_token stop;
  /// For a person: tasks that fail say what they need, and tasks below them what they would need.
  bool explained = false;

  const Task& task(std::size_t k) const { return system.tasks[view.dags[k].task]; }
  /// The longest window from a release that ends in time, if jobs are released this late.
  Fraction limit(std::size_t k, Time jitter = {}) const {
    return to_fraction(view.dags[k].deadline - jitter);
  }
};

/// The bounds for one cut.
struct LockedBounds {
  std::vector<TaskVerdict> tasks;  ///< as the DAGs
  bool feasible = true;
  Fraction bound;      ///< of the only DAG
  std::string reason;  ///< where not feasible
};

/// What a bound is made of: the DAG's own part, and `others`.
std::vector<Term> lock_terms(const LockedDags& locked, std::size_t k, const HeBound& own,
                             std::vector<ExactTerm> others = {});

/// Fills in a bound: `total`, of which `own` is the DAG's own part and `others` the rest, from a
/// release that is `jitter` after the arrival. True when it meets the deadline.
bool set_bound(TaskVerdict& task, const LockedDags& locked, std::size_t k, const HeBound& own,
               const Fraction& total, std::vector<ExactTerm> others = {}, Time jitter = {});

/// Several DAGs under global rate-monotonic scheduling: Melani et al., ECRTS 2015, for what higher
/// priorities carry in. Fills `bounds.tasks`. @pre `orders` are those of the DAGs.
void rate_monotonic(const LockedDags& locked, const std::vector<Reachability>& orders,
                    LockedBounds& bounds);

/// Several DAGs under federated scheduling: heavy ones get CPUs of their own, light ones are
/// sequential tasks on shared CPUs (EDF). Fills `bounds.tasks`.
void federated_cpus(const LockedDags& locked, LockedBounds& bounds);

}  // namespace tactus::gang
