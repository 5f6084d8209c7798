#include "tactus/methods/pbs/windows.hpp"

#include <algorithm>
#include <numeric>

#include "tactus/methods/pbs/table.hpp"

namespace tactus::pbs {

Windows::Windows(const TaskSet& set) : kernels_(set.size()) {
  std::vector<std::pair<Ticks, std::uint8_t>> all;
  for (std::size_t i = 0; i < kernels_; ++i) {
    const Kernel& kernel = set.kernels[i];
    wcet_.push_back(kernel.wcet);
    for (std::int64_t job = 0; job < set.hyperperiod / kernel.period; ++job) {
      all.emplace_back(arrival_of(kernel, job), static_cast<std::uint8_t>(i));
    }
  }
  std::sort(all.begin(), all.end());
  // A kernel that has not arrived yet has no deadline; it is in no ready mask either.
  std::vector<Ticks> newest(kernels_, 0);
  for (std::size_t a = 0; a < all.size();) {
    const Ticks now = all[a].first;
    Mask mask = 0;
    for (; a < all.size() && all[a].first == now; ++a) {
      mask |= bit(all[a].second);
      newest[all[a].second] = now + set.kernels[all[a].second].deadline;
    }
    start_.push_back(now);
    arrivals_.push_back(mask);
    deadline_.insert(deadline_.end(), newest.begin(), newest.end());
  }
  last_end_.assign(count(), kNever);
  for (std::size_t k = count() - 1; k-- > 0;) {
    last_end_[k] = last_end_[k + 1];
    for_each(arrivals_[k + 1],
             [&](std::size_t i) { last_end_[k] = std::min(last_end_[k], last_start(k + 1, i)); });
  }
  by_deadline_.resize(count() * kernels_);
  by_last_start_.resize(count() * kernels_);
  for (std::size_t k = 0; k < count(); ++k) {
    const auto sort_by = [&](std::vector<std::uint8_t>& target, auto key) {
      const auto begin = target.begin() + static_cast<std::ptrdiff_t>(k * kernels_);
      const auto end = begin + static_cast<std::ptrdiff_t>(kernels_);
      std::iota(begin, end, std::uint8_t{0});
      std::sort(begin, end, [&](std::uint8_t a, std::uint8_t b) {
        return std::pair(key(a), a) < std::pair(key(b), b);
      });
    };
    sort_by(by_deadline_, [&](std::size_t i) { return deadline(k, i); });
    sort_by(by_last_start_, [&](std::size_t i) { return last_start(k, i); });
  }
}

Ticks Windows::limit(const State& state, Mask batch) const {
  Ticks limit = last_end_[state.window];
  for_each(state.ready, [&](std::size_t i) {
    const bool inside = (batch & bit(i)) != 0;
    limit = std::min(limit, inside ? deadline(state.window, i) : last_start(state.window, i));
  });
  return limit;
}

bool Windows::misses(const State& state, const Move& move) const {
  const Ticks end = state.time + move.completion;
  bool late = false;
  for_each(state.ready, [&](std::size_t i) {
    const Ticks due = deadline(state.window, i);
    late = late || ((move.batch & bit(i)) != 0 ? end > due : end >= due);
  });
  // Jobs that arrive during the frame wait as well.
  for (std::size_t k = state.window + 1; k < count() && start(k) <= end; ++k) {
    for_each(arrivals(k), [&](std::size_t i) { late = late || end >= deadline(k, i); });
  }
  return late;
}

std::size_t Windows::bytes() const {
  return deadline_.size() * (sizeof(Ticks) + 2) + count() * (2 * sizeof(Ticks) + sizeof(Mask));
}

FrameTest::FrameTest(const Windows& windows, const State& state)
    : last_end_(windows.last_end(state.window)) {
  prefix_[0] = 0;
  Mask left = state.ready;
  for (const std::uint8_t i : windows.by_last_start(state.window)) {
    if ((state.ready & bit(i)) == 0) continue;
    last_start_[count_] = windows.last_start(state.window, i);
    prefix_[count_ + 1] = prefix_[count_] | bit(i);
    ++count_;
    left &= ~bit(i);
    if (left == 0) break;
  }
  for (const std::uint8_t i : windows.by_deadline(state.window)) {
    if ((state.ready & bit(i)) == 0) continue;
    last_end_ = std::min(last_end_, windows.deadline(state.window, i));
    most_urgent_ = bit(i);
    break;
  }
}

}  // namespace tactus::pbs
