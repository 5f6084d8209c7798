#include "tactus/methods/gang/shares/least_units.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

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

/// Without joint choices; nothing if no choices fit into the slack.
std::optional<std::vector<std::int64_t>> least_of_choices(const Demand& demand,
                                                          Fraction slack_left) {
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
                                   : join(demand.choices[used[e]], from[e + 1], slack_left);
  }
  std::vector<std::int64_t> units(demand.choices.size());
  if (slack_left < 0) return std::nullopt;
  for (std::size_t e = 0; e < used.size(); ++e) {
    const Choice* best = nullptr;
    std::int64_t best_total = 0;
    for (const Choice& choice : demand.choices[used[e]]) {
      const Choice* rest = cheapest(from[e + 1], slack_left - choice.term);
      if (rest == nullptr) continue;
      const std::int64_t total = choice.units + rest->units;
      if (best != nullptr && total >= best_total) continue;
      best = &choice;
      best_total = total;
    }
    if (best == nullptr) return std::nullopt;
    units[used[e]] = best->units;
    slack_left -= best->term;
  }
  return units;
}

std::int64_t total_of(const std::vector<std::int64_t>& units) {
  return std::accumulate(units.begin(), units.end(), std::int64_t{0});
}

}  // namespace

std::vector<std::int64_t> least_units(const Demand& demand) {
  if (demand.joint.empty()) return *least_of_choices(demand, demand.slack);
  std::vector<std::int64_t> best;
  for (const JointChoice& joint : demand.joint) {
    auto units = least_of_choices(demand, demand.slack - joint.amount);
    if (!units) continue;
    for (std::size_t p = 0; p < units->size(); ++p) (*units)[p] += joint.units[p];
    const bool better = best.empty() || total_of(*units) < total_of(best) ||
                        (total_of(*units) == total_of(best) && *units < best);
    if (better) best = std::move(*units);
  }
  return best;
}

}  // namespace tactus::gang
