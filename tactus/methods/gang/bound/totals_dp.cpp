#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tactus/methods/gang/bound/totals.hpp"
#include "tactus/methods/gang/limits.hpp"

namespace tactus::gang {

Totals empty_totals(const ElementLoad& load, std::int64_t pool) {
  Totals totals;
  Volume most = 0;  // no total is larger than all widths together
  totals.grain = 0;
  for (std::size_t k = 0; k < load.nodes.size(); ++k) {
    totals.grain = std::gcd(totals.grain, load.width[k]);
    most = add(most, multiply(load.width[k], load.copies[k]));
  }
  const auto bits = static_cast<std::size_t>(std::min<Volume>(most, pool)) /
                        static_cast<std::size_t>(totals.grain) +
                    1;
  if (bits > kMaxTotalBits / load.nodes.size()) {
    throw LimitReached(fmt::format(
        "a pool of {} processors with {} nodes is too large for the sums of gang widths", pool,
        load.nodes.size()));
  }
  totals.sets = bits::Matrix(load.nodes.size(), bits);
  return totals;
}

void set_to_multiples(bits::Row row, bits::ConstRow base, std::int64_t step, std::int64_t times) {
  std::fill(row.begin(), row.end(), bits::Word{0});
  const auto by = static_cast<std::size_t>(step);
  bits::unite_shifted(row, base, by);
  // Doubling: 1..n times becomes 1..2n times. What lies beyond the row is of no interest.
  const std::size_t room = row.size() * bits::kWordBits / by;
  const std::size_t wanted = std::min(static_cast<std::size_t>(times), room);
  for (std::size_t have = 1; have < wanted;) {
    const std::size_t more = std::min(have, wanted - have);
    bits::unite_shifted(row, row, more * by);
    have += more;
  }
}

namespace {

/// The recursion of Eq. 4 for one node i, over the nodes j of I(i) in node order:
///   B_j = ({0} or any B_k : k in I(i) before j, no ancestor of j) shifted by m_j.
/// With one k in the place of "any" totals would be missed, and Delta could be too small.
class Recursion {
 public:
  Recursion(const ElementLoad& load, std::int64_t grain, std::size_t words)
      : load_(load),
        bits_(words * bits::kWordBits),
        ending_at_(load.nodes.size(), bits_),
        before_(load.nodes.size(), bits_),
        admissible_(words) {
    for (std::int64_t width : load.width) step_.push_back(static_cast<std::size_t>(width / grain));
  }

  /// Leaves S_i in `all`, or as much of it as it takes to hold `enough`.
  void run(std::size_t i, bits::Row all, std::size_t enough) {
    const bits::ConstRow members = load_.interferers[i];
    std::fill(all.begin(), all.end(), bits::Word{0});
    bits::set(all, 0);
    for (std::size_t j = bits::first(members); j != bits::kNone; j = bits::first(members, j + 1)) {
      std::copy(all.begin(), all.end(), before_[j].begin());
      const std::int64_t copies = load_.copies[j] - (j == i ? 1 : 0);
      set_to_multiples(ending_at_[j], admissible(members, j, all),
                       static_cast<std::int64_t>(step_[j]), copies);
      bits::unite(all, ending_at_[j]);
      if (enough < bits_ && bits::test(all, enough)) return;
    }
  }

 private:
  /// {0} and every B_k with k before j that is no ancestor of j, as far as adding m_j stays below
  /// the end of the row.
  bits::ConstRow admissible(bits::ConstRow members, std::size_t j, bits::ConstRow all) {
    const bits::ConstRow ancestors = load_.ancestors[j];
    std::size_t first = bits::kNone;
    for (std::size_t w = 0; w < members.size() && first == bits::kNone; ++w) {
      const bits::Word both = members[w] & ancestors[w];
      if (both != 0) {
        first = w * bits::kWordBits + static_cast<std::size_t>(std::countr_zero(both));
      }
    }
    if (first == bits::kNone || step_[j] >= bits_) return all;
    const std::size_t room = bits_ - step_[j], words = bits::words_for(room);
    const bits::Row useful(admissible_.data(), words);
    // Everything before the first ancestor is admissible; the rest one by one, the latest first,
    // because they hold the most totals: often the union is complete after a few.
    std::copy(before_[first].begin(), before_[first].end(), admissible_.begin());
    for (std::size_t w = j / bits::kWordBits + 1; w-- > first / bits::kWordBits;) {
      bits::Word word = members[w] & ~ancestors[w];
      if (w == j / bits::kWordBits) word &= (bits::Word{1} << (j % bits::kWordBits)) - 1;
      while (word != 0) {
        const auto top = bits::kWordBits - 1 - static_cast<std::size_t>(std::countl_zero(word));
        word &= ~(bits::Word{1} << top);
        const std::size_t k = w * bits::kWordBits + top;
        if (k < first) break;
        if (step_[k] >= room) continue;  // even alone too wide beside j
        bits::unite(useful, ending_at_[k].first(words));
        if (bits::equal(useful, all.first(words))) return admissible_;
      }
    }
    return admissible_;
  }

  const ElementLoad& load_;
  std::size_t bits_;
  bits::Matrix ending_at_;  ///< B_j
  bits::Matrix before_;     ///< row j: all totals of the members before j
  std::vector<bits::Word> admissible_;
  std::vector<std::size_t> step_;  ///< widths in grains
};

}  // namespace

Totals totals_by_dp(const ElementLoad& load, std::int64_t pool, Serves serves,
                    const std::stop_token& stop) {
  Totals totals = empty_totals(load, pool);
  Recursion recursion(load, totals.grain, totals.sets.words());
  for (std::size_t i = 0; i < load.nodes.size(); ++i) {
    throw_if_stopped(stop);
    // The low end of the window of Eq. 3, where Delta is largest.
    const std::int64_t enough = (pool - load.width[i]) / totals.grain + 1;
    recursion.run(i, totals.sets[i],
                  serves == Serves::kOnePool ? static_cast<std::size_t>(enough) : bits::kNone);
  }
  return totals;
}

}  // namespace tactus::gang
