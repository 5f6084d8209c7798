#pragma once

#include <limits>

#include "tactus/methods/gcaps/family.hpp"

/// What MPCP and FMLP+ share: the GPU is one global lock, each GPU segment one critical section of
/// length G^m + G^e; the holder is priority-boosted while it is on the CPU; waiting for the lock
/// suspends.
namespace tactus::gcaps {

inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

inline constexpr std::string_view kLockingAssumes =
    "chains of cpu and gpu/copy nodes; cores, unique priorities, D <= T; no overheads";

/// Lower tasks count by ceil((R + D) / T) jobs: a shorter deadline alone can make them fewer. Where
/// it is the period that gets shorter, with D = T these are 1 + ceil(R / T), which only grow.
inline constexpr Monotone kLockingMonotone = {.times = true, .periods = true, .costs = true};

/// CPU preemption by a higher-priority task of the same core.
inline void add_locking_preemption(Recurrence& r, Mode mode, const GpuTask& h, Time response) {
  const Time on_cpu = h.cpu + (mode == Mode::kSuspend ? h.launch : h.gpu());
  r.add_demand("CPU preemption", h.index,
               {.work = on_cpu, .period = *h.period, .jitter = response - on_cpu});
}

/// How long a boosted holder can keep its core: its launch code, or all of it when it spins.
inline Time boosted_length(Mode mode, const Segment& segment) {
  return mode == Mode::kSuspend ? segment.launch : segment.length();
}

/// A locking protocol by the test of one task; it uses the deadlines of lower tasks.
template <typename Test, Mode kMode>
constexpr Ways kLocking =
    kInPriorityOrder<Test, kMode, Overheads::kNone, /*kHoldOnlyTogether=*/true>;

}  // namespace tactus::gcaps
