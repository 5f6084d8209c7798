#pragma once

#include <cuda.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/runtime/cuda/resources.hpp"

namespace tactus::runtime::cuda {

/// SMs of its own, as a green context; the whole GPU has none.
class SmPartition {
 public:
  /// The whole GPU.
  SmPartition(std::int64_t sms) : sms_(sms) {}
  SmPartition(CUdevResource* groups, unsigned count, int device);
  ~SmPartition();
  SmPartition(SmPartition&& other) noexcept;
  SmPartition& operator=(SmPartition&&) = delete;

  std::int64_t sms() const { return sms_; }
  /// For the nodes of a graph; null is the current context, the whole GPU.
  CUcontext context() const { return context_; }
  Stream make_stream(int priority) const;

 private:
  std::int64_t sms_ = 0;
  CUgreenCtx green_ = nullptr;
  CUcontext context_ = nullptr;
};

/// Disjoint partitions of at least these widths, all from ONE split of the GPU into the smallest
/// groups the driver makes: only groups of one split can be put together again.
std::vector<SmPartition> carve(int device, std::span<const std::int64_t> widths);

/// The hardware ids of the SMs on which blocks of a partition run, sorted; as many as it has SMs.
std::vector<std::int32_t> observe_sms(const SmPartition& partition);

}  // namespace tactus::runtime::cuda
