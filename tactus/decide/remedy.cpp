#include "tactus/decide/remedy.hpp"

#include <algorithm>
#include <cstdlib>

namespace tactus::decide {
namespace {

std::int64_t size_of(const Reach& reach) {
  if (reach.now == 0) return INT64_MAX;
  const auto distance = static_cast<__int128>(std::abs(*reach.holds - reach.now));
  const __int128 permille = (distance * 1000 + reach.now - 1) / reach.now;
  return static_cast<std::int64_t>(std::min<__int128>(permille, INT64_MAX));
}

}  // namespace

std::vector<Remedy> remedies(const Advice& advice, std::size_t most) {
  constexpr std::size_t kNearest = 2;
  std::vector<Remedy> all;
  for (std::size_t k = 0; k < std::min(kNearest, advice.options.size()); ++k) {
    const Option& option = advice.options[k];
    Options options;
    options.variant = option.deployment.variant;
    Prober prober(*option.method, option.system, options);
    if (prober.proved()) continue;
    for (const Knob& knob : knobs_of(prober.system())) {
      if (knob.what == Knob::What::kAllTimes || knob.what == Knob::What::kUnits) continue;
      Reach reach = prober.reach(knob);
      if (!reach.holds) continue;
      const std::int64_t size = size_of(reach);
      const auto same = std::find_if(all.begin(), all.end(),
                                     [&](const Remedy& each) { return each.reach.knob == knob; });
      if (same == all.end()) {
        all.push_back({option.method, std::move(reach), option.system, size});
      } else if (size < same->permille) {
        *same = {option.method, std::move(reach), option.system, size};
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Remedy& a, const Remedy& b) { return a.permille < b.permille; });
  if (all.size() > most) all.erase(all.begin() + static_cast<std::ptrdiff_t>(most), all.end());
  return all;
}

std::optional<Advice> with_one_more(const System& system, const Wish& wish, ElementKind kind) {
  System larger = system;
  auto& elements = larger.platform.elements;
  const auto units = [&](const Element& element) {
    return element.kind == kind ? element.units : 0;
  };
  const auto largest =
      std::max_element(elements.begin(), elements.end(),
                       [&](const Element& a, const Element& b) { return units(a) < units(b); });
  if (largest == elements.end() || largest->kind != kind) return std::nullopt;
  const auto index = static_cast<ElementIndex>(largest - elements.begin());
  const bool fixed = !why_units_stay(system, index).empty();
  if (fixed && !(kind == ElementKind::kCpu && wish.open.cores)) return std::nullopt;
  ++largest->units;
  Advice advice = advise(larger, wish);
  return advice.found() ? std::optional(std::move(advice)) : std::nullopt;
}

}  // namespace tactus::decide
