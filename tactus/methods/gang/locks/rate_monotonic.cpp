#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/locks/lock_bounds.hpp"
#include "tactus/methods/recurrence.hpp"
#include "tactus/methods/releases.hpp"
#include "tactus/model/paths.hpp"

namespace tactus::gang {
namespace {

/// W_i(x), the most that a DAG of higher priority executes in a window of length x.
Fraction carried_in(const LockedDags& locked, std::size_t i, const Fraction& response,
                    const Fraction& window) {
  const Fraction m(static_cast<long>(locked.view.cpus));
  const Fraction volume = locked.dags[i].to_time(locked.dags[i].volume);
  const Fraction period = to_fraction(locked.view.dags[i].period);
  const Fraction y = window + response - volume / m;
  if (y <= 0) return 0;
  const Fraction jobs = y / period;
  const mpz_class whole = jobs.get_num() / jobs.get_den();
  return whole * volume + std::min<Fraction>(volume, m * (y - whole * period));
}

/// Up to where a job of that DAG uses all cores, if it does at the end of the window: so long W_i / m
/// grows as fast as the window.
Fraction busy_for(const LockedDags& locked, std::size_t i, const Fraction& response,
                  const Fraction& window) {
  const Fraction m(static_cast<long>(locked.view.cpus));
  const Fraction each = locked.dags[i].to_time(locked.dags[i].volume) / m;
  const Fraction period = to_fraction(locked.view.dags[i].period);
  const Fraction y = window + response - each;
  if (y < 0) return 0;
  const Fraction jobs = y / period;
  const mpz_class whole = jobs.get_num() / jobs.get_den();
  const Fraction left = each - (y - whole * period);
  return left > 0 ? left : Fraction(0);
}

/// How W_i / m grows from the window on: W_i never falls below the share vol / T of y, since the
/// volume of a job fits into its period.
Growth growth_of(const LockedDags& locked, std::size_t i, const Fraction& response,
                 const Fraction& window, const Fraction& carried) {
  const Fraction m(static_cast<long>(locked.view.cpus));
  const Fraction volume = locked.dags[i].to_time(locked.dags[i].volume);
  const Fraction period = to_fraction(locked.view.dags[i].period);
  if (volume == 0) return {};
  Fraction rate = volume / (m * period);
  const Fraction covered = carried / volume * period;  // y up to where the line stays below W_i
  const Fraction slack = covered - (window + response - volume / m);
  mpz_class work = rate.get_num(), per = rate.get_den();
  const std::size_t bits =
      std::max(mpz_sizeinbase(work.get_mpz_t(), 2), mpz_sizeinbase(per.get_mpz_t(), 2));
  if (bits > 62) {  // rounded down
    work >>= bits - 62;
    per = (per >> (bits - 62)) + 1;
  }
  const Time known = slack > 0 ? round_up(slack) : Time();
  return {known, work.get_si(), per.get_si()};
}

/// The bounds of one DAG after the other, the most urgent first.
class RateMonotonic {
 public:
  RateMonotonic(const LockedDags& locked, const std::vector<Reachability>& orders)
      : locked_(locked),
        orders_(orders),
        m_(static_cast<long>(locked.view.cpus)),
        order_(locked.view.dags.size()),
        response_(locked.view.dags.size()),
        jitter_(locked.view.dags.size()) {
    const auto& dags = locked.view.dags;
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return dags[a].period < dags[b].period; });
    for (std::size_t k = 0; k < dags.size(); ++k) jitter_[k] = locked.task(k).jitter;
  }

  /// Where tasks start tasks, again and again until their jitters are what the bounds say.
  void run(LockedBounds& bounds) {
    const LockedBounds before = bounds;
    for (int round = 0;; ++round) {
      if (round == kMaxSteps)
        throw LimitReached("the bounds of tasks that start others still change");
      bounds = before;
      run_once(bounds);
      if (!follow(bounds)) return;
    }
  }

 private:
  void run_once(LockedBounds& bounds) {
    for (std::size_t rank = 0; rank < order_.size(); ++rank) {
      const std::size_t k = order_[rank];
      TaskVerdict& task = bounds.tasks[k];
      if (!bounds.feasible && !locked_.explained) {
        task.note = "not reached: its bound would need one that failed";
        continue;
      }
      const HeBound own =
          prioritised_bound(locked_.dags[k], orders_[k], locked_.view.cpus, locked_.stop);
      const Fraction r = response_of(rank, own);
      const bool found = r <= limit(k);
      // Of a DAG above it, a bound uses only that none of its jobs takes longer than this. So where
      // one fails, its deadline can stand in, on the condition that it is met.
      response_[k] = (found ? r : limit(k)) + to_fraction(jitter_[k]);
      if (found && bounds.feasible) {
        set_bound(task, locked_, k, own, r, preemptions(rank, r), jitter_[k]);
      } else if (found) {
        task.conditional_bound = round_up(r) + jitter_[k];
        task.terms = lock_terms(locked_, k, own, preemptions(rank, r));
        if (jitter_[k] > Time()) task.terms.push_back(jitter_term(jitter_[k]));
        task.note = "only if the more urgent tasks without a bound meet their deadlines";
      } else {
        fail(rank, own, bounds);
      }
    }
  }

  Fraction limit(std::size_t k) const { return locked_.limit(k, jitter_[k]); }

