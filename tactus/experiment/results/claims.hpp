#pragma once

#include <optional>
#include <vector>

#include "tactus/experiment/results/results.hpp"

namespace tactus::experiment {

/// A number of ours: nothing if it could not be computed (points that were not run), NaN if the
/// value does not exist (a task without bound).
using Ours = std::optional<double>;

enum class Outcome {
  kInside,    ///< as the paper says, within the tolerance
  kOutside,   ///< not so
  kNotJudged  ///< could not be computed
};
std::string_view to_string(Outcome outcome);

/// The result of a claim.
struct Judgement {
  const Claim* claim = nullptr;
  /// With every line in that variant; nothing where no line has it. A claim that names its variant
  /// has that number here: among the safe ones, or as published.
  Ours safe, paper;
  std::string judged_by;  ///< the variant whose number was judged
  Outcome outcome = Outcome::kNotJudged;

  /// Inside, and nothing was adjusted to be there.
  bool stands() const { return outcome == Outcome::kInside && claim->basis == Basis::kPrinted; }
  /// Outside, and the claim says why.
  bool explained() const { return outcome == Outcome::kOutside && !claim->deviation.empty(); }
};

/// Judges every claim of the experiment, in order.
std::vector<Judgement> judge_claims(const Results& results);

/// Why some claims are known to be outside: every reason once, with the numbers of its claims,
/// from 1, and the command that tests it.
struct Explanation {
  std::vector<std::size_t> claims;
  std::string why, test;
};
std::vector<Explanation> explanations_of(const std::vector<Judgement>& judgements);

}  // namespace tactus::experiment
