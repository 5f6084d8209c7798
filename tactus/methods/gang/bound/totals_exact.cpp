#include <unordered_map>

#include "tactus/methods/gang/bound/totals.hpp"
#include "tactus/methods/gang/limits.hpp"

namespace tactus::gang {
namespace {

using Words = std::vector<bits::Word>;

struct HashWords {
  std::size_t operator()(const Words& words) const {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (bits::Word word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15 ^ (hash >> 29);
    return hash;
  }
};

/// Totals of all antichains inside a set of nodes, by branching on its first node v:
///   totals(A) = totals(A - v) or (multiples of m_v + totals(A - v - relatives of v)).
/// Sets met again are remembered; nodes of one DAG share what was remembered.
class Branching {
 public:
  Branching(const ElementLoad& load, std::int64_t grain, std::size_t words, std::size_t budget)
      : load_(load), grain_(grain), words_(words), budget_(budget) {}

  /// S_i, or null when the budget is spent.
  const Words* run(std::size_t i, Words& out) {
    if (known_.size() > budget_) known_.clear();
    limit_ = known_.size() + budget_;
    Words allowed(load_.interferers[i].begin(), load_.interferers[i].end());
    bits::reset(allowed, i);
    const Words* others = totals(std::move(allowed));
    if (others == nullptr) return nullptr;
    out = *others;
    // The other copies of i itself are unordered with everything in I(i).
    if (load_.copies[i] > 1) add_multiples(out, *others, i, load_.copies[i] - 1);
    return &out;
  }

 private:
  void add_multiples(Words& into, const Words& base, std::size_t node, std::int64_t copies) const {
    Words multiples(words_);
    set_to_multiples(multiples, base, load_.width[node] / grain_, copies);
    bits::unite(into, multiples);
  }

  const Words* totals(Words allowed) {
    if (const auto found = known_.find(allowed); found != known_.end()) return &found->second;
    const std::size_t v = bits::first(allowed);
    Words result(words_);
    if (v == bits::kNone) {
      bits::set(result, 0);
    } else {
      if (known_.size() >= limit_) return nullptr;
      Words rest = allowed;
      bits::reset(rest, v);
      // A node is unordered with all the others in `interferers`: what remains beside v.
      Words beside = rest;
      for (std::size_t w = 0; w < beside.size(); ++w) beside[w] &= load_.interferers[v][w];
      const Words* without = totals(std::move(rest));
      const Words* with = without == nullptr ? nullptr : totals(std::move(beside));
      if (with == nullptr) return nullptr;
      result = *without;
      add_multiples(result, *with, v, load_.copies[v]);
    }
    return &known_.emplace(std::move(allowed), std::move(result)).first->second;
  }

  const ElementLoad& load_;
  std::int64_t grain_;
  std::size_t words_, budget_, limit_ = 0;
  std::unordered_map<Words, Words, HashWords> known_;  // its values stay where they are
};

}  // namespace

std::optional<Totals> exact_totals(const ElementLoad& load, std::int64_t pool, std::size_t budget,
                                   const std::stop_token& stop) {
  Totals totals = empty_totals(load, pool);
  Branching branching(load, totals.grain, totals.sets.words(), budget);
  Words set;
  for (std::size_t i = 0; i < load.nodes.size(); ++i) {
    throw_if_stopped(stop);
    if (branching.run(i, set) == nullptr) return std::nullopt;
    std::copy(set.begin(), set.end(), totals.sets[i].begin());
  }
  return totals;
}

}  // namespace tactus::gang
