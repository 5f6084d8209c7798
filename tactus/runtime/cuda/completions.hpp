#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/runtime/block_view.hpp"
#include "tactus/runtime/cuda/resources.hpp"
#include "tactus/runtime/gpu/gpu_clock.hpp"

namespace tactus::runtime::cuda {

/// A GPU that does not answer for this long, beyond the time of its work, is lost, ns.
inline constexpr std::int64_t kLost = 30'000'000'000;

/// Asks the device for the time, again and again.
void measure(gpu::GpuClock& clock);

/// The step in which %globaltimer advances, ns.
std::int64_t measure_timer_step();

/// A stream with what one operation in flight needs: a word that the stream writes when it is done,
/// and room for the records of the blocks.
class Lane {
 public:
  explicit Lane(Stream stream, std::size_t blocks = 1024);

  cudaStream_t stream() const { return stream_.get(); }
  bool busy = false;

  /// Makes room for a grid, all clear.
  void make_room(std::size_t blocks);
  /// The reader clears them for the next launch.
  std::span<BlockRecord> records() const { return records_.items(); }
  BlockRecord* device_records() const { return records_.on_device(); }
  PinnedState* pinned() const { return pinned_.data(); }

  /// After the work: makes the stream write the returned number when it is done with it.
  std::uint32_t mark();
  /// Whether it is done. Asks the driver only if streams cannot write words.
  bool through(std::uint32_t number) const;
  /// Throws what went wrong on the stream, if anything did.
  void check_alive() const;
  /// Polls until it is done; throws if it never will be.
  void finish(std::uint32_t number) const;

 private:
  Stream stream_;
  HostArray<std::uint32_t> word_;
  HostArray<BlockRecord> records_;
  DeviceArray<PinnedState> pinned_;
  std::uint32_t sequence_ = 0;
  CUdeviceptr word_on_device_ = 0;
};

/// From submitting an almost empty kernel to noticing its end, ns, after some idle time: a GPU that
/// had nothing to do starts later than a busy one.
std::vector<double> measure_operations(std::int64_t idle_ns, int count);

}  // namespace tactus::runtime::cuda
