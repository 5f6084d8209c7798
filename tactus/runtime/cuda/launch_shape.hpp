#pragma once

#include <cstddef>

#include "tactus/runtime/device.hpp"

namespace tactus::runtime::cuda {

/// Threads and dynamic shared memory of a block, so that the blocks of an SM never take more of it
/// than their shares. Shared memory is what makes it exact: even the fullest block has no more than
/// half of an SM's threads.
struct LaunchShape {
  unsigned threads = 1024;
  std::size_t shared = 0;
  unsigned resident = 1;  ///< the most blocks of this shape on an SM
};

/// Of a block of `kernel` that takes `share` of an SM. `threads`: of a kernel that has its own
/// number of them. Gives the kernel the shared memory, in every partition; throws if it
/// cannot.
LaunchShape shape_of(const SmShare& share, const void* kernel, unsigned threads = 0);

}  // namespace tactus::runtime::cuda
