#pragma once

#include <memory>

#include "tactus/runtime/cuda/bench.hpp"
#include "tactus/runtime/cuda/info.hpp"
#include "tactus/runtime/gpu/work_rates.hpp"

namespace tactus::runtime::cuda {

/// What a copy of `bytes` takes, direction by direction; the points and the line through them.
struct CopyTimes {
  std::vector<std::pair<double, double>> points;  ///< bytes, ns (median)
  gpu::Line line;
};
CopyTimes measure_copies(cudaMemcpyKind direction, int repeats);

/// Gaps between the kernels of a chain in a graph, in ns.
std::vector<double> measure_gaps(Bench& bench, int repeats);

/// The rates of one GPU: from the cache if GPU, driver and clocks are the same, else measured (with
/// warm clocks) when first asked for, and kept.
class RateBook {
 public:
  explicit RateBook(const GpuInfo& info);
  ~RateBook();
  RateBook(const RateBook&) = delete;
  RateBook& operator=(const RateBook&) = delete;

  const gpu::WorkRates& rates() const { return rates_; }
  /// One item of such a block, with as many of them on every SM. Measures what is not known yet;
  /// not for the time after the start of a run.
  double item_ns(KernelKind kind, const LaunchShape& shape);
  /// What is known, or the slowest item known of the kind: never too much work.
  double known_item_ns(KernelKind kind, const LaunchShape& shape) const;

 private:
  Bench& bench();
  void save();

  GpuInfo info_;
  gpu::WorkRates rates_;
  std::unique_ptr<Bench> bench_;
  bool changed_ = false;
};

}  // namespace tactus::runtime::cuda
