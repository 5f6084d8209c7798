#pragma once

#include <optional>

#include "tactus/methods/gang/bound/theorem2.hpp"
#include "tactus/methods/gang/bound/tight.hpp"
#include "tactus/methods/verdict.hpp"

/// A bound for people: terms that add up to it, and the tables behind them.
namespace tactus::gang {

/// A term whose amount is still exact.
struct ExactTerm {
  Term term;
  Fraction amount;
};
/// The terms, rounded so that they add up to their sum rounded up.
std::vector<Term> rounded(std::vector<ExactTerm> terms);

/// The length and one term per element.
std::vector<Term> terms_of(const PreparedDag& dag, Time length,
                           const std::vector<Fraction>& amounts);

/// Volumes and idle processors by element; Delta by node; further bounds if they were asked for
/// (`theorem1` empty: asked for, but too many paths).
std::vector<PlanTable> details_of(const System& system, const GangTask& task,
                                  const PreparedDag& dag, const DagBound& bound,
                                  const Fraction* tight, const std::optional<Fraction>* theorem1);

}  // namespace tactus::gang
