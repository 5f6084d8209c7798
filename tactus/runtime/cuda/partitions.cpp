#include "tactus/runtime/cuda/partitions.hpp"

#include <fmt/format.h>

#include <set>

#include "tactus/runtime/block_view.hpp"
#include "tactus/runtime/cuda/kernels.hpp"
#include "tactus/runtime/cuda/launch_shape.hpp"

namespace tactus::runtime::cuda {

Stream make_stream(const SmPartition& partition, int priority) {
  const auto stream = partition.make_stream(priority);
  if (!stream) throw CudaError(stream.error().message);
  return Stream(static_cast<cudaStream_t>(*stream));
}

std::vector<std::int32_t> observe_sms(const Stream& stream, std::int64_t sms) {
  const auto wanted = static_cast<std::size_t>(sms);
  const HostArray<BlockRecord> records(wanted);
  const DeviceArray<float4> unused(1);
  const LaunchShape shape = shape_of(SmShare{}, kernel_of(KernelKind::kCompute));
  BlockView view;
  view.count = static_cast<std::uint32_t>(32 * wanted);  // long enough to be resident together
  view.records = records.on_device();
  view.limit_ns = 1'000'000'000;
  std::set<std::int32_t> seen;
  for (int attempt = 0; attempt < 10 && seen.size() < wanted; ++attempt) {
    launch_kernel(kernel_of(KernelKind::kCompute), static_cast<unsigned>(wanted), shape.threads,
                  shape.shared, stream.get(), view, unused.data());
    check(cudaStreamSynchronize(stream.get()), "look for its SMs");
    for (const BlockRecord& record : records.items()) {
      if (record.written()) seen.insert(static_cast<std::int32_t>(record.sm()));
    }
  }
  if (seen.size() > wanted) {
    throw CudaError(fmt::format("a partition of {} SMs ran on {}", wanted, seen.size()));
  }
  return {seen.begin(), seen.end()};
}

}  // namespace tactus::runtime::cuda
