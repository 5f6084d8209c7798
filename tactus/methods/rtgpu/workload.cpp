#include "tactus/methods/rtgpu/workload.hpp"

#include <algorithm>

namespace tactus::rtgpu {

Workload::Workload(std::span<const Piece> chain, ResourceIndex resource, Time period,
                   Time deadline) {
  Time head, distance, position, work;  // `distance`: lower bounds since the last segment on it
  pattern_.reserve(2 * chain.size() + 1);
  for (const Piece& piece : chain) {
    if (piece.on != resource || piece.upper == Time()) {
      distance += piece.lower;
      continue;
    }
    if (pattern_.empty()) {
      head = distance;
    } else {
      position += distance;  // inner_k
    }
    distance = Time();
    pattern_.push_back({position.ns(), work.ns(), piece.upper.ns()});
    position += piece.upper;
    work += piece.upper;
  }
  entries_ = pattern_.size();
  work_ = work.ns();
  const Time second = position + (period - deadline) + distance + head;  // `distance`: the tail
  // Later jobs start T apart; a job longer than T misses its deadline anyway, the gap is 0 then.
  const Time cycle = std::max(period, position);
  cycle_ = cycle.ns();
  third_ = (second + cycle).ns();
  for (std::size_t k = 0; k < entries_; ++k) {
    const Placed& first = pattern_[k];
    pattern_.push_back({second.ns() + first.start, work_ + first.before, first.length});
  }
  pattern_.push_back({third_, 2 * work_, 0});
}

Workload::Reach Workload::furthest(Time window) const {
  const std::int64_t t = window.ns();
  checked::add(t, pattern_[entries_ - 1].start);
  std::int64_t most = 0, left = 0;
  const Placed* const first = pattern_.data();
  const Placed* const second = first + entries_;
  const Placed* at = first;  // the segment around x: entries ascend, so it does too, but for wraps
  for (const Placed* h = first; h < second; ++h) {
    std::int64_t x = t + h->start;
    std::int64_t repeated = 0;
    if (x >= third_) {
      // Nearly all windows end in the third job: spare them the division.
      const std::int64_t beyond = x - third_;
      const std::int64_t times = beyond < cycle_ ? 1 : beyond / cycle_ + 1;
      x -= times * cycle_;
      repeated = times * work_;
      if (at->start > x) at = second;
    }
    while (at[1].start <= x) ++at;  // ends before the third job, where x never is
    const std::int64_t into = std::min(x - at->start, at->length);
    const std::int64_t work = repeated + at->before + into - h->before;  // W_h
    if (work < most) continue;
    const std::int64_t rest = at->length - into;
    left = work > most ? rest : std::max(left, rest);
    most = work;
  }
  return {Time::from_ns(most), window + Time::from_ns(left)};
}

Growth Workload::growth(Time t, Time work) const {
  const std::int64_t late = std::max<std::int64_t>(0, third_ - 2 * cycle_);
  // Up to where the line stays below W(t), rounded up.
  const __int128 covered =
      (static_cast<__int128>(work.ns()) * cycle_ + work_ - 1) / work_ + late - t.ns();
  const __int128 slack = std::clamp<__int128>(covered, 0, INT64_MAX);
  return {Time::from_ns(static_cast<std::int64_t>(slack)), work_, cycle_};
}

}  // namespace tactus::rtgpu
