#pragma once

#include <cstdint>
#include <vector>

#include "tactus/methods/pbs/weights/possible_frames.hpp"

namespace tactus::pbs {

/// Where the jobs that are due by an instant, the horizon, can run in a table: the frames that can
/// hold such jobs, by place. A place is the window of arrivals in which a frame starts together with
/// the deadline by which it ends.
struct FramePlaces {
  static constexpr std::uint32_t kNoJob = UINT32_MAX;

  /// The frames of one length that a place can hold.
  struct Length {
    enum class Kind { kAlone, kListed, kByLevel };
    Kind kind = Kind::kAlone;
    Ticks completion = 0;
    /// Alone: one kernel. Listed: all of them. By level: those of its members that fit.
    Mask members = 0;
    std::vector<Ticks> inside;  ///< by interval: the least part of the frame that lies in it
  };
  struct Place {
    std::size_t window = 0;
    Mask members = 0;                  ///< kernels with a job that is due by the horizon
    std::vector<Length> lengths;       ///< by level last, ascending
    std::vector<std::size_t> crossed;  ///< arrival instants inside every frame of the place
  };
  struct Interval {
    Ticks from = 0, to = 0;
  };

  FramePlaces(const Windows& windows, BatchSource& source, const PossibleFrames& frames,
              Ticks horizon);

  std::uint32_t job(const Place& place, std::size_t kernel) const {
    return job_of[place.window * kernels + kernel];
  }

  Ticks horizon = 0;
  std::size_t kernels = 0;
  std::vector<Place> places;
  std::vector<Interval> intervals;          ///< from an arrival to a deadline
  std::size_t points = 0;                   ///< arrival instants after the first
  std::vector<std::uint32_t> job_of;        ///< by window and kernel
  std::vector<std::uint8_t> kernel_of_job;  ///< the jobs are numbered from 0
};

}  // namespace tactus::pbs
