#pragma once

#include <map>
#include <span>

#include "tactus/exchange/shape.hpp"

namespace tactus::exchange {

/// A call of a job, with what it put on the GPU.
struct JobCall {
  const Call* call = nullptr;
  std::uint32_t annotation = 0;
  std::span<const GpuWork* const> work;  ///< by start
};

/// What turns numbers of a recording into those of steps.
struct Numbering {
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> lanes;  ///< of device and stream
  std::map<std::int64_t, std::uint32_t> devices;
  std::map<std::int64_t, KnownWait> waits;  ///< by the correlation of the call that waits
  std::uint32_t end_name = 0;               ///< of the last step

  std::uint32_t lane(const GpuWork& work);
  std::uint32_t element(const GpuWork& work);
};

/// How many waits were known, and how many had to be guessed.
struct WaitCounts {
  std::size_t known = 0, guessed = 0;
  /// Among many streams a few waits stand for very many pairs of works: what all jobs hold of them
  /// together is limited. Then steps are missing, and must not be used.
  std::size_t held = 0, most_held = 0;
  bool too_many() const { return held > most_held; }
};

/// The steps of one job, from its calls by start. `start` and `end` are those of the job's own
/// thread, which does CPU work from its start to its end; other threads do from their first call on.
JobSteps steps_of_job(std::span<const JobCall> calls, ThreadId own, std::int64_t start,
                      std::int64_t end, Numbering& numbering, WaitCounts& counts);

}  // namespace tactus::exchange
