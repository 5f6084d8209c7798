#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "tactus/runtime/api.hpp"
#include "tactus/runtime/cuda/rate_book.hpp"
#include "tactus/runtime/device.hpp"

namespace tactus::runtime::cuda {

/// A kernel as it is given to CUDA. The launcher fills in the view's records and pinned state.
struct ReadyKernel {
  const void* function = nullptr;
  unsigned grid = 1, threads = 1;
  std::size_t shared = 0;
  BlockView view;
  std::vector<std::byte> body;  ///< the second argument
  std::int64_t expected = 0;    ///< logical blocks to do

  /// To the arguments; valid while this object stays where it is.
  std::vector<void*> arguments() { return {&view, body.data()}; }
};

/// Turns the kernels of plans into launches: the user's kernel if one is bound to the node, else
/// synthetic work that takes as long as its load.
class WorkOf {
 public:
  WorkOf(const System& system, const Workload* workload, KernelKind kind, RateBook& rates,
         const float4* arena)
      : system_(system), workload_(workload), kind_(kind), rates_(rates), arena_(arena) {}

  /// @param sms  those of the kernel's partition, by rank
  ReadyKernel operator()(const Kernel& kernel, const std::vector<std::int32_t>& sms);
  /// Synthetic work for this many blocks that each fill an SM, for this long.
  ReadyKernel synthetic(Time time, std::int64_t blocks);
  /// Measures, while there is time, what kernels of this share will need.
  void expect(const SmShare& share, std::int64_t threads);
  /// From now on nothing is measured any more.
  void freeze() { frozen_ = true; }

 private:
  const LaunchShape& shape(const SmShare& share, const void* function, std::int64_t threads);
  void pin(const Kernel& kernel, const std::vector<std::int32_t>& sms, ReadyKernel& ready) const;
  void do_synthetic(const Kernel& kernel, ReadyKernel& ready);
  std::int64_t synthetic_items(const Kernel& kernel);

  const System& system_;
  const Workload* workload_;
  KernelKind kind_;
  RateBook& rates_;
  const float4* arena_;
  bool frozen_ = false;
  std::map<std::tuple<const void*, std::int64_t, std::int64_t, std::int64_t>, LaunchShape> shapes_;
};

}  // namespace tactus::runtime::cuda