  /// The jitters of tasks that others start, from the bounds of these. False: they are as before, and
  /// whoever waits for a task without a bound, and every task after it, has none either.
  bool follow(LockedBounds& bounds) {
    const auto& dags = locked_.view.dags;
    std::vector<std::size_t> dag_of(locked_.system.tasks.size(), dags.size());
    std::vector<std::size_t> rank_of(dags.size());
    for (std::size_t k = 0; k < dags.size(); ++k) dag_of[dags[k].task] = k;
    for (std::size_t rank = 0; rank < order_.size(); ++rank) rank_of[order_[rank]] = rank;
    std::size_t kept = order_.size();
    for (std::size_t rank = order_.size(); rank-- > 0;) {
      if (!bounds.tasks[order_[rank]].schedulable) kept = rank;
    }
    bool changed = true;
    while (std::exchange(changed, false)) {
      for (std::size_t rank = 0; rank < kept; ++rank) {
        const auto& after = locked_.task(order_[rank]).after;
        if (!after || rank_of[dag_of[*after]] < kept) continue;
        kept = rank;
        changed = true;
      }
    }
    for (std::size_t rank = 0; rank < kept; ++rank) {
      const std::size_t k = order_[rank];
      const Task& task = locked_.task(k);
      if (!task.after) continue;
      const Time least = least_time(locked_.system.tasks[*task.after]);
      const Time now = *bounds.tasks[dag_of[*task.after]].bound - least + task.jitter;
      changed = changed || now != jitter_[k];
      jitter_[k] = now;
    }
    if (changed) return true;
    for (std::size_t rank = kept; rank < order_.size(); ++rank) {
      TaskVerdict& task = bounds.tasks[order_[rank]];
      if (!task.schedulable) continue;
      task = {task.task, std::nullopt, task.deadline, false, {}};
      task.note = "not reached: its bound would need one that failed";
    }
    return false;
  }

  /// The least fixed point, or something beyond the deadline.
  Fraction response_of(std::size_t rank, const HeBound& own) const {
    const std::size_t k = order_[rank];
    Fraction r = own.total;
    std::vector<Growth> growths;
    for (int step = 0; r <= limit(k); ++step) {
      throw_if_stopped(locked_.stop);
      if (step == kMaxSteps) throw LimitReached("no fixed point of the response time");
      Fraction next = own.total;
      for (std::size_t h = 0; h < rank; ++h) next += carried_in(order_[h], r) / m_;
      if (next == r) break;
      // A fixed point is not where the demand is ahead and grows as fast as the window.
      Fraction busy = 0;
      for (std::size_t h = 0; h < rank; ++h) {
        const std::size_t i = order_[h];
        busy = std::max<Fraction>(busy, busy_for(locked_, i, response_[i], r));
      }
      if (step >= kPatience && next <= limit(k)) {
        growths.clear();
        for (std::size_t h = 0; h < rank; ++h) {
          const std::size_t i = order_[h];
          growths.push_back(growth_of(locked_, i, response_[i], r, carried_in(i, r)));
        }
        const Fraction lead = next - r;
        const mpz_class whole = lead.get_num() / lead.get_den();
        const Time sure = whole > 0 ? sure_step(Time::from_ns(whole.get_si()), growths) : Time();
        next = std::max<Fraction>(next, r + to_fraction(sure));
      }
      r = std::max<Fraction>(next, r + busy);
    }
    return r;
  }

  Fraction carried_in(std::size_t i, const Fraction& window) const {
    return gang::carried_in(locked_, i, response_[i], window);
  }

  std::vector<ExactTerm> preemptions(std::size_t rank, const Fraction& window) const {
    std::vector<ExactTerm> terms;
    for (std::size_t h = 0; h < rank; ++h) {
      const std::size_t i = order_[h];
      terms.push_back({{.label = "preemption",
                        .by = locked_.view.dags[i].task,
                        .how = "its work in a window of length R, on all cores"},
                       carried_in(i, window) / m_});
    }
    return terms;
  }

  void fail(std::size_t rank, const HeBound& own, LockedBounds& bounds) const {
    const std::size_t k = order_[rank];
    TaskVerdict& task = bounds.tasks[k];
    if (!bounds.feasible) {
      task.note = "too long even if the tasks above it meet their deadlines";
    } else if (!locked_.explained) {  // else its terms say more
      task.note = "exceeds its deadline";
    }
    if (bounds.feasible) {
      bounds.reason =
          fmt::format("task {} exceeds its deadline {}", quote(locked_.task(k).name),
                      format_time(locked_.view.dags[k].deadline, locked_.system.time_unit));
    }
    bounds.feasible = false;
    // There is no fixed point up to the deadline, so what it needs in a window of that length is
    // beyond it.
    if (locked_.explained) {
      task.terms = lock_terms(locked_, k, own, preemptions(rank, limit(k)));
      if (jitter_[k] > Time()) task.terms.push_back(jitter_term(jitter_[k]));
    }
  }

  const LockedDags& locked_;
  const std::vector<Reachability>& orders_;
  Fraction m_;
  std::vector<std::size_t> order_;  ///< the most urgent first
  std::vector<Fraction> response_;  ///< by DAG, from its arrival
  std::vector<Time> jitter_;        ///< by DAG
};

}  // namespace

void rate_monotonic(const LockedDags& locked, const std::vector<Reachability>& orders,
                    LockedBounds& bounds) {
  RateMonotonic(locked, orders).run(bounds);
}

}  // namespace tactus::gang
