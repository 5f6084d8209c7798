#include "tactus/methods/pbs/weights/demand_bound.hpp"

#include <algorithm>

#include "tactus/methods/pbs/table.hpp"

namespace tactus::pbs {
namespace {

/// How many future jobs a row looks at (the first window at all of them). Fewer test points keep
/// the bound sound, and long hyperperiods affordable.
constexpr std::size_t kRowJobs = 2048;

}  // namespace

DemandBound::DemandBound(const TaskSet& set, const Windows& windows, int shift)
    : set_(set), windows_(windows), shift_(shift), rows_(windows.count()) {
  jobs_.reserve(static_cast<std::size_t>(set.jobs));
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Kernel& kernel = set.kernels[i];
    for (std::int64_t job = 0; job < set.hyperperiod / kernel.period; ++job) {
      jobs_.push_back(
          {deadline_of(kernel, job), arrival_of(kernel, job), static_cast<std::uint8_t>(i)});
    }
  }
  std::sort(jobs_.begin(), jobs_.end(),
            [](const Job& a, const Job& b) { return a.deadline < b.deadline; });
}

void DemandBound::add(Weights weights) { vectors_.push_back(std::move(weights)); }

const Weights& DemandBound::widest() const {
  const auto sum = [&](const Weights& weights) {
    std::int64_t all = 0;
    for (const Job& job : jobs_) all += weights[job.kernel];
    return all;
  };
  return *std::max_element(vectors_.begin(), vectors_.end(),
                           [&](const Weights& a, const Weights& b) { return sum(a) < sum(b); });
}

void DemandBound::make_row(std::uint32_t k, const Weights& weights, Row& row) {
  const std::size_t n = set_.size();
  const auto order = windows_.by_deadline(k);
  row.assign(2 * n + 1, kNever << 1);
  bytes_ += row.capacity() * sizeof(std::int64_t);
  const Ticks now = windows_.start(k);
  std::int64_t demand = 0;  // of future jobs due by the deadline in hand
  std::size_t before = 0;   // kernels due before it
  std::size_t by = 0;       // kernels due by it
  const auto due = [&](std::size_t r) { return windows_.deadline(k, order[r]); };
  auto job = std::upper_bound(jobs_.begin(), jobs_.end(), now,
                              [](Ticks time, const Job& j) { return time < j.deadline; });
  const std::size_t most = k == 0 ? jobs_.size() : kRowJobs;
  for (std::size_t seen = 0; job != jobs_.end() && seen < most; ++job, ++seen) {
    if (job->arrival <= now) continue;
    for (; before < n && due(before) < job->deadline; ++before) {
      row[before] = (due(before) << shift_) - demand;
    }
    while (by < n && due(by) <= job->deadline) ++by;
    demand += weights[job->kernel];
    row[n + by] = std::min(row[n + by], (job->deadline << shift_) - demand);
  }
  for (; before < n; ++before) row[before] = (due(before) << shift_) - demand;
}

const DemandBound::Row& DemandBound::row_of(std::uint32_t k, std::size_t vector) {
  std::vector<Row>& rows = rows_[k];
  for (std::size_t v = rows.size(); v <= vector; ++v) make_row(k, vectors_[v], rows.emplace_back());
  return rows[vector];
}

Ticks DemandBound::latest(std::uint32_t k, Mask ready) {
  const std::size_t n = set_.size();
  const auto order = windows_.by_deadline(k);
  std::int64_t least = kNever << 1;
  for (std::size_t v = 0; v < vectors_.size(); ++v) {
    const Weights& weights = vectors_[v];
    const Row& row = row_of(k, v);
    std::int64_t waiting = 0;
    least = std::min(least, row[n]);
    for (std::size_t r = 0; r < n; ++r) {
      if ((ready & bit(order[r])) != 0) {
        waiting += weights[order[r]];
        least = std::min(least, row[r] - waiting);
      }
      least = std::min(least, row[n + r + 1] - waiting);
    }
  }
  return least >> shift_;  // rounds down
}

void DemandBound::needs(std::uint32_t k, Mask ready, Ticks time, std::vector<PackingNeed>& out) {
  const std::size_t n = set_.size();
  const auto order = windows_.by_deadline(k);
  struct Hard {
    double share;  ///< of the weight that could be run
    PackingNeed need;
  };
  std::vector<Hard> hard;
  for (std::size_t v = 0; v < vectors_.size(); ++v) {
    const Weights& weights = vectors_[v];
    const Row& row = row_of(k, v);
    std::int64_t waiting = 0;
    Mask members = 0;
    for (std::size_t r = 0; r < n; ++r) {
      std::int64_t least = row[n + r + 1];
      if ((ready & bit(order[r])) != 0) {
        waiting += weights[order[r]];
        members |= bit(order[r]);
        least = std::min(least, row[r]);
      }
      const std::int64_t need = (time << shift_) + waiting - least;
      if (need <= 0) continue;
      const double share = static_cast<double>(need) / static_cast<double>(waiting + 1);
      hard.push_back({share, {&weights, members, need}});
    }
  }
  std::stable_sort(hard.begin(), hard.end(),
                   [](const Hard& a, const Hard& b) { return a.share > b.share; });
  for (std::size_t h = 0; h < hard.size() && h < PackingEnumerator::kMostNeeds; ++h) {
    out.push_back(hard[h].need);
  }
}

std::optional<DemandBound::Overload> DemandBound::overload(const State& state) const {
  std::optional<Overload> worst;
  std::int64_t worst_excess = 0;
  for (const Weights& weights : vectors_) {
    std::int64_t demand = 0;
    std::vector<std::int64_t> due(set_.size());
    for (const Job& job : jobs_) {
      const bool waits = (state.ready & bit(job.kernel)) != 0 &&
                         windows_.deadline(state.window, job.kernel) == job.deadline;
      if (!waits && job.arrival <= windows_.start(state.window)) continue;
      demand += weights[job.kernel];
      ++due[job.kernel];
      const std::int64_t excess = demand - ((job.deadline - state.time) << shift_);
      if (excess <= worst_excess) continue;
      worst_excess = excess;
      worst = Overload{job.deadline, due, weights};
    }
  }
  return worst;
}

}  // namespace tactus::pbs
