#include "tactus/decide/remedy.hpp"

#include <algorithm>
#include <cstdlib>

namespace tactus::decide {
namespace {

std::int64_t distance(std::int64_t a, std::int64_t b) { return a < b ? b - a : a - b; }

/// In permille of the file's value, rounded up.
std::int64_t size_of(std::int64_t now, std::int64_t value) {
  if (now == 0) return INT64_MAX;
  const __int128 permille = (static_cast<__int128>(distance(now, value)) * 1000 + now - 1) / now;
  return static_cast<std::int64_t>(std::min<__int128>(permille, INT64_MAX));
}

/// A system, run as another one that differs from it in values: the same cores and priorities.
System run_like(System system, const System& chosen) {
  for (ElementIndex e = 0; e < system.platform.elements.size(); ++e) {
    system.platform.elements[e].arbiter_core = chosen.platform.elements[e].arbiter_core;
  }
  for (TaskIndex t = 0; t < system.tasks.size(); ++t) {
    Task& task = system.tasks[t];
    const Task& like = chosen.tasks[t];
    task.core = like.core;
    task.priority = like.priority;
    task.gpu_priority = like.gpu_priority;
    for (NodeIndex n = 0; n < task.nodes.size(); ++n) {
      task.nodes[n].gpu_threshold = like.nodes[n].gpu_threshold;
    }
  }
  system.deploy = chosen.deploy;
  return system;
}

/// One value of the file that could be another.
struct Place {
  Knob knob;
  std::int64_t now = 0;
  std::optional<std::int64_t> nearest;  ///< value at which some way that is known would do
  std::optional<Remedy> found;          ///< at which the search finds a way
  bool searched = false;

  std::int64_t size() const { return nearest ? size_of(now, *nearest) : INT64_MAX; }
};

/// Looks at the values one by one, nearest first. What is learnt of one helps the others.
class RemedySearch {
 public:
  RemedySearch(const System& system, const Wish& wish, const Advice& advice)
      : system_(system), wish_(wish) {
    wish_.goal = Goal::kFactor;
    wish_.sms = false;
    for (const Knob& knob : knobs_of(with_fixed_priorities(system))) {
      if (knob.what == Knob::What::kAllTimes || knob.what == Knob::What::kUnits) continue;
      const std::int64_t now = value_of(knob, system);
      if (range_of(knob, system).easiest != now) places_.push_back({knob, now, {}, {}});
    }
    for (const Option& option : advice.options) learn(option);
  }

  Remedies run(std::size_t most) {
    Remedies found;
    std::vector<Remedy>& all = found.smallest;
    while (Place* place = next(most)) {
      found.cut_short = over();
      if (found.cut_short) break;
      search(*place);
    }
    for (Place& place : places_) {
      if (place.found) all.push_back(std::move(*place.found));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Remedy& a, const Remedy& b) { return a.permille < b.permille; });
    if (all.size() > most) all.erase(all.begin() + static_cast<std::ptrdiff_t>(most), all.end());
    return found;
  }

 private:
  static constexpr int kSearches = 40;       ///< at most, of all values
  static constexpr int kSearchesOfEach = 8;  ///< of one value

  bool over() const { return searches_ >= kSearches || wish_.stop.stop_requested(); }

  /// The nearest value that was not searched yet, if it can be among the smallest.
  Place* next(std::size_t most) {
    Place* nearest = nullptr;
    for (Place& place : places_) {
      if (place.searched || (nearest != nullptr && nearest->size() <= place.size())) continue;
      nearest = &place;
    }
    if (nearest == nullptr) return nullptr;
    const auto smaller = std::count_if(places_.begin(), places_.end(), [&](const Place& place) {
      return place.found && place.found->permille <= nearest->size();
    });
    return static_cast<std::size_t>(smaller) < most ? nearest : nullptr;
  }

  /// How near to the file each value may stay if it is run in this way.
  void learn(const Option& option) {
    Options options;
    options.variant = option.deployment.variant;
    options.stop = wish_.stop;
    Prober prober(*option.method, run_like(system_, option.system), options);
    if (prober.proved()) return;
    for (Place& place : places_) {
      const Reach reach = prober.reach(place.knob);
      if (!reach.holds || size_of(place.now, *reach.holds) >= place.size()) continue;
      place.nearest = *reach.holds;
    }
  }

  /// The value nearest to the file's at which the search finds a way. What was learnt is most often
  /// the very one, so steps from there are small first.
  void search(Place& place) {
    place.searched = true;
    const std::int64_t easiest = range_of(place.knob, system_).easiest;
    const std::int64_t least_step =
        std::max<std::int64_t>(1, checked::mul(place.now / 1000, kNearEnough));
    std::int64_t fails = place.now, stride = least_step;
    std::int64_t value = place.nearest.value_or(easiest);
    const bool guessed = place.nearest.has_value();
    for (int k = 0; k < kSearchesOfEach && !over(); ++k) {
      const bool found = tried(place, value);
      if (!found && value == easiest) return;
      if (!found) fails = value;
      const std::int64_t easy = place.found ? *place.found->reach.holds : easiest;
      const std::int64_t gap = distance(easy, fails);
      if (place.found && gap <= least_step) return;
      const bool learnt = place.found && place.nearest &&
                          distance(*place.nearest, place.now) > distance(fails, place.now) &&
                          distance(*place.nearest, fails) < gap / 2;
      const bool gallops = guessed && place.found && fails == place.now;
      const std::int64_t step = gallops ? std::min(stride, gap / 2) : gap / 2;
      if (gallops) stride *= 2;
      value = learnt ? *place.nearest : easy < fails ? easy + step : easy - step;
      if (value == easy) return;
    }
    // That it does at the end of what makes sense is no answer yet.
    if (place.found && *place.found->reach.holds == easiest && !guessed) place.found.reset();
  }

  bool tried(Place& place, std::int64_t value) {
    ++searches_;
    const Advice advice = advise(turned(system_, place.knob, value), wish_);
    if (!advice.found()) return false;
    const Option& best = advice.options.front();
    Reach reach;
    reach.knob = place.knob;
    reach.now = place.now;
    reach.holds = value;
    reach.fails = place.now;
    reach.needs_change = true;
    place.found = Remedy{best.method, std::move(reach), run_like(system_, best.system),
                         size_of(place.now, value)};
    for (const Option& option : advice.options) {
      if (option.proved()) learn(option);
    }
    return true;
  }

  const System& system_;
  Wish wish_;
  std::vector<Place> places_;
  int searches_ = 0;
};

}  // namespace

Remedies remedies(const System& system, const Wish& wish, const Advice& advice, std::size_t most) {
  return RemedySearch(system, wish, advice).run(most);
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
