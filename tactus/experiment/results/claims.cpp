#include "tactus/experiment/results/claims.hpp"

#include <algorithm>
#include <cmath>

#include "tactus/experiment/describe/expression.hpp"
#include "tactus/experiment/describe/selection.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/promise.hpp"

namespace tactus::experiment {
namespace {

constexpr std::string_view kPaper = "paper";

/// The numbers of the curves in one variant; notes whether some line has that variant itself.
class Numbers {
 public:
  Numbers(const Results& results, std::string_view variant) : results_(results), variant_(variant) {
    source_.curve = [this](const CurveName& name) { return curve(name); };
    source_.weighted = [this](const CurveName& name) { return weighted(name); };
    source_.accepted = [this](const CurveName& name) { return accepted(name); };
    source_.sets = [this](const CurveName& name) { return sets(name); };
    source_.spread = [this](const CurveName& name) { return spread(name); };
    source_.lost = [this](const CurveName& a, const CurveName& b) { return lost(a, b); };
  }

  /// Nothing when a point is missing, or when no line has the variant.
  Ours value(const std::string& expression) {
    const auto value = evaluate(expression, source_);
    if (!own_variant_ || !value) return std::nullopt;
    return *value;
  }

 private:
  static Source::Points missing() { return Error{"a point was not run"}; }

  std::optional<Selection> find(const CurveName& name) {
    auto found = select(results_.experiment, name, variant_);
    if (!found) return std::nullopt;
    Selection selection = std::move(*found);
    own_variant_ |= results_.curves[selection.curve].variant == variant_;
    for (std::size_t point : selection.points) {
      if (results_.cell(point, selection.curve).sets == 0) return std::nullopt;
    }
    return selection;
  }

  Source::Points curve(const CurveName& name) {
    const auto selection = find(name);
    if (!selection) return missing();
    std::vector<double> ys;
    for (std::size_t point : selection->points) {
      ys.push_back(results_.cell(point, selection->curve).y);
    }
    return ys;
  }

  Source::Points accepted(const CurveName& name) {
    const auto selection = find(name);
    if (!selection) return missing();
    std::vector<double> percent;
    for (std::size_t point : selection->points) {
      const Cell& cell = results_.cell(point, selection->curve);
      const std::int64_t sets = cell.sets - cell.not_applicable;  // 0 of 0 is no number
      percent.push_back(100 * static_cast<double>(cell.accepted) / static_cast<double>(sets));
    }
    return percent;
  }

  Source::Points sets(const CurveName& name) {
    const auto selection = find(name);
    if (!selection) return missing();
    std::vector<double> counts;
    for (std::size_t point : selection->points) {
      const Cell& cell = results_.cell(point, selection->curve);
      counts.push_back(static_cast<double>(cell.sets - cell.not_applicable));
    }
    return counts;
  }

  Source::Points spread(const CurveName& name) {
    const auto selection = find(name);
    if (!selection) return missing();
    std::vector<double> widths;
    for (std::size_t point : selection->points) {
      const Cell& cell = results_.cell(point, selection->curve);
      widths.push_back(cell.quartile3 - cell.quartile1);  // NaN where sets have no value
    }
    return widths;
  }

  Source::Points weighted(const CurveName& name) {
    const auto selection = find(name);
    if (!selection) return missing();
    // Of one case: weights of different cases do not mix.
    const std::size_t in = results_.points[selection->points.front()].case_index;
    return std::vector<double>{results_.weighted_of(in, selection->curve).percent};
  }

  Source::Points lost(const CurveName& loser, const CurveName& winner) {
    const auto a = find(loser), b = find(winner);
    if (!a || !b) return missing();
    const std::size_t curves = results_.curves.size();
    std::int64_t count = 0;
    for (std::size_t point : a->points) {
      count += results_.lost[(point * curves + a->curve) * curves + b->curve];
    }
    return std::vector<double>{static_cast<double>(count)};
  }

  const Results& results_;
  const std::string variant_;
  Source source_;
  bool own_variant_ = false;
};

bool holds(const Expected& expected, double ours, double tolerance) {
  using Relation = Expected::Relation;
  if (expected.relation == Relation::kNothing) return std::isnan(ours);
  if (std::isnan(ours)) return false;
  // A small tolerance for sums of binary fractions.
  const double slack = tolerance + 1e-9 * std::max(1.0, std::abs(expected.value));
  switch (expected.relation) {
    case Relation::kNear:
      return std::abs(ours - expected.value) <= slack;
    case Relation::kLess:
      return tolerance > 0 ? ours < expected.value + slack : ours < expected.value;
    case Relation::kAtMost:
      return ours <= expected.value + slack;
    case Relation::kGreater:
      return tolerance > 0 ? ours > expected.value - slack : ours > expected.value;
    case Relation::kAtLeast:
      return ours >= expected.value - slack;
    case Relation::kNothing:
      break;
  }
  return false;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  static constexpr std::string_view kWords[] = {"inside", "outside", "not judged"};
  return kWords[static_cast<std::size_t>(outcome)];
}

std::vector<Judgement> judge_claims(const Results& results) {
  std::vector<Judgement> judgements;
  for (const Claim& claim : results.experiment.claims) {
    Judgement& judgement = judgements.emplace_back();
    judgement.claim = &claim;
    judgement.safe = Numbers(results, kSafe).value(claim.ours);
    judgement.paper = Numbers(results, kPaper).value(claim.ours);
    Ours judged;
    if (!claim.variant.empty()) {
      judgement.judged_by = claim.variant;
      judged = Numbers(results, claim.variant).value(claim.ours);
      (is_guaranteed(claim.variant) ? judgement.safe : judgement.paper) = judged;
    } else {
      judgement.judged_by = judgement.paper ? kPaper : kSafe;
      judged = judgement.paper ? judgement.paper : judgement.safe;
    }
    if (!judged) continue;
    judgement.outcome =
        holds(claim.paper, *judged, claim.tolerance) ? Outcome::kInside : Outcome::kOutside;
  }
  return judgements;
}

std::vector<Explanation> explanations_of(const std::vector<Judgement>& judgements) {
  std::vector<Explanation> all;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const std::string &why = judgements[i].claim->deviation, &test = judgements[i].claim->test;
    if (judgements[i].outcome != Outcome::kOutside || why.empty()) continue;
    auto found = std::find_if(all.begin(), all.end(), [&](const Explanation& other) {
      return other.why == why && other.test == test;
    });
    if (found == all.end()) found = all.insert(all.end(), {{}, why, test});
    found->claims.push_back(i + 1);
  }
  return all;
}

}  // namespace tactus::experiment
