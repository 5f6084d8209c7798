#include "tactus/methods/rtgpu/response.hpp"

#include <algorithm>

#include "tactus/methods/terms.hpp"

namespace tactus::rtgpu {

void Users::reserve(std::size_t count) {
  workloads.reserve(count);
  ranks.reserve(count);
  tasks.reserve(count);
}

void Users::add(std::size_t rank, TaskIndex task, Workload workload) {
  workloads.push_back(std::move(workload));
  ranks.push_back(rank);
  tasks.push_back(task);
}

std::size_t Users::above(std::size_t rank) const {
  return static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) -
                                  ranks.begin());
}

void Users::cut(std::size_t rank) {
  const auto kept = static_cast<std::ptrdiff_t>(above(rank));
  workloads.erase(workloads.begin() + kept, workloads.end());
  ranks.erase(ranks.begin() + kept, ranks.end());
  tasks.erase(tasks.begin() + kept, tasks.end());
}

namespace {

/// constant + sum over hp W(t). `works` gets the single W(t), where it is not empty.
Demand demand_of(Time constant, std::span<const Workload> higher, Time t,
                 std::span<Time> works = {}) {
  Demand demand{constant, t};
  for (std::size_t h = 0; h < higher.size(); ++h) {
    const Workload::Reach reach = higher[h].furthest(t);
    demand.value += reach.work;
    demand.growing_until = std::max(demand.growing_until, reach.busy_until);
    if (!works.empty()) works[h] = reach.work;
  }
  return demand;
}

void add_growths(std::span<const Workload> higher, Time t, std::vector<Growth>& growths) {
  for (const Workload& workload : higher) growths.push_back(workload.growth(t, workload.at(t)));
}

}  // namespace

ResponseTest::ResponseTest(std::span<const Piece> chain, Time deadline,
                           std::vector<Contention> contentions)
    : deadline_(deadline), segment_bounds_(chain.size(), Time()) {
  uses_.reserve(contentions.size());
  for (Contention& contention : contentions) {
    Use use;
    use.with = std::move(contention);
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (chain[i].on != use.with.resource || chain[i].upper == Time()) continue;
      use.pieces.push_back({i, chain[i].upper});
      use.own += chain[i].upper;
      use.blocking += use.with.blocking;
    }
    if (!use.pieces.empty()) uses_.push_back(std::move(use));
  }
}

void ResponseTest::bound_segments() {
  for (Use& use : uses_) bound_segments(use);
}

void ResponseTest::bound_segments(Use& use) {
  std::sort(use.pieces.begin(), use.pieces.end(),
            [](const Use::Own& a, const Use::Own& b) { return a.upper < b.upper; });
  use.by_segments = Time();
  use.interference.resize(use.with.higher.size());
  std::vector<Time> works(use.with.higher.size());  // at the last window looked at
  // A piece that is longer by d has a fixed point at least d later: start there. If a piece has
  // none before the deadline, no longer piece has one.
  Time previous, previous_upper;
  for (const auto& [piece, upper] : use.pieces) {
    segment_bounds_[piece].reset();
    if (!use.by_segments) continue;
    const Time constant = upper + use.with.blocking;
    const auto found = least_fixed_point_by_jumps(
        std::max(constant, previous + (upper - previous_upper)), deadline_,
        [&](Time t) { return demand_of(constant, use.with.higher, t, works); },
        [&](Time t, Time lead) {
          std::vector<Growth> growths;
          add_growths(use.with.higher, t, growths);
          return sure_step(lead, growths);
        });
    segment_bounds_[piece] = found;
    if (!found) {
      use.by_segments.reset();
      continue;
    }
    *use.by_segments += *found;
    for (std::size_t h = 0; h < works.size(); ++h) use.interference[h] += works[h];
    previous = *found;
    previous_upper = upper;
  }
}

