#include "tactus/methods/pbs/weights/frame_places.hpp"

#include <algorithm>

namespace tactus::pbs {
namespace {

/// The least part of [start, start + length) in the interval over all possible starts. The part
/// grows, stays and shrinks again while the start moves on, so it is least at one of the ends.
Ticks least_inside(const PossibleFrames::Starts& starts, Ticks length,
                   const FramePlaces::Interval& interval) {
  const auto inside = [&](Ticks start) {
    const Ticks part = std::min(start + length, interval.to) - std::max(start, interval.from);
    return std::max<Ticks>(part, 0);
  };
  return std::min(inside(starts.earliest), inside(starts.latest));
}

}  // namespace

FramePlaces::FramePlaces(const Windows& windows, BatchSource& source, const PossibleFrames& frames,
                         Ticks until)
    : horizon(until), kernels(windows.kernels()) {
  const std::vector<Ticks>& deadlines = frames.deadlines();
  const auto due_end = static_cast<std::size_t>(
      std::upper_bound(deadlines.begin(), deadlines.end(), horizon) - deadlines.begin());
  std::size_t window_end = 0;
  while (window_end < windows.count() && windows.start(window_end) < horizon) ++window_end;

  // The newest job of a kernel stays the same until its next arrival.
  job_of.assign(window_end * kernels, kNoJob);
  std::vector<std::uint32_t> newest(kernels, kNoJob);
  for (std::size_t k = 0; k < window_end; ++k) {
    for_each(windows.arrivals(k), [&](std::size_t i) {
      newest[i] = kNoJob;
      if (windows.deadline(k, i) > horizon) return;
      newest[i] = static_cast<std::uint32_t>(kernel_of_job.size());
      kernel_of_job.push_back(static_cast<std::uint8_t>(i));
    });
    std::copy(newest.begin(), newest.end(),
              job_of.begin() + static_cast<std::ptrdiff_t>(k * kernels));
  }
  points = window_end == 0 ? 0 : window_end - 1;
  for (std::size_t k = 0; k < window_end; ++k) {
    for (std::size_t q = 0; q < due_end; ++q) {
      if (deadlines[q] > windows.start(k)) intervals.push_back({windows.start(k), deadlines[q]});
    }
  }

  Mask everyone = 0;
  for (std::size_t i = 0; i < kernels; ++i) everyone |= bit(i);
  std::vector<BatchSource::Level> levels;
  if (source.by_level()) levels = source.levels_of(everyone);
  for (std::size_t k = 0; k < window_end; ++k) {
    for (std::size_t q = 0; q < due_end; ++q) {
      Place place;
      place.window = k;
      const Mask covering = frames.covering(k, q);
      for_each(covering, [&](std::size_t i) {
        if (job_of[k * kernels + i] != kNoJob) place.members |= bit(i);
      });
      const auto add = [&](Length::Kind kind, Ticks completion, Mask members) {
        if (members == 0) return;
        const PossibleFrames::Starts starts = frames.starts(k, q, completion);
        if (!starts.any()) return;
        Length length{kind, completion, members, {}};
        for (const Interval& interval : intervals) {
          length.inside.push_back(least_inside(starts, completion, interval));
        }
        place.lengths.push_back(std::move(length));
      };
      for_each(place.members,
               [&](std::size_t i) { add(Length::Kind::kAlone, source.wcet(i), bit(i)); });
      for (const Move& move : source.listed()) {
        if ((move.batch & ~covering) == 0) {
          add(Length::Kind::kListed, move.completion, move.batch & place.members);
        }
      }
      // A level also holds for a batch whose longest member has a job that is due later.
      for (const BatchSource::Level& level : levels) {
        add(Length::Kind::kByLevel, level.completion, level.up_to & place.members);
      }
      if (place.lengths.empty()) continue;
      // It starts before the end of its window, and ends after the deadline before its own.
      for (std::size_t p = k + 1; p < window_end; ++p) {
        if (q > 0 && windows.start(p) <= deadlines[q - 1]) place.crossed.push_back(p - 1);
      }
      places.push_back(std::move(place));
    }
  }
}

}  // namespace tactus::pbs
