#include "tactus/methods/recurrence.hpp"

#include <gmpxx.h>

#include <map>

#include "tactus/methods/terms.hpp"

namespace tactus {
namespace {

/// Work by period: the utilisation is the sum of work / period.
using Load = std::map<Time, mpz_class>;

/// The sign of the utilisation minus 1, or nothing if that would take too long.
std::optional<int> compare_with_one(const Load& load) {
  // In 2^-128ths the sum is too small by less than one unit per period: most often that decides.
  mpz_class sum = 0;
  for (const auto& [period, work] : load) sum += (work << 128) / mpz_class(period.ns());
  const mpz_class one = mpz_class(1) << 128;
  if (sum > one) return 1;
  if (sum + static_cast<unsigned long>(load.size()) < one) return -1;
  constexpr std::size_t kMostPeriods = 200;  // the common denominator has as many 64-bit words
  if (load.size() > kMostPeriods) return std::nullopt;
  mpq_class exact = 0;
  for (const auto& [period, work] : load) {
    mpq_class part(work, mpz_class(period.ns()));
    part.canonicalize();
    exact += part;
  }
  return cmp(exact, 1);
}

}  // namespace

void Recurrence::clear() {
  constants_.clear();
  summands_.clear();
  shown_.clear();
  constant_ = updates_ = leaving_ = closing_ = Time();
}

void Recurrence::add_demand(std::string_view label, TaskIndex by, const Demand& demand) {
  const Time each = demand.work + demand.updates + demand.leaving;
  if (each == Time()) return;
  const Time jitter = clamp_at_zero(demand.jitter);
  summands_.push_back({RisingJobs(demand.period, jitter), each});
  if (for_terms_) shown_.push_back({label, by, demand});
}

bool Recurrence::diverges() const {
  Load load;
  bool pushed = constants() > Time();
  for (const Summand& s : summands_) {
    load[s.jobs.period()] += mpz_class(s.each.ns());
    pushed = pushed || s.jobs.jitter() > Time();
  }
  const std::optional<int> sign = compare_with_one(load);
  return sign && (*sign > 0 || (*sign == 0 && pushed));
}

std::vector<Term> Recurrence::terms(Time window) const {
  std::vector<Term> all;
  all.reserve(constants_.size() + shown_.size() + 2);
  for (const Constant& constant : constants_) {
    if (constant.amount != Time()) all.push_back({constant.label, constant.by, constant.amount});
  }
  Time updates = updates_, leaving = leaving_;
  const Time end = reach(window);
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const Shown& p = shown_[i];
    const Time jitter = summands_[i].jobs.jitter();
    const std::int64_t jobs = jobs_in(end, p.demand.period, jitter);
    updates += jobs * p.demand.updates;
    leaving += jobs * p.demand.leaving;
    const Time amount = jobs * p.demand.work;
    if (amount == Time()) continue;
    all.push_back({p.label, p.by, amount, jobs, p.demand.work, p.demand.period, reach(jitter)});
  }
  if (leaving != Time()) all.push_back({leaving_label_, Term::kNoTask, leaving});
  if (updates != Time()) all.push_back({"runlist updates", Term::kNoTask, updates});
  return readable_terms(std::move(all));
}

}  // namespace tactus
