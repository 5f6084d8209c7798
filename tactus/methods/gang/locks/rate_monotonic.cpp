#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/locks/lock_bounds.hpp"
#include "tactus/methods/recurrence.hpp"
#include "tactus/model/diagnostic.hpp"

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

}  // namespace

void rate_monotonic(const LockedDags& locked, const std::vector<Reachability>& orders,
                    LockedBounds& bounds) {
  const auto& dags = locked.view.dags;
  std::vector<std::size_t> order(dags.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return dags[a].period < dags[b].period; });
  const Fraction m(static_cast<long>(locked.view.cpus));
  std::vector<Fraction> response(dags.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::size_t k = order[rank];
    const HeBound own = prioritised_bound(locked.dags[k], orders[k], locked.view.cpus, locked.stop);
    Fraction r = own.total;
    std::vector<Growth> growths;
    for (int step = 0; r <= locked.deadline(k); ++step) {
      throw_if_stopped(locked.stop);
      if (step == kMaxSteps) throw LimitReached("no fixed point of the response time");
      Fraction next = own.total;
      for (std::size_t h = 0; h < rank; ++h) {
        next += carried_in(locked, order[h], response[order[h]], r) / m;
      }
      if (next == r) break;
      if (step >= kPatience && next <= locked.deadline(k)) {
        growths.clear();
        for (std::size_t h = 0; h < rank; ++h) {
          const std::size_t i = order[h];
          growths.push_back(
              growth_of(locked, i, response[i], r, carried_in(locked, i, response[i], r)));
        }
        const Fraction lead = next - r;
        const mpz_class whole = lead.get_num() / lead.get_den();
        const Time sure = whole > 0 ? sure_step(Time::from_ns(whole.get_si()), growths) : Time();
        next = std::max<Fraction>(next, r + to_fraction(sure));
      }
      r = next;
    }
    if (r > locked.deadline(k)) {
      bounds.feasible = false;
      bounds.reason = fmt::format("task {} exceeds its deadline {}", quote(locked.task(k).name),
                                  format_time(dags[k].deadline, locked.system.time_unit));
      bounds.tasks[k].note = "exceeds its deadline";
      for (std::size_t below = rank + 1; below < order.size(); ++below) {
        bounds.tasks[order[below]].note = "not reached: its bound would need one that failed";
      }
      return;
    }
    response[k] = r;
    std::vector<ExactTerm> others;
    for (std::size_t h = 0; h < rank; ++h) {
      others.push_back({{.label = "preemption",
                         .by = dags[order[h]].task,
                         .how = "its work in a window of length R, on all cores"},
                        carried_in(locked, order[h], response[order[h]], r) / m});
    }
    set_bound(bounds.tasks[k], locked, k, own, r, std::move(others));
  }
}

}  // namespace tactus::gang
