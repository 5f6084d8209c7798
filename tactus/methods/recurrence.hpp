#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tactus/methods/verdict.hpp"
#include "tactus/model/time.hpp"

namespace tactus {

/// How the search for a fixed point ended.
struct FixedPoint {
  enum class Outcome {
    kFound,     ///< value = f(value), within the deadline
    kExceeded,  ///< value = f(window) is beyond the deadline, hence so is every fixed point
    kLimit,     ///< neither after so many steps
  };
  Outcome outcome = Outcome::kLimit;
  Time value;
  Time window;  ///< the last argument of f

  bool found() const { return outcome == Outcome::kFound; }
};

/// A thousand times more than any system in the literature needs; a file can need more (periods of
/// a nanosecond), and then the tool must not hang.
inline constexpr int kMaxSteps = 1'000'000;

/// The least fixed point of a non-decreasing `f`, searched upwards from `start`.
/// @pre start <= f(start), or f is 0 up to `start`.
template <typename F>
FixedPoint least_fixed_point(Time start, Time deadline, F f, int most_steps = kMaxSteps) {
  Time window = start;
  for (int step = 0; step < most_steps; ++step) {
    const Time value = f(window);
    if (value > deadline) return {FixedPoint::Outcome::kExceeded, value, window};
    if (value == window) return {FixedPoint::Outcome::kFound, value, window};
    window = value;
  }
  return {FixedPoint::Outcome::kLimit, window, window};
}

/// Jobs of a task with `period` and `jitter` that matter in a window.
constexpr std::int64_t jobs_in(Time window, Time period, Time jitter) {
  const Time reach = window + jitter;
  // Most windows contain one job of most tasks: avoid the division then.
  return reach <= period && reach > Time() ? 1 : ceil_div(reach, period);
}

/// A response-time recurrence R = constants + sum of ceil((R + J) / T) * d, built summand by
/// summand, solved, and split again into the terms of the bound.
///
///     Recurrence r;
///     r.add("own CPU work", c_i);
///     r.add_demand("CPU preemption", h, {.work = c_h, .period = t_h, .jitter = j_h});
///     FixedPoint response = r.solve(deadline);
///     std::vector<Term> why = r.terms(response.window);
class Recurrence {
 public:
  /// What each of the jobs in the window adds. `updates` (GPU runlist updates) and `leaving` (waits
  /// until others have left the GPU) are part of the demand but are shown separately.
  struct Demand {
    Time work;
    Time updates = {};
    Time leaving = {};
    Time period;
    Time jitter = {};
  };

  void clear();
  /// Also counts jobs that come exactly at the end of the window: for a job whose last piece has
  /// length 0 but must still be granted.
  void close_window() { closing_ = Time::from_ns(1); }
  /// Up to where jobs count in a window of this length, as the end of a half-open interval.
  Time reach(Time window) const { return window + closing_; }
  /// A summand that does not depend on R.
  void add(std::string_view label, Time amount, TaskIndex by = Term::kNoTask);
  void add_updates(Time amount) { updates_ += amount; }
  /// `label` (static text) is the name of the term that contains all of `leaving`.
  void add_leaving(std::string_view label, Time amount) {
    leaving_label_ = label;
    leaving_ += amount;
  }
  void add_demand(std::string_view label, TaskIndex by, const Demand& demand);

  Time constants() const { return constant_ + updates_ + leaving_; }
  /// The right-hand side at R = window.
  Time at(Time window) const {
    Time sum = constants();
    for (const Periodic& p : periodic_) {
      sum += jobs_in(reach(window), p.demand.period, p.demand.jitter) * p.each;
    }
    return sum;
  }
  FixedPoint solve(Time deadline) const {
    return search(deadline, [this](Time window) { return at(window); });
  }
  /// With summands that depend on R in another way; they are told `reach(R)`. @pre they are not
  /// negative.
  template <typename Extra>
  FixedPoint solve(Time deadline, Extra extra) const {
    return search(deadline, [&](Time window) { return at(window) + extra(reach(window)); });
  }

  /// Is the right-hand side beyond R for every R > 0, so that there is no fixed point at all?
  /// With U = the sum of each / period it is at least constants + U R + the sum of
  /// J / period * each: so it is where U > 1, and where U = 1 and anything else is added. Exact;
  /// only with very many different periods it may say no although the answer is yes.
  bool diverges() const;

  /// What `at(window)` is made of; zero terms are left out.
  std::vector<Term> terms(Time window) const;

 private:
  /// A job without work of its own still waits for its turn, but a window of length 0 contains no
  /// job to wait for, and so R = 0 would solve its recurrence: the search starts above it.
  Time start() const { return std::max(constants(), Time::from_ns(1)); }

  /// On a full processor the window grows towards the deadline in very many steps: after many
  /// steps, first check whether there is a fixed point at all.
  template <typename F>
  FixedPoint search(Time deadline, F f) const {
    constexpr int kPatience = 1'000;
    const FixedPoint soon = least_fixed_point(start(), deadline, f, kPatience);
    if (soon.outcome != FixedPoint::Outcome::kLimit) return soon;
    if (diverges()) return {FixedPoint::Outcome::kExceeded, f(deadline), deadline};
    return least_fixed_point(soon.window, deadline, f, kMaxSteps - kPatience);
  }

  struct Constant {
    std::string_view label;
    TaskIndex by;
    Time amount;
  };
  struct Periodic {
    std::string_view label;
    TaskIndex by;
    Demand demand;
    Time each;
  };
  std::vector<Constant> constants_;
  std::vector<Periodic> periodic_;
  Time constant_, updates_, leaving_;
  std::string_view leaving_label_;
  Time closing_;
};

}  // namespace tactus
