#pragma once

#include <cstdint>
#include <vector>

#include "tactus/runtime/block_view.hpp"
#include "tactus/runtime/cuda/kernels.hpp"
#include "tactus/runtime/cuda/launch_shape.hpp"
#include "tactus/runtime/cuda/partitions.hpp"
#include "tactus/runtime/cuda/resources.hpp"
#include "tactus/runtime/gpu/switches.hpp"

namespace tactus::runtime::cuda {

/// One kernel at a time on an otherwise idle GPU, and the records of its blocks: the basis of every
/// measurement.
class Bench {
 public:
  explicit Bench(int device);

  std::int64_t sms() const { return sms_; }
  const float4* arena() const { return arena_.data(); }

  /// Keeps all SMs busy until the clocks have settled.
  void warm_up(std::int64_t ns = 300'000'000);

  /// The records of the blocks that did something.
  std::vector<BlockRecord> run(KernelKind kind, const LaunchShape& shape, unsigned blocks,
                               std::uint32_t items);
  /// With blocks that fill an SM each.
  std::vector<BlockRecord> run(KernelKind kind, unsigned blocks, std::uint32_t items) {
    return run(kind, shape_of(SmShare{}, kernel_of(kind)), blocks, items);
  }
  /// The same, pinned to these SMs with `seats` blocks on each.
  std::vector<BlockRecord> run_pinned(KernelKind kind, const std::vector<std::int32_t>& on,
                                      std::uint32_t seats, std::uint32_t items);
  /// Keeps all SMs busy for that long; the stretches of at least `least_ns` in which it did not
  /// run.
  std::vector<gpu::Hole> find_holes(std::int64_t run_ns, std::int64_t least_ns);
  /// The SMs of the whole GPU, as observed.
  const std::vector<std::int32_t>& all_sms();

 private:
  BlockRecord* clear_records(unsigned blocks);
  std::vector<BlockRecord> finish(unsigned blocks);

  std::int64_t sms_ = 0;
  Stream stream_;
  DeviceArray<float4> arena_;
  DeviceArray<PinnedState> pinned_;
  HostArray<BlockRecord> records_;
  std::vector<std::int32_t> all_sms_;
};

/// From the first block's start to the last one's end, in ns; 0 without blocks.
double span_ns(const std::vector<BlockRecord>& records);
/// Items that were done.
std::int64_t items_done(const std::vector<BlockRecord>& records);

}  // namespace tactus::runtime::cuda