Demand ResponseTest::demand_at(Time private_time, BusWindow window, Time t) const {
  Demand total{private_time, t};
  for (const Use& use : uses_) {
    const Time constant = use.own + use.blocking;
    if (!use.joint(window) || (use.by_segments && *use.by_segments <= constant)) {
      total.value += *use.by_segments;
      continue;
    }
    const Demand joint = demand_of(constant, use.with.higher, t);
    if (!use.by_segments) {
      total.value += joint.value;
      total.growing_until = std::max(total.growing_until, joint.growing_until);
    } else if (joint.value < *use.by_segments) {
      total.value += joint.value;
      // The minimum stops growing when it meets the other side.
      const Time capped = std::min(joint.growing_until, t + (*use.by_segments - joint.value));
      total.growing_until = std::max(total.growing_until, capped);
    } else {
      total.value += *use.by_segments;
    }
  }
  return total;
}

std::optional<Time> ResponseTest::bound(Time private_time, BusWindow window, Time start) const {
  Time constant = private_time;
  for (const Use& use : uses_) {
    if (use.joint(window)) {
      constant += use.own + use.blocking;
    } else if (use.by_segments) {
      constant += *use.by_segments;
    } else {
      return std::nullopt;  // an infinite MR decides, unless the whole job may be bounded at once
    }
  }
  return least_fixed_point_by_jumps(
      std::max(start, constant), deadline_,
      [&](Time t) { return demand_at(private_time, window, t); },
      [&](Time t, Time lead) { return sure(window, t, lead); });
}

/// A joint demand grows until it meets the other side of its minimum, which is no sooner than its
/// fastest growth can take it there.
Time ResponseTest::sure(BusWindow window, Time t, Time lead) const {
  std::vector<Growth> growths;
  Time other_side = Time::max();
  for (const Use& use : uses_) {
    if (!use.joint(window)) continue;
    const std::size_t first = growths.size();
    add_growths(use.with.higher, t, growths);
    if (!use.by_segments) continue;
    const Time joint = demand_of(use.own + use.blocking, use.with.higher, t).value;
    if (joint >= *use.by_segments) {
      growths.resize(first);
      continue;
    }
    double rate = 0;
    for (std::size_t h = first; h < growths.size(); ++h) {
      rate += static_cast<double>(growths[h].work) / static_cast<double>(growths[h].period);
    }
    const double room = static_cast<double>((*use.by_segments - joint).ns());
    // Rounded down by far more than the doubles are off.
    if (room < 0.99 * rate * static_cast<double>(Time::max().ns())) {
      other_side =
          std::min(other_side, Time::from_ns(static_cast<std::int64_t>(0.99 * room / rate)));
    }
  }
  return std::min(sure_step(lead, growths), other_side);
}

bool ResponseTest::takes_joint(const Use& use, BusWindow window, Time t) const {
  if (!use.joint(window)) return false;
  return !use.by_segments ||
         demand_of(use.own + use.blocking, use.with.higher, t).value < *use.by_segments;
}

std::vector<Term> ResponseTest::terms(Time private_time, BusWindow window,
                                      std::optional<Time> bound) const {
  std::vector<Term> all;
  std::size_t most = 1;
  for (const Use& use : uses_) most += 2 + use.with.higher.size();
  all.reserve(most);
  const auto add = [&](std::string_view label, TaskIndex by, Time amount, std::string_view how) {
    if (amount != Time()) all.push_back({.label = label, .by = by, .amount = amount, .how = how});
  };
  const Time t = bound.value_or(deadline_);
  add("own GPU work", Term::kNoTask, private_time, "its kernels on its own SMs");
  for (const Use& use : uses_) {
    add(use.with.labels->own, Term::kNoTask, use.own, "its pieces there");
    add(use.with.labels->blocking, Term::kNoTask, use.blocking,
        "the longest less urgent piece, once per own piece");
    const bool joint = takes_joint(use, window, t);
    for (std::size_t h = 0; h < use.with.higher.size(); ++h) {
      Time interference = joint ? use.with.higher[h].at(t) : use.interference[h];
      if (!joint && !use.by_segments) {
        const Time in_deadline = use.with.higher[h].at(deadline_);
        for (const Use::Own& own : use.pieces) {
          if (!segment_bounds_[own.piece]) interference += in_deadline;
        }
      }
      add(use.with.labels->interference, use.with.higher_tasks[h], interference,
          joint ? "its pieces in a window of length R"
                : "its pieces, window by window per own piece");
    }
  }
  return readable_terms(std::move(all));
}

}  // namespace tactus::rtgpu
