#include "tactus/report/analysis.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tactus::report {

Status judgement(const Analysis& analysis) {
  if (analysis.judged_by == JudgedBy::kDeployed) return analysis.verdicts[analysis.deployed].status;
  const auto any = [&](Status status) {
    return std::any_of(analysis.verdicts.begin(), analysis.verdicts.end(),
                       [&](const Verdict& verdict) { return verdict.status == status; });
  };
  const bool yes = any(Status::kSchedulable), no = any(Status::kUnschedulable);
  if (analysis.judged_by == JudgedBy::kAny) {
    return yes ? Status::kSchedulable : no ? Status::kUnschedulable : Status::kUndecided;
  }
  if (no) return Status::kUnschedulable;
  const bool unknown = any(Status::kUndecided) || any(Status::kNotApplicable);
  return unknown ? Status::kUndecided : Status::kSchedulable;
}

std::string term_name(const Term& term, const System& system) {
  if (term.on != Term::kNoElement) {
    return fmt::format("{} on {}", term.label, system.platform.elements[term.on].name);
  }
  if (term.by == Term::kNoTask) return std::string(term.label);
  return fmt::format("{} by {}", term.label, system.tasks[term.by].name);
}

Time total(std::span<const Term> terms) {
  Time sum;
  for (const Term& term : terms) sum += term.amount;
  return sum;
}

}  // namespace tactus::report
