#pragma once

#include <vector>

#include "tactus/arbiter/preload/rm_objects.hpp"

namespace tactus::arbiter::preload {

/// The ioctl beneath: the kernel's, or a fake one in tests.
using Ioctl = int (*)(int file, unsigned long request, void* block);

/// The result of switching.
struct Switched {
  bool done = false;
  std::size_t channels = 0;  ///< how many were switched
  int error = 0;             ///< errno of the ioctl, when that failed ...
  int file = -1;             ///< ... on this file
  Status status = kOk;       ///< the status of the resource manager, when it refused
  bool stuck = false;        ///< not all could be put back that had been taken off by then
};

/// Takes compute channels off the GPU (running kernels are preempted in the middle of a grid; the
/// call returns when they are off) or puts them back. Measured on driver 580, H200: off in 0.6 ms,
/// back on in 0.35 ms. When one of several calls fails while switching off, everything is put back:
/// a process is never left half on.
Switched switch_channels(const std::vector<ComputeChannels>& all, bool on, Ioctl ioctl);

/// Gives a group another time slice. A short one makes whoever else wants the GPU wait less; a group
/// that is alone on the GPU loses nothing by it (bench/results/h200/timeslice-2026-11-17.md).
Switched set_time_slice(const ComputeGroup& group, std::uint64_t microseconds, Ioctl ioctl);

}  // namespace tactus::arbiter::preload
