#include "tactus/methods/gang/bound/idle.hpp"

#include <algorithm>

namespace tactus::gang {
namespace {

/// Eq. 3: M - min{ s in S_i : M - m_i < s <= M }. Where no total lies in that window, node i is
/// never blocked, and Delta_i = 0.
std::int64_t idle_behind(bits::ConstRow totals, std::int64_t grain, std::int64_t pool,
                         std::int64_t width) {
  const std::int64_t least = (pool - width) / grain + 1, most = pool / grain;
  const std::size_t found = bits::first(totals, static_cast<std::size_t>(least));
  if (found == bits::kNone || found > static_cast<std::size_t>(most)) return 0;
  return pool - static_cast<std::int64_t>(found) * grain;
}

}  // namespace

std::vector<std::int64_t> idle_processors(const ElementLoad& load, const Totals& totals,
                                          std::int64_t pool, Scheduler scheduler) {
  std::vector<std::int64_t> wc(load.nodes.size());
  for (std::size_t i = 0; i < wc.size(); ++i) {
    wc[i] = idle_behind(totals.sets[i], totals.grain, pool, load.width[i]);
  }
  if (scheduler == Scheduler::kWorkConserving) return wc;
  // Eq. 5: all nodes that may hold node i back, including i itself. Example 6 of the paper leaves
  // the node itself out, which is unsafe (docs/use/methods/gang.md has the counterexample).
  std::vector<std::int64_t> swc = wc;
  for (std::size_t i = 0; i < wc.size(); ++i) {
    bits::for_each(load.interferers[i], [&](std::size_t k) { swc[i] = std::max(swc[i], wc[k]); });
  }
  return swc;
}

}  // namespace tactus::gang
