#include "tactus/methods/gang/shares/least_units.hpp"

#include <algorithm>
#include <map>

namespace tactus::gang {
namespace {

/// For every number of units in all the least sum of a term of `a` and one of `b`.
std::vector<Choice> join(const std::vector<Choice>& a, const std::vector<Choice>& b,
                         const Fraction& slack) {
  std::map<std::int64_t, Fraction> least;
  for (const Choice& x : a) {
    for (const Choice& y : b) {
      Fraction term = x.term + y.term;
      if (term > slack) continue;
      const auto [entry, fresh] = least.try_emplace(x.units + y.units, term);
      if (!fresh && term < entry->second) entry->second = std::move(term);
    }
  }
  std::vector<Choice> joined;
  for (auto& [units, term] : least) {
    if (joined.empty() || term < joined.back().term) joined.push_back({units, std::move(term)});
  }
  return joined;
}

/// The fewest units with a term of at most `slack`, or null.
const Choice* cheapest(const std::vector<Choice>& choices, const Fraction& slack) {
  const auto found = std::partition_point(choices.begin(), choices.end(),
                                          [&](const Choice& c) { return c.term > slack; });
  return found == choices.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::int64_t> least_units(const Demand& demand) {
  std::vector<std::size_t> used;
  for (std::size_t p = 0; p < demand.choices.size(); ++p) {
    if (!demand.choices[p].empty()) used.push_back(p);
  }
  // from[e]: elements used[e], used[e + 1], ... together. The first is never joined: its choices
  // are tried one by one below.
  std::vector<std::vector<Choice>> from(used.size() + 1);
  from[used.size()] = {{0, Fraction(0)}};
  for (std::size_t e = used.size(); e-- > 1;) {
    from[e] = e + 1 == used.size() ? demand.choices[used[e]]
                                   : join(demand.choices[used[e]], from[e + 1], demand.slack);
  }
  std::vector<std::int64_t> units(demand.choices.size());
  Fraction slack = demand.slack;
  for (std::size_t e = 0; e < used.size(); ++e) {
    const Choice* best = nullptr;
    std::int64_t best_total = 0;
    for (const Choice& choice : demand.choices[used[e]]) {
      const Choice* rest = cheapest(from[e + 1], slack - choice.term);
      if (rest == nullptr) continue;
      const std::int64_t total = choice.units + rest->units;
      if (best != nullptr && total >= best_total) continue;
      best = &choice;
      best_total = total;
    }
    units[used[e]] = best->units;
    slack -= best->term;
  }
  return units;
}

}  // namespace tactus::gang
