#include "tactus/decide/reach.hpp"

#include <algorithm>

#include "tactus/methods/many.hpp"

namespace tactus::decide {
namespace {

Options quiet(Options options) {
  options.plan = false;
  options.terms = false;
  options.progress = {};
  return options;
}

/// Halfway between, or nothing where there is no value left between them.
std::optional<std::int64_t> between(std::int64_t a, std::int64_t b) {
  const std::int64_t low = std::min(a, b), high = std::max(a, b);
  return high - low < 2 ? std::nullopt : std::optional(low + (high - low) / 2);
}

}  // namespace

Breaks breaks_of(const Verdict& verdict) {
  Breaks breaks{.status = verdict.status, .task = {}, .reason = verdict.reason};
  // Of the tasks that fail, the one that does so by itself: its terms say all. The next ones fail on
  // a condition, or have nothing but a note.
  const auto blame = [&](auto fails_so) {
    const auto found =
        std::find_if(verdict.tasks.begin(), verdict.tasks.end(),
                     [&](const TaskVerdict& task) { return !task.schedulable && fails_so(task); });
    if (!breaks.task && found != verdict.tasks.end()) breaks.task = found->task;
  };
  blame([](const TaskVerdict& task) { return !task.terms.empty() && task.note.empty(); });
  blame([](const TaskVerdict& task) { return !task.terms.empty() && !task.conditional_bound; });
  blame([](const TaskVerdict& task) { return !task.conditional_bound; });
  if (breaks.task) return breaks;
  if (!verdict.missed.empty()) breaks.task = verdict.missed.front().task;
  if (breaks.task || verdict.status != Status::kUnschedulable) return breaks;
  for (const ChainVerdict& chain : verdict.chains) {
    if (!chain.holds && !breaks.chain) breaks.chain = chain.chain;
  }
  return breaks;
}

Prober::Prober(const Method& method, const System& system, Options options)
    : method_(method),
      system_(with_fixed_priorities(system)),
      changed_(system_),
      options_(quiet(std::move(options))),
      verdict_(analyze(method, system_, options_)) {}

bool Prober::holds(const Knob& knob, std::int64_t value) {
  ++analyses_;
  turn(changed_, knob, value);
  const bool proved = status_of(method_, changed_, options_) == Status::kSchedulable;
  turn_back(changed_, system_, knob);
  return proved;
}

Breaks Prober::breaks(const Knob& knob, std::int64_t value) {
  Options all = options_;
  all.terms = true;
  all.stop = {};
  return breaks_of(analyze(method_, turned(system_, knob, value), all));
}

/// By halves: exact, because every value between one that holds and one that does not is decided by
/// those beside it.
Reach Prober::reach_exact(const Knob& knob, Reach reach, std::int64_t far) {
  // `holds` and `fails` of the reach are set at one end; the other end is tried now.
  const bool at_far = holds(knob, far);
  if (reach.needs_change) {
    if (!at_far) return reach;
    reach.holds = far;
  } else {
    if (at_far) {
      reach.holds = far;
      return reach;
    }
    reach.fails = far;
  }
  while (const auto middle = between(*reach.holds, *reach.fails)) {
    if (stopped()) break;
    (holds(knob, *middle) ? reach.holds : reach.fails) = *middle;
  }
  return reach;
}

/// In growing steps away from the file's value, then by halves: the two values it ends with were
/// both tried, and nothing is said of others.
Reach Prober::reach_tried(const Knob& knob, Reach reach, std::int64_t far) {
  const std::int64_t distance = far > reach.now ? far - reach.now : reach.now - far;
  const std::int64_t way = far > reach.now ? 1 : -1;
  std::int64_t step = std::max<std::int64_t>(1, std::min(distance, std::abs(reach.now)) / 64);
  for (std::int64_t gone = 0; gone < distance && !stopped(); step *= 2) {
    gone = step > distance - gone ? distance : gone + step;
    const std::int64_t value = reach.now + way * gone;
    const bool good = holds(knob, value);
    (good ? reach.holds : reach.fails) = value;
    if (good == reach.needs_change) break;
  }
  if (!reach.holds || !reach.fails) return reach;
  constexpr int kHalvings = 10;
  for (int k = 0; k < kHalvings && !stopped(); ++k) {
    const auto middle = between(*reach.holds, *reach.fails);
    if (!middle) break;
    (holds(knob, *middle) ? reach.holds : reach.fails) = *middle;
  }
  return reach;
}

Reach Prober::reach(const Knob& knob) {
  Reach reach;
  reach.knob = knob;
  reach.now = value_of(knob, system_);
  reach.needs_change = !proved();
  (proved() ? reach.holds : reach.fails) = reach.now;
  const Range range = range_of(knob, system_);
  const std::int64_t far = proved() ? range.hardest : range.easiest;
  const bool applies = verdict_.status != Status::kNotApplicable;
  if (far != reach.now && applies) {
    // Units are few: each is tried, and monotony is not needed.
    const bool each = knob.what == Knob::What::kUnits;
    const bool monotone = is_monotone(knob, method_, verdict_);
    if (each && !monotone) {
      const std::int64_t way = far > reach.now ? 1 : -1;
      for (std::int64_t value = reach.now; value != far && !stopped();) {
        value += way;
        const bool good = holds(knob, value);
        (good ? reach.holds : reach.fails) = value;
        if (good == reach.needs_change) break;
      }
    } else {
      reach = monotone ? reach_exact(knob, reach, far) : reach_tried(knob, reach, far);
    }
    reach.exact = (each || monotone) && !stopped();
  }
  reach.stopped = stopped();
  if (reach.fails) reach.breaks = breaks(knob, *reach.fails);
  return reach;
}

}  // namespace tactus::decide
