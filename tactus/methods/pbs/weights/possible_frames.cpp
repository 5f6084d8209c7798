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

std::vector<Mask> PossibleFrames::together(Ticks completion) const {
  if (too_many_) return {everyone_};
  std::vector<Mask> sets;
  const std::int64_t almost_one = (std::int64_t{1} << shift_) - 1;
  for (std::size_t k = 0; k < windows_.count(); ++k) {
    const Ticks first = windows_.start(k), last = windows_.end(k) - 1;
    // The frame ends after deadlines_[q - 1] and by deadlines_[q].
    auto due = std::lower_bound(deadlines_.begin(), deadlines_.end(), first + completion);
    for (; due != deadlines_.end(); ++due) {
      const auto q = static_cast<std::size_t>(due - deadlines_.begin());
      const Ticks after = q == 0 ? first : deadlines_[q - 1] + 1 - completion;
      if (after > last) break;
      const Ticks earliest = std::max({first, after, (first_start_[q] + almost_one) >> shift_});
      const Ticks latest =
          std::min({last, *due - completion, (last_end_[k] >> shift_) - completion});
      if (earliest > latest) continue;
      Mask covered = 0;
      for (std::size_t i = 0; i < windows_.kernels(); ++i) {
        if (windows_.deadline(k, i) >= *due) covered |= bit(i);
      }
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
