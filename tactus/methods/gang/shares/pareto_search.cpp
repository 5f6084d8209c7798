#include "tactus/methods/gang/shares/pareto_search.hpp"

#include <algorithm>
#include <numeric>

#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/shares/least_units.hpp"

namespace tactus::gang {
namespace {

using Units = std::vector<std::int64_t>;

std::int64_t total(const Units& units) {
  return std::accumulate(units.begin(), units.end(), std::int64_t{0});
}
bool covers(const Units& less, const Units& more) {
  return std::equal(less.begin(), less.end(), more.begin(), std::less_equal<>());
}

/// Counts steps; the search ends when they are used up.
class Budget {
 public:
  Budget(std::size_t steps, const std::stop_token& stop) : left_(steps), stop_(stop) {}
  bool spend(std::size_t steps = 1) {
    throw_if_stopped(stop_);
    if (steps > left_) exhausted_ = true;
    left_ -= std::min(left_, steps);
    return !exhausted_;
  }
  bool exhausted() const { return exhausted_; }

 private:
  std::size_t left_;
  const std::stop_token& stop_;
  bool exhausted_ = false;
};

/// All vectors of choices of one DAG that meet its deadline and of which no entry can be lowered.
/// In lexicographic order.
class MinimalVectors {
 public:
  MinimalVectors(const Demand& demand, Budget& budget)
      : demand_(demand), budget_(budget), least_after_(demand.choices.size() + 1) {
    for (std::size_t p = demand.choices.size(); p-- > 0;) {
      least_after_[p] = least_after_[p + 1];
      if (!demand.choices[p].empty()) least_after_[p] += demand.choices[p].back().term;
    }
    picked_.resize(demand.choices.size());
    if (demand.joint.empty()) {
      extend(0, demand.slack);
      return;
    }
    for (const JointChoice& joint : demand.joint) {
      given_ = &joint.units;
      extend(0, demand.slack - joint.amount);
    }
    keep_minimal();
  }
  std::vector<Units> take() { return std::move(found_); }

 private:
  void extend(std::size_t p, const Fraction& slack) {
    if (!budget_.spend()) return;
    if (p == demand_.choices.size()) {
      if (is_minimal(slack)) {
        Units units = given_ != nullptr ? *given_ : Units(picked_.size());
        for (std::size_t q = 0; q < units.size(); ++q) {
          if (!demand_.choices[q].empty()) units[q] = demand_.choices[q][picked_[q]].units;
        }
        found_.push_back(std::move(units));
      }
      return;
    }
    const auto& choices = demand_.choices[p];
    if (choices.empty()) return extend(p + 1, slack);
    const Fraction most = slack - least_after_[p + 1];
    auto choice = std::partition_point(choices.begin(), choices.end(),
                                       [&](const Choice& c) { return c.term > most; });
    for (; choice != choices.end(); ++choice) {
      picked_[p] = static_cast<std::size_t>(choice - choices.begin());
      extend(p + 1, slack - choice->term);
      if (is_last(p)) break;  // more units of the last element are never needed
    }
  }
  bool is_last(std::size_t p) const {
    return std::all_of(demand_.choices.begin() + static_cast<std::ptrdiff_t>(p) + 1,
                       demand_.choices.end(), [](const auto& choices) { return choices.empty(); });
  }
  bool is_minimal(const Fraction& unused) const {
    for (std::size_t p = 0; p < picked_.size(); ++p) {
      if (demand_.choices[p].empty() || picked_[p] == 0) continue;
      const Choice* chosen = &demand_.choices[p][picked_[p]];
      if ((chosen - 1)->term - chosen->term <= unused) return false;
    }
    return true;
  }

  /// Vectors found with one joint choice may be beaten by those found with another.
  void keep_minimal() {
    std::sort(found_.begin(), found_.end());
    std::vector<Units> minimal;
    for (const Units& units : found_) {  // a vector that is better in every element comes before
      if (!budget_.spend(minimal.size())) break;
      if (std::none_of(minimal.begin(), minimal.end(),
                       [&](const Units& other) { return covers(other, units); })) {
        minimal.push_back(units);
      }
    }
    found_ = std::move(minimal);
  }

  const Demand& demand_;
  Budget& budget_;
  const Units* given_ = nullptr;  ///< by a joint choice
  std::vector<Fraction> least_after_;
  std::vector<std::size_t> picked_;
  std::vector<Units> found_;
};

/// One allocation of the first DAGs: what it uses in all, and where it comes from.
struct Partial {
  Units used;
  std::size_t parent = 0, vector = 0;  ///< in the layer before, and of the DAG's own vectors
};

/// Adds the DAGs one after the other and keeps the uses for which no other is better in every
/// element. A layer is ordered by allocation, lexicographically; so are its successors when they
/// are generated parent by parent, and of two equal uses the first is the one to keep.
class ParetoSearch {
 public:
  enum class Room { kPlatform, kUnlimited };

  ParetoSearch(const AllocationProblem& problem, Room room, Budget& budget)
      : problem_(problem), room_(room), budget_(budget) {}

