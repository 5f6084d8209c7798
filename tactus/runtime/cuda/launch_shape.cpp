#include "tactus/runtime/cuda/launch_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/runtime/cuda/driver.hpp"
#include "tactus/runtime/cuda/error.hpp"

namespace tactus::runtime::cuda {
namespace {

std::int64_t attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "be used");
  check(cudaDeviceGetAttribute(&value, which, device), "say what it is");
  return value;
}

/// The attribute belongs to a kernel and a device. It is set for both views of the kernel, so that
/// it holds in the primary context and in every partition.
void allow_shared(const void* kernel, int bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "give a block that much shared memory");
  if (driver().kernel_set_attribute == nullptr) return;
  cudaKernel_t handle = nullptr;
  int device = 0;
  check(cudaGetKernel(&handle, kernel), "find a kernel");
  check(cudaGetDevice(&device), "be used");
  check(driver().kernel_set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes,
                                      reinterpret_cast<CUkernel>(handle), device),
        "give a block that much shared memory");
}

}  // namespace

LaunchShape shape_of(const SmShare& share, const void* kernel, unsigned threads) {
  const std::int64_t sm_threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  const std::int64_t sm_memory = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const std::int64_t reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock);
  const std::int64_t most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  cudaFuncAttributes own = {};
  check(cudaFuncGetAttributes(&own, kernel), "find a kernel");
  const auto fixed = static_cast<std::int64_t>(own.sharedSizeBytes);
  const std::int64_t part = std::max<std::int64_t>(share.part, 0);
  const std::int64_t whole = std::max<std::int64_t>({share.whole, part, 1});
  LaunchShape shape;
  if (threads == 0 && part > 0) threads = static_cast<unsigned>(sm_threads * part / whole);
  if (threads == 0) threads = 1024;
  shape.threads = std::clamp((threads + 31) / 32 * 32, 32U, 1024U);  // an SM deals in warps
  allow_shared(kernel, static_cast<int>(most - fixed));
  if (part == 0) return shape;  // it takes the SM as it finds it
  // Memory is handed out in pieces of 128 bytes.
  const std::int64_t bytes = (sm_memory * part / whole - reserved - fixed) / 128 * 128;
  shape.shared = static_cast<std::size_t>(std::clamp<std::int64_t>(bytes, 0, most - fixed));
  const std::int64_t slots = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  shape.resident = static_cast<unsigned>(
      std::min({whole / part, slots, sm_threads / static_cast<std::int64_t>(shape.threads)}));
  return shape;
}

}  // namespace tactus::runtime::cuda
