#pragma once

#include <span>
#include <stop_token>

#include "tactus/methods/gang/bound/idle.hpp"

/// Theorem 2 of the paper: the response-time bound of gang.wc and gang.swc, in polynomial time.
namespace tactus::gang {

/// How Delta is computed.
struct DeltaChoice {
  bool exact = false;  ///< else by Eq. 4
  std::size_t budget = 200'000;
  std::stop_token stop = {};
};

/// A DAG with everything that does not depend on how many units it is given.
struct PreparedDag {
  GangDag dag;
  Time length;  ///< len(G)
  std::vector<ElementLoad> loads;
  std::vector<Totals> totals;    ///< of `loads`, up to the size of the platform
  bool fell_back_to_dp = false;  ///< the budget for exact Delta was not enough
};
/// The totals of one load, up to the size of its element; nothing where exact ones exceed the budget.
std::optional<Totals> totals_of(const System& system, const ElementLoad& load,
                                const DeltaChoice& choice, Serves serves);

/// `serves` one pool: to be bounded on the whole platform only.
PreparedDag prepare(const System& system, GangDag dag, const DeltaChoice& choice,
                    Serves serves = Serves::kAllPools);

/// The interference on one element.
struct ElementTerm {
  Fraction amount;    ///< term_p
  Volume filled = 0;  ///< the volume it accounts for: min(W_p, vi)
  Fraction slope;     ///< of `amount` in that volume, at its end
  bool no_h = false;  ///< W_p exceeds vi: h(p) of Def. 11 does not exist
};

/// term_p for processors of which `idle` (Delta, of one pool) may idle.
///
/// Written as a filling: every node k with interferers has d_k = min over I(k) of (M - Delta_i);
/// the volume W_p goes to the nodes with the smallest d first. This equals Defs. 6-11 (the tests
/// compare it with the literal form), needs no order among equal Deltas, and if h(p) does not
/// exist, it simply uses up all nodes.
ElementTerm element_term(const ElementLoad& load, std::span<const std::int64_t> idle, Pools pools);

/// R(G) <= length + the terms, with what they are made of.
struct DagBound {
  struct Part {
    Pools pools;
    std::vector<std::int64_t> idle;  ///< Delta of one pool, by node of the load
    ElementTerm term;
  };
  std::vector<Part> parts;  ///< as `PreparedDag::loads`
  Fraction total;
};

/// The bound on `units` of every element of the platform. @pre the widest gang of each fits.
DagBound theorem2(const System& system, const PreparedDag& dag, Scheduler scheduler,
                  std::span<const std::int64_t> units);

/// As many units as the platform has.
std::vector<std::int64_t> whole_platform(const System& system);

}  // namespace tactus::gang
