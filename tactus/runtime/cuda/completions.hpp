#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tactus/runtime/block_view.hpp"
#include "tactus/runtime/cuda/resources.hpp"
#include "tactus/runtime/device.hpp"

namespace tactus::runtime::cuda {

/// The device's %globaltimer on the host's monotonic clock. The two drift apart by some tens of
/// microseconds a second, so every completion corrects it: nothing starts before it was submitted,
/// nothing ends after it was seen.
class GpuClock {
 public:
  /// Asks the device for the time, again and again; the fastest answer counts.
  void measure();
  void correct(std::int64_t submitted, std::uint64_t start, std::uint64_t end, std::int64_t seen);
  std::int64_t to_host(std::uint64_t gpu) const { return static_cast<std::int64_t>(gpu) + offset_; }

 private:
  std::int64_t offset_ = 0;
};

/// The step in which %globaltimer advances, ns.
std::int64_t measure_timer_step();

/// A stream with what one operation in flight needs: a word that the stream writes when it is
/// through, and room for what the blocks say.
class Lane {
 public:
  explicit Lane(Stream stream, std::size_t blocks = 1024);

  cudaStream_t stream() const { return stream_.get(); }
  bool busy = false;

  /// Makes room for a grid, and clears it.
  void clear_records(std::size_t blocks);
  std::span<const BlockRecord> records(std::size_t first, std::size_t blocks) const {
    return records_.items().subspan(first, blocks);
  }
  BlockRecord* device_records() const { return records_.on_device(); }
  PinnedState* pinned() const { return pinned_.data(); }

  /// After the work: has the stream say when it is through with it, by the number returned.
  std::uint32_t mark();
  /// Whether it is. Asks the driver only where streams cannot write words.
  bool through(std::uint32_t number) const;
  /// Throws what went wrong on the stream, if anything did.
  void check_alive() const;

 private:
  Stream stream_;
  HostArray<std::uint32_t> word_;
  HostArray<BlockRecord> records_;
  DeviceArray<PinnedState> pinned_;
  std::size_t capacity_ = 0;
  std::uint32_t sequence_ = 0;
  CUdeviceptr word_on_device_ = 0;
};

/// From submitting an almost empty kernel to noticing its end, ns; the 99th percentile.
std::int64_t measure_operation_cost();

/// Where a kernel's blocks tell what they did, and what they had to do.
struct Evidence {
  std::size_t first = 0, blocks = 0;  ///< records; none of a barrier
  std::int64_t expected = 0;          ///< logical blocks
  std::int64_t seats = 0;             ///< of a pinned grid: blocks that must have been admitted
};

/// What the records of one kernel amount to, on the device's clock.
struct Seen {
  std::uint64_t start = 0, end = 0;
  std::int64_t done = 0, admitted = 0;
  bool expired = false;
};
Seen read_evidence(std::span<const BlockRecord> records);

/// Why a kernel did not run as asked, or empty.
std::string problem_of(const Evidence& asked, const Seen& seen);

}  // namespace tactus::runtime::cuda
