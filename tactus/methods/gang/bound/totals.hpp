#pragma once

#include <optional>
#include <stop_token>

#include "tactus/methods/gang/bound/element_load.hpp"

/// How many processors the interferers of a node can hold at once (Section IV of the paper).
namespace tactus::gang {

/// For every node k of a load the set S_k of totals of widths that unordered subsets of I(k) can
/// have, up to the size of a pool.
struct Totals {
  /// All totals are multiples of it (the greatest common divisor of the widths). GPU widths are
  /// multiples of 32 or 128, and sets of totals shrink accordingly.
  std::int64_t grain = 1;
  bits::Matrix sets;  ///< bit s of row k: s * grain is in S_k
};

/// What totals must be good for. A total does not depend on the pool that cuts the set off, so
/// whole sets serve every smaller pool too. For one pool, a set is complete enough once it holds
/// the smallest total that can block its node: no other total matters then.
enum class Serves { kAllPools, kOnePool };

/// Eq. 4: a superset, in polynomial time. Only neighbours in the chosen set must be unordered, so
/// it may accept sets that are no antichains, but misses none: safe, not exact.
Totals totals_by_dp(const ElementLoad& load, std::int64_t pool, Serves serves = Serves::kAllPools,
                    const std::stop_token& stop = {});

/// Eq. 3: exactly the antichains, or nothing when one node needs more than `budget` intermediate
/// sets (the problem is strongly NP-hard).
std::optional<Totals> exact_totals(const ElementLoad& load, std::int64_t pool, std::size_t budget,
                                   const std::stop_token& stop = {});

/// An empty `Totals` of the right size. @throws LimitReached where it would not fit the memory.
Totals empty_totals(const ElementLoad& load, std::int64_t pool);

/// `row` := the members of `base` plus `step`, 2 * step, ..., `times` * step.
void set_to_multiples(bits::Row row, bits::ConstRow base, std::int64_t step, std::int64_t times);

}  // namespace tactus::gang
