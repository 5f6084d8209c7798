#include "tactus/methods/terms.hpp"

#include <algorithm>
#include <functional>

namespace tactus {
namespace {

bool is_caused(const Term& term) { return term.by != Term::kNoTask; }

void add_to_its_kind(std::vector<Term>& sums, const Term& term) {
  const auto same = std::find_if(sums.begin(), sums.end(), [&](const Term& sum) {
    return sum.label == term.label && sum.on == term.on;
  });
  if (same != sums.end()) {
    same->amount += term.amount;
  } else {
    sums.push_back({.label = term.label,
                    .amount = term.amount,
                    .on = term.on,
                    .how = "many small ones, summed"});
  }
}

}  // namespace

std::vector<Term> readable_terms(std::vector<Term> terms) {
  if (terms.size() <= kMostTerms) return terms;
  std::vector<Time> caused;
  for (const Term& term : terms) {
    if (is_caused(term)) caused.push_back(term.amount);
  }
  const std::size_t others = terms.size() - caused.size();
  const std::size_t named = kMostTerms > others ? kMostTerms - others : 1;
  if (caused.size() <= named) return terms;

  // The smallest amount that keeps its name, and how many terms of exactly that amount do.
  const auto last = caused.begin() + static_cast<std::ptrdiff_t>(named - 1);
  std::nth_element(caused.begin(), last, caused.end(), std::greater<>());
  const Time least = *last;
  auto ties = std::count(caused.begin(), last + 1, least);

  std::vector<Term> kept, sums;
  for (const Term& term : terms) {
    const bool tie = is_caused(term) && term.amount == least;
    if (!is_caused(term) || term.amount > least || (tie && ties-- > 0)) {
      kept.push_back(term);
    } else {
      add_to_its_kind(sums, term);
    }
  }
  kept.insert(kept.end(), sums.begin(), sums.end());
  return kept;
}

}  // namespace tactus
