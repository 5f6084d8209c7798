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

/// How a summand of a recurrence grows from a window on: for every x >= 0, in a window that is longer
/// by x, it is larger by at least (x - slack) * work / period.
struct Growth {
  Time slack;
  std::int64_t work = 0, period = 1;
};

/// Every fixed point is beyond the window by at least this, if the right-hand side exceeds the
/// window by `lead` and its summands grow like this; `Time::max()` if there is none at all.
///
/// With s = slack and u = work / period, the least solution of the piecewise linear equation
///     x = lead + sum of max(0, x - s) u
/// is not beyond that of the recurrence. So a processor that is nearly full (1 - U = 10^-6) takes
/// one such step instead of a million plain ones, and for a full one the answer is "none".
/// @pre lead > 0.
Time sure_step(Time lead, std::vector<Growth>& growths);

/// This many plain steps come first: they are cheaper, and nearly always enough.
inline constexpr int kPatience = 1'000;

/// The least fixed point of a non-decreasing `f`, searched upwards from `start`. If that takes many
/// steps, `add_growths(window, growths)` says how the summands of f grow.
/// @pre start <= f(start), or f is 0 up to `start`.
template <typename F, typename AddGrowths>
FixedPoint least_fixed_point(Time start, Time deadline, F f, AddGrowths add_growths) {
  Time window = start;
  std::vector<Growth> growths;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Time value = f(window);
    if (value > deadline) return {FixedPoint::Outcome::kExceeded, value, window};
    if (value == window) return {FixedPoint::Outcome::kFound, value, window};
    if (step >= kPatience) {
      growths.clear();
      add_growths(window, growths);
      const Time sure = sure_step(value - window, growths);
      if (sure > deadline - window) {
        return {FixedPoint::Outcome::kExceeded, f(deadline), deadline};
      }
      window = std::max(value, window + sure);
    } else {
      window = value;
    }
  }
  return {FixedPoint::Outcome::kLimit, window, window};
}

/// Jobs of a task with `period` and `jitter` that matter in a window.
constexpr std::int64_t jobs_in(Time window, Time period, Time jitter) {
  const Time reach = window + jitter;
  // Most windows contain one job of most tasks: avoid the division then.
  return reach <= period && reach > Time() ? 1 : ceil_div(reach, period);
}

/// How `jobs_in` times `work` grows from this window on; the slack is the time to the next job.
constexpr Growth growth_of_jobs(Time window, Time period, Time jitter, Time work) {
  const std::int64_t into = (window + jitter).ns() % period.ns();
  return {into == 0 ? Time() : Time::from_ns(period.ns() - into), work.ns(), period.ns()};
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

  /// What `at(window)` is made of; zero terms are left out.
  std::vector<Term> terms(Time window) const;

 private:
  /// A job without work of its own still waits for its turn, but a window of length 0 contains no
  /// job to wait for, and so R = 0 would solve its recurrence: the search starts above it.
  Time start() const { return std::max(constants(), Time::from_ns(1)); }

  template <typename F>
  FixedPoint search(Time deadline, F f) const {
    return least_fixed_point(start(), deadline, f, [this](Time window, std::vector<Growth>& all) {
      for (const Periodic& p : periodic_) {
        all.push_back(growth_of_jobs(reach(window), p.demand.period, p.demand.jitter, p.each));
      }
    });
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
