#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/runtime/driver/graph_api.hpp"

namespace tactus::runtime::driver {

/// Into which groups the SMs are split before they are put together.
enum class Splitting : unsigned {
  /// Groups in which thread block clusters can be scheduled (8 SMs of an H200). Kernels of cuBLAS and
  /// cuDNN use clusters, and cannot even be made ready elsewhere.
  kForClusters = 0,
  kFinest = 1,  ///< the smallest there are (2 SMs); clusters do not fit
};

/// SMs of its own, as a green context; or the whole GPU, which has none.
class SmPartition {
 public:
  /// The whole GPU: the context that the program uses anyway.
  SmPartition(const Driver& driver, std::int64_t sms, Context whole)
      : driver_(driver), sms_(sms), context_(whole) {}
  ~SmPartition();
  SmPartition(SmPartition&& other) noexcept;
  SmPartition& operator=(SmPartition&&) = delete;

  std::int64_t sms() const { return sms_; }
  bool whole() const { return green_ == nullptr; }
  /// For the nodes of a graph.
  Context context() const { return context_; }
  /// A stream that orders nothing but itself; 0 is the lowest priority, negative ones are higher.
  Result<Stream> make_stream(int priority) const;

 private:
  friend Result<std::vector<SmPartition>> carve(const Driver&, int, std::span<const std::int64_t>,
                                                Splitting);
  std::optional<Error> create(SmResource* groups, unsigned count, int device);

  Driver driver_;
  std::int64_t sms_ = 0;
  GreenContext green_ = nullptr;
  Context context_ = nullptr;
};

/// How SMs can be divided: the size of the groups, and how many SMs they have together (an H200 has
/// 132 SMs, but clusters fit only into 15 groups of 8).
struct SmGroups {
  std::int64_t step = 0, total = 0;  ///< 0: not at all
};
SmGroups look_at_groups(const Driver& driver, int device, Splitting splitting);

/// Disjoint partitions of at least these widths, all from ONE split of the GPU: only groups of one
/// split can be put together again.
Result<std::vector<SmPartition>> carve(const Driver& driver, int device,
                                       std::span<const std::int64_t> widths, Splitting splitting);

}  // namespace tactus::runtime::driver
