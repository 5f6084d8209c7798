#include "tactus/runtime/cuda/partitions.hpp"

#include <fmt/format.h>

#include <set>

#include "tactus/runtime/block_view.hpp"
#include "tactus/runtime/cuda/driver.hpp"
#include "tactus/runtime/cuda/kernels.hpp"
#include "tactus/runtime/cuda/launch_shape.hpp"
#include "tactus/runtime/gpu/sm_runs.hpp"

namespace tactus::runtime::cuda {

// The other constructor first: from then on the destructor releases what was made, whatever fails.
SmPartition::SmPartition(CUdevResource* groups, unsigned count, int device) : SmPartition(0) {
  const Driver& calls = driver();
  CUdevResourceDesc description = nullptr;
  check(calls.describe(&description, groups, count), "put SMs together");
  check(calls.green_create(&green_, description, device, CU_GREEN_CTX_DEFAULT_STREAM),
        "make a partition of SMs");
  check(calls.context_of(&context_, green_), "enter a partition of SMs");
  for (unsigned i = 0; i < count; ++i) sms_ += groups[i].sm.smCount;
}

SmPartition::SmPartition(SmPartition&& other) noexcept
    : sms_(other.sms_),
      green_(std::exchange(other.green_, nullptr)),
      context_(std::exchange(other.context_, nullptr)) {}

SmPartition::~SmPartition() {
  if (green_ != nullptr) static_cast<void>(driver().green_destroy(green_));
}

Stream SmPartition::make_stream(int priority) const {
  if (green_ == nullptr) return cuda::make_stream(priority);
  CUstream stream = nullptr;
  check(driver().green_stream(&stream, green_, CU_STREAM_NON_BLOCKING, priority),
        "make a stream of a partition");
  return Stream(stream);
}

std::vector<SmPartition> carve(int device, std::span<const std::int64_t> widths) {
  const Driver& calls = driver();
  if (!calls.has_green_contexts()) {
    throw CudaError("this driver cannot divide the GPU (no green contexts)");
  }
  CUdevResource all = {}, rest = {};
  check(calls.device_get_resource(device, &all, CU_DEV_RESOURCE_TYPE_SM), "count its SMs");
  constexpr unsigned kFinest = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING;
  unsigned count = 0;
  check(calls.split_sms(nullptr, &count, &all, nullptr, kFinest, 1), "divide its SMs");
  std::vector<CUdevResource> groups(count);
  check(calls.split_sms(groups.data(), &count, &all, &rest, kFinest, 1), "divide its SMs");
  const auto step = static_cast<std::int64_t>(groups.empty() ? 1 : groups.front().sm.smCount);
  const auto runs = gpu::assign_groups(widths, step, static_cast<std::int64_t>(count));
  if (!runs) throw CudaError(runs.error().message);
  std::vector<SmPartition> partitions;
  for (const gpu::GroupRun& run : *runs) {
    partitions.emplace_back(&groups[static_cast<std::size_t>(run.first)],
                            static_cast<unsigned>(run.count), device);
  }
  return partitions;
}

std::vector<std::int32_t> observe_sms(const SmPartition& partition) {
  const Stream stream = partition.make_stream(0);
  const auto wanted = static_cast<std::size_t>(partition.sms());
  const HostArray<BlockRecord> records(wanted);
  const DeviceArray<float4> unused(1);
  const LaunchShape shape = shape_of(SmShare{}, kernel_of(Kind::kCompute));
  BlockView view;
  view.count = static_cast<std::uint32_t>(32 * wanted);  // long enough to be resident together
  view.records = records.on_device();
  view.limit_ns = 1'000'000'000;
  std::set<std::int32_t> seen;
  for (int attempt = 0; attempt < 10 && seen.size() < wanted; ++attempt) {
    launch_kernel(kernel_of(Kind::kCompute), static_cast<unsigned>(wanted), shape.threads,
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
