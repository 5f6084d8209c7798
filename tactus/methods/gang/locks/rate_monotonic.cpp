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
    for (int step = 0; r <= locked.deadline(k); ++step) {
      throw_if_stopped(locked.stop);
      if (step == kMaxSteps) throw LimitReached("no fixed point of the response time");
      Fraction next = own.total;
      for (std::size_t h = 0; h < rank; ++h) {
        next += carried_in(locked, order[h], response[order[h]], r) / m;
      }
      if (next == r) break;
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
      others.push_back({{.label = "preemption", .by = dags[order[h]].task},
                        carried_in(locked, order[h], response[order[h]], r) / m});
    }
    set_bound(bounds.tasks[k], locked, k, own, r, std::move(others));
  }
}

}  // namespace tactus::gang
