#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/methods/verdict.hpp"

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
  // Most windows hold one job of most tasks, or two where the jitter is long: spare them the
  // division.
  if (reach > Time()) {
    if (reach <= period) return 1;
    if (reach - period <= period) return 2;
  }
  return ceil_div(reach, period);
}

/// How `jobs_in` times `work` grows from this window on; the slack is the time to the next job.
constexpr Growth growth_of_jobs(Time window, Time period, Time jitter, Time work) {
  const std::int64_t into = (window + jitter).ns() % period.ns();
  return {into == 0 ? Time() : Time::from_ns(period.ns() - into), work.ns(), period.ns()};
}

/// `jobs_in` of windows that only grow: they are counted anew when there is another one, and not in
/// every step of a search.
class RisingJobs {
 public:
  static constexpr std::int64_t kNoCap = INT64_MAX;

  /// @param most nobody counts more of them
  RisingJobs(Time period, Time jitter, std::int64_t most = kNoCap)
      : period_(period), jitter_(jitter), most_(most) {}

  Time period() const { return period_; }
  Time jitter() const { return jitter_; }
  std::int64_t count() const { return count_; }
  /// Back to a window that holds none.
  void restart() {
    count_ = 0;
    until_ = -1;
  }
  /// Is the next window beyond the last job that is counted?
  bool rises(Time window) const { return window.ns() > until_; }
  /// @pre rises(window)
  void rise(Time window) {
    count_ = jobs_in(window, period_, jitter_);
    until_ = INT64_MAX;
    if (count_ >= most_) {
      count_ = most_;
    } else if (std::int64_t end = 0;
               !__builtin_mul_overflow(count_, period_.ns(), &end)) {  // else never: 292 years
      until_ = end - jitter_.ns();
    }
  }

 private:
  Time period_, jitter_;
  std::int64_t most_, count_ = 0;
  std::int64_t until_ = -1;  ///< up to this window there are `count_`
};

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
  /// @param for_terms false: `terms` will not be asked for, and nothing is kept for them
  explicit Recurrence(bool for_terms = true) : for_terms_(for_terms) {}

  /// What each of the jobs in the window adds. `updates` (GPU runlist updates) and `leaving` (waits
  /// until others have left the GPU) are part of the demand but are shown separately.
  struct Demand {
    Time work;
    Time updates = {};
    Time leaving = {};
    Time period;
    Time jitter = {};
  };

  void clear() {
    constants_.clear();
    summands_.clear();
    shown_.clear();
    constant_ = closing_ = own_updates_.amount = own_leaving_.amount = Time();
  }
  /// Begins anew; memory is used again.
  void restart(bool for_terms) {
    for_terms_ = for_terms;
    clear();
  }
  /// Also counts jobs that come exactly at the end of the window: for a job whose last piece has
  /// length 0 but must still be granted.
  void close_window() { closing_ = Time::from_ns(1); }
  /// Up to where jobs count in a window of this length, as the end of a half-open interval.
  Time reach(Time window) const { return window + closing_; }
  /// A summand that does not depend on R. `how` says in words what it is (`Term::how`).
  void add(std::string_view label, Time amount, std::string_view how = {}) {
    if (for_terms_) constants_.push_back({.label = label, .amount = amount, .how = how});
    constant_ += amount;
  }
  /// The same, of `count` equal parts.
  void add(std::string_view label, std::int64_t count, Time each, std::string_view how) {
    const Time amount = count * each;
    if (for_terms_)
      constants_.push_back(
          {.label = label, .amount = amount, .jobs = count, .each = each, .how = how});
    constant_ += amount;
  }
  /// The task's own runlist updates, and waits until others have left.
  void add_updates(std::int64_t count, Time each) { set(own_updates_, count, each); }
  /// `label` (static text) is the name of the term that contains all of `leaving`.
  void add_leaving(std::string_view label, std::int64_t count, Time each) {
    own_leaving_.label = label;
    set(own_leaving_, count, each);
  }
  void add_demand(std::string_view label, TaskIndex by, const Demand& demand) {
    const Time each = demand.work + demand.updates + demand.leaving;
    if (each == Time()) return;
    summands_.push_back({RisingJobs(demand.period, clamp_at_zero(demand.jitter)), each});
    if (for_terms_) shown_.push_back({label, by, demand});
  }

  Time constants() const { return constant_ + own_updates_.amount + own_leaving_.amount; }
  FixedPoint solve(Time deadline) {
    return search(deadline, [](Time) { return Time(); });
  }
  /// With summands that depend on R in another way; they are told `reach(R)`, which only grows.
  /// @pre they are not negative.
  template <typename Extra>
  FixedPoint solve(Time deadline, Extra extra) {
    return search(deadline, extra);
  }

  /// Are the runlist updates of all tasks one term, or one per task that causes them?
  enum class Updates { kTogether, kApart };

  /// What the right-hand side at R = window is made of; zero terms are left out. @pre for_terms
  std::vector<Term> terms(Time window, Updates updates = Updates::kTogether) const;

 private:
  static void set(Term& term, std::int64_t count, Time each) {
    term.amount = count * each;
    term.jobs = count;
    term.each = each;
  }

  /// A summand ceil((R + J) / T) * each: what a search needs of it,
  struct Summand {
    RisingJobs jobs;
    Time each;
  };
  /// and what a term shows.
  struct Shown {
    std::string_view label;
    TaskIndex by;
    Demand demand;
  };

  /// A job without work of its own still waits for its turn, but a window of length 0 holds nobody
  /// to wait for, and so R = 0 would solve its recurrence: the search starts above it.
  Time start() const { return std::max(constants(), Time::from_ns(1)); }

  template <typename Extra>
  FixedPoint search(Time deadline, Extra extra) {
    Time sum = constants();
    for (Summand& s : summands_) s.jobs.restart();
    // The right-hand side at windows that only grow.
    const auto at = [&](Time window) {
      const Time end = reach(window);
      for (Summand& s : summands_) {
        if (!s.jobs.rises(end)) continue;
        const std::int64_t before = s.jobs.count();
        s.jobs.rise(end);
        sum += (s.jobs.count() - before) * s.each;
      }
      return sum + extra(end);
    };
    return least_fixed_point(start(), deadline, at, [&](Time window, std::vector<Growth>& all) {
      for (const Summand& s : summands_) {
        all.push_back(growth_of_jobs(reach(window), s.jobs.period(), s.jobs.jitter(), s.each));
      }
    });
  }

  bool for_terms_;
  std::vector<Term> constants_;
  std::vector<Summand> summands_;
  std::vector<Shown> shown_;  ///< of the same summands
  Time constant_;
  Term own_updates_{.label = "runlist updates",
                    .how = "at the beginning and the end of each own GPU segment"};
  Term own_leaving_{.label = "", .how = "until others have left, before its GPU segments"};
  Time closing_;
};

}  // namespace tactus
