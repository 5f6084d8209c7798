#include "tactus/report/analysis.hpp"

#include <fmt/core.h>

namespace tactus::report {

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
