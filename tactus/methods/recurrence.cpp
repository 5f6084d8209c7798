#include "tactus/methods/recurrence.hpp"

#include <algorithm>

#include "tactus/methods/terms.hpp"

namespace tactus {

Time sure_step(Time lead, std::vector<Growth>& growths) {
  // Rates in 2^-60ths, rounded down: the step may only become shorter by that.
  constexpr int kShift = 60;
  constexpr __int128 kOne = __int128{1} << kShift;
  std::sort(growths.begin(), growths.end(),
            [](const Growth& a, const Growth& b) { return a.slack < b.slack; });
  const __int128 scaled_lead = static_cast<__int128>(lead.ns()) << kShift;
  __int128 rate = 0, before = 0;  // of the summands that grow: sum of u, and of s u
  __int128 step = lead.ns();
  for (const Growth& growth : growths) {
    if (step <= growth.slack.ns()) break;
    const __int128 own =
        std::min(kOne, (static_cast<__int128>(growth.work) << kShift) / growth.period);
    rate += own;
    if (rate >= kOne) return Time::max();
    before += growth.slack.ns() * own;  // below step * rate
    step = (scaled_lead - before) / (kOne - rate);
    if (step >= Time::max().ns()) return Time::max();
  }
  return Time::from_ns(static_cast<std::int64_t>(step));
}

std::vector<Term> Recurrence::terms(Time window, Updates how) const {
  const bool apart = how == Updates::kApart;
  std::vector<Term> all, beside;
  all.reserve(constants_.size() + shown_.size() + 2);
  for (const Term& constant : constants_) {
    if (constant.amount != Time()) all.push_back(constant);
  }
  Term updates = own_updates_, leaving = own_leaving_;
  const Time end = reach(window);
  // Adds `each` per job to a sum, or keeps it apart.
  const auto add = [&](Term& sum, const Shown& p, std::int64_t jobs, Time each, Time jitter) {
    if (each == Time()) return;
    if (apart) {
      beside.push_back({sum.label, p.by, jobs * each, jobs, each, p.demand.period, reach(jitter)});
    } else {
      sum.amount += jobs * each;
      sum.jobs = 0;  // no longer one product
      sum.how = "its own, and those of the tasks that it waits for";
    }
  };
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const Shown& p = shown_[i];
    const Time jitter = summands_[i].jobs.jitter();
    const std::int64_t jobs = jobs_in(end, p.demand.period, jitter);
    add(updates, p, jobs, p.demand.updates, jitter);
    add(leaving, p, jobs, p.demand.leaving, jitter);
    const Time amount = jobs * p.demand.work;
    if (amount == Time()) continue;
    all.push_back({p.label, p.by, amount, jobs, p.demand.work, p.demand.period, reach(jitter)});
  }
  if (leaving.amount != Time()) all.push_back(leaving);
  if (updates.amount != Time()) all.push_back(updates);
  all.insert(all.end(), beside.begin(), beside.end());
  return readable_terms(std::move(all));
}

}  // namespace tactus
