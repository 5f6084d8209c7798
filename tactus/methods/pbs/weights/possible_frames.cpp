#include "tactus/methods/pbs/weights/possible_frames.hpp"

#include <algorithm>

#include "tactus/methods/pbs/table.hpp"

namespace tactus::pbs {
namespace {

/// Windows times jobs: what one vector of weights costs.
constexpr std::size_t kMostPairs = 20'000'000;
/// More sets than this are joined to one, which admits more frames, never fewer.
constexpr std::size_t kMostSets = 16;

void keep_largest(std::vector<Mask>& sets) {
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  const std::vector<Mask> all = sets;
  std::erase_if(sets, [&](Mask set) {
    return std::any_of(all.begin(), all.end(),
                       [&](Mask other) { return other != set && (set & ~other) == 0; });
  });
}

}  // namespace

PossibleFrames::PossibleFrames(const TaskSet& set, const Windows& windows, int shift)
    : windows_(windows), shift_(shift) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    everyone_ |= bit(i);
    const Kernel& kernel = set.kernels[i];
    relative_deadline_.push_back(kernel.deadline);
    for (std::int64_t job = 0; job < set.hyperperiod / kernel.period; ++job) {
      by_deadline_.push_back(
          {arrival_of(kernel, job), deadline_of(kernel, job), static_cast<std::uint8_t>(i)});
    }
  }
  too_many_ = by_deadline_.size() > kMostPairs / windows.count();
  if (too_many_) return;
  by_arrival_ = by_deadline_;
  std::sort(by_deadline_.begin(), by_deadline_.end(),
            [](const Job& a, const Job& b) { return a.deadline < b.deadline; });
  std::sort(by_arrival_.begin(), by_arrival_.end(),
            [](const Job& a, const Job& b) { return a.arrival > b.arrival; });
  for (const Job& job : by_deadline_) {
    if (deadlines_.empty() || deadlines_.back() != job.deadline) deadlines_.push_back(job.deadline);
  }
  last_end_.assign(windows.count(), kNever << 1);
  first_start_.assign(deadlines_.size() + 1, -kNever);
}

void PossibleFrames::learn(const Weights& weights) {
  if (too_many_) return;
  for (std::size_t k = 0; k < last_end_.size(); ++k) {
    std::int64_t later = 0;
    for (const Job& job : by_deadline_) {
      if (job.arrival <= windows_.start(k)) continue;
      later += weights[job.kernel];
      last_end_[k] = std::min(last_end_[k], (job.deadline << shift_) - later);
    }
  }
  for (std::size_t q = 0; q < deadlines_.size(); ++q) {
    std::int64_t before = 0;
    for (const Job& job : by_arrival_) {
      if (job.deadline > deadlines_[q]) continue;
      before += weights[job.kernel];
      first_start_[q + 1] = std::max(first_start_[q + 1], (job.arrival << shift_) + before);
    }
  }
}

void PossibleFrames::learn(Ticks from, Ticks to, std::int64_t duration) {
  if (duration == 0) return;  // perhaps there is no such job, and a frame may lie across it all
  for (std::size_t k = 0; k < last_end_.size() && windows_.start(k) < from; ++k) {
    last_end_[k] = std::min(last_end_[k], (to << shift_) - duration);
  }
  for (std::size_t q = deadlines_.size(); q > 0 && deadlines_[q - 1] >= to; --q) {
    first_start_[q] = std::max(first_start_[q], (from << shift_) + duration);
  }
}

PossibleFrames::Starts PossibleFrames::starts(std::size_t window, std::size_t due,
                                              Ticks completion) const {
  const std::int64_t almost_one = (std::int64_t{1} << shift_) - 1;
  const Ticks first = windows_.start(window), last = windows_.end(window) - 1;
  const Ticks after = due == 0 ? first : deadlines_[due - 1] + 1 - completion;
  return {
      std::max({first, after, (first_start_[due] + almost_one) >> shift_}),
      std::min({last, deadlines_[due] - completion, (last_end_[window] >> shift_) - completion})};
}

Mask PossibleFrames::covering(std::size_t window, std::size_t due) const {
  Mask covered = 0;
  for (std::size_t i = 0; i < windows_.kernels(); ++i) {
    if (windows_.deadline(window, i) >= deadlines_[due]) covered |= bit(i);
  }
  return covered;
}

std::vector<Mask> PossibleFrames::together(Ticks completion, Ticks from, Ticks to) const {
  if (too_many_) return {everyone_};
  std::vector<Mask> sets;
  for (std::size_t k = 0; k < windows_.count(); ++k) {
    const Ticks first = windows_.start(k), last = windows_.end(k) - 1;
    if (first < from) continue;
    Mask inside = 0;
    for (std::size_t i = 0; i < windows_.kernels(); ++i) {
      const Ticks due = windows_.deadline(k, i);
      if (due - relative_deadline_[i] >= from && due <= to) inside |= bit(i);
    }
    auto due = std::lower_bound(deadlines_.begin(), deadlines_.end(), first + completion);
    for (; due != deadlines_.end() && *due <= to; ++due) {
      const auto q = static_cast<std::size_t>(due - deadlines_.begin());
      if (q > 0 && deadlines_[q - 1] + 1 - completion > last) break;
      if (!starts(k, q, completion).any()) continue;
      const Mask covered = covering(k, q) & inside;
      if (sets.empty() || sets.back() != covered) sets.push_back(covered);
    }
  }
  keep_largest(sets);
  if (sets.size() <= kMostSets) return sets;
  Mask any = 0;
  for (const Mask set : sets) any |= set;
  return {any};
}

}  // namespace tactus::pbs
