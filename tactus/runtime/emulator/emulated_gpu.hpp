#pragma once

#include <cstdint>
#include <vector>

#include "tactus/runtime/device.hpp"

namespace tactus::runtime {

/// SMs that blocks are placed on: which block goes where, not for how long.
class EmulatedGpu {
 public:
  struct Range {
    std::int64_t first = 0, count = 0;
  };
  /// A block that has found its place.
  struct Placed {
    std::uint64_t kernel = 0;
    std::int64_t block = 0;
    std::int32_t sm = 0;
  };

  explicit EmulatedGpu(std::int64_t sms) : sms_(static_cast<std::size_t>(sms)) {}

  /// Queues the blocks of a kernel for the SMs of its partition.
  void submit(std::uint64_t id, const Kernel& kernel, Range sms);
  /// Places every block that can start now.
  std::vector<Placed> dispatch();
  /// A block of that share has left an SM.
  void leave(std::int32_t sm, SmShare share);

 private:
  struct Sm {
    std::int64_t used = 0, blocks = 0;
  };
  struct Waiting {
    std::uint64_t id = 0;
    Range sms;
    PartitionId partition = kWholeGpu;
    int priority = 0;
    SmShare share;
    bool pinned = false;
    std::int64_t blocks = 0, next = 0;
  };
  /// Where the next block goes; negative when nowhere.
  std::int32_t place_for(const Waiting& waiting) const;

  std::vector<Sm> sms_;
  std::vector<Waiting> queue_;  ///< more urgent first, then in the order of submission
};

}  // namespace tactus::runtime