  /// The last layer; empty when nothing fits or the budget is spent.
  const std::vector<Partial>& run() {
    for (const Demand& demand : problem_.demands) {
      vectors_.push_back(MinimalVectors(demand, budget_).take());
    }
    const std::size_t elements = problem_.units.size();
    needed_after_.assign(problem_.demands.size() + 1, Units(elements));
    for (std::size_t k = problem_.demands.size(); k-- > 0;) {
      needed_after_[k] = needed_after_[k + 1];
      for (std::size_t p = 0; p < elements; ++p) {
        needed_after_[k][p] += problem_.demands[k].fewest_units(p);
      }
    }
    layers_ = {{Partial{Units(elements), 0, 0}}};
    for (std::size_t k = 0; k < problem_.demands.size(); ++k) {
      layers_.push_back(best_of(successors(k)));
      if (budget_.exhausted()) return layers_.emplace_back();
    }
    return layers_.back();
  }

  Allocation allocation_of(std::size_t index) const {
    Allocation allocation(problem_.demands.size());
    for (std::size_t k = problem_.demands.size(); k-- > 0;) {
      const Partial& partial = layers_[k + 1][index];
      allocation[k] = vectors_[k][partial.vector];
      index = partial.parent;
    }
    return allocation;
  }

 private:
  std::vector<Partial> successors(std::size_t k) {
    std::vector<Partial> next;
    const auto& parents = layers_[k];
    for (std::size_t i = 0; i < parents.size(); ++i) {
      for (std::size_t v = 0; v < vectors_[k].size(); ++v) {
        if (!budget_.spend()) return {};
        Partial partial{parents[i].used, i, v};
        bool fits = true;
        for (std::size_t p = 0; p < partial.used.size(); ++p) {
          partial.used[p] += vectors_[k][v][p];
          fits = fits && partial.used[p] + needed_after_[k + 1][p] <= problem_.units[p];
        }
        if (fits || room_ == Room::kUnlimited) next.push_back(std::move(partial));
      }
    }
    return next;
  }

  std::vector<Partial> best_of(std::vector<Partial> all) {
    std::vector<std::size_t> by_use(all.size());
    std::iota(by_use.begin(), by_use.end(), std::size_t{0});
    std::stable_sort(by_use.begin(), by_use.end(),
                     [&](std::size_t a, std::size_t b) { return all[a].used < all[b].used; });
    // A use that is better in every element comes earlier in this order; equal ones are neighbours.
    std::vector<std::size_t> kept;
    for (std::size_t candidate : by_use) {
      std::size_t compared = 0;
      const bool beaten = std::any_of(kept.rbegin(), kept.rend(), [&](std::size_t other) {
        ++compared;
        return covers(all[other].used, all[candidate].used);
      });
      if (!budget_.spend(compared)) return {};
      if (!beaten) kept.push_back(candidate);
    }
    std::sort(kept.begin(), kept.end());  // back to the order of generation
    std::vector<Partial> best;
    for (std::size_t index : kept) best.push_back(std::move(all[index]));
    return best;
  }

  const AllocationProblem& problem_;
  Room room_;
  Budget& budget_;
  std::vector<std::vector<Units>> vectors_;  ///< of every DAG
  std::vector<Units> needed_after_;          ///< least needs of the DAGs from k on
  std::vector<std::vector<Partial>> layers_;
};

class ParetoSolver final : public AllocationSolver {
 public:
  Solution solve(const AllocationProblem& problem, std::size_t steps,
                 const std::stop_token& stop) const override {
    // If every DAG can have its own optimum at the same time, that is the optimum of all.
    Allocation alone;
    Units used(problem.units.size());
    for (const Demand& demand : problem.demands) {
      throw_if_stopped(stop);
      alone.push_back(least_units(demand));
      for (std::size_t p = 0; p < used.size(); ++p) used[p] += alone.back()[p];
    }
    if (covers(used, problem.units)) return {Outcome::kFound, std::move(alone)};

    Budget budget(steps, stop);
    ParetoSearch search(problem, ParetoSearch::Room::kPlatform, budget);
    const auto& last = search.run();
    if (budget.exhausted()) return {Outcome::kBudget};
    if (last.empty()) return {Outcome::kInfeasible};
    const auto best = std::min_element(
        last.begin(), last.end(),
        [](const Partial& a, const Partial& b) { return total(a.used) < total(b.used); });
    return {Outcome::kFound, search.allocation_of(static_cast<std::size_t>(best - last.begin()))};
  }
};

}  // namespace

const AllocationSolver& pareto_solver() {
  static const ParetoSolver solver;
  return solver;
}

std::optional<std::vector<std::int64_t>> least_overflow(const AllocationProblem& problem,
                                                        std::size_t steps,
                                                        const std::stop_token& stop) {
  Budget budget(steps, stop);
  ParetoSearch search(problem, ParetoSearch::Room::kUnlimited, budget);
  const auto& last = search.run();
  if (budget.exhausted() || last.empty()) return std::nullopt;
  std::vector<std::int64_t> best;
  for (const Partial& partial : last) {
    Units missing(partial.used.size());
    for (std::size_t p = 0; p < missing.size(); ++p) {
      missing[p] = std::max<std::int64_t>(0, partial.used[p] - problem.units[p]);
    }
    if (best.empty() || total(missing) < total(best)) best = std::move(missing);
  }
  return best;
}

}  // namespace tactus::gang
