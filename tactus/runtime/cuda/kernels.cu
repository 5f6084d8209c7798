#include "tactus/runtime/block_view.hpp"
#include "tactus/runtime/cuda/kernels.hpp"

namespace tactus::runtime::cuda {
// Not an unnamed namespace: its name would be made of the path of this file, and two builds differ.
namespace device {

// Sizes of an item, chosen so that 1024 threads take 2 to 4 us on an SM of an H200. Work is what
// these loops do; nothing else depends on the numbers.
constexpr int kComputeSteps = 96;
constexpr int kSpecialSteps = 24;
constexpr int kBranchSteps = 20;
constexpr int kMemorySteps = 8;

// Two blocks of 1024 threads must fit an SM: at most 32 registers a thread.
#define TACTUS_FAT_BLOCK __launch_bounds__(1024, 2)

__device__ float seed(std::uint32_t item) {
  return 1.0F + 1e-3F * static_cast<float>((threadIdx.x * 31U + item) & 255U);
}

/// The result must be used, or the assembler would remove the work: an empty `asm` does not prevent
/// that. No item ever has this value.
__device__ void keep(float value, const float4* arena) {
  if (value == -1.2345678e33F) const_cast<float4*>(arena)->x = value;
}

__device__ float compute_item(std::uint32_t item) {
  float a = seed(item), b = a + 0.1F, c = a + 0.2F, d = a + 0.3F;
#pragma unroll 4
  for (int i = 0; i < kComputeSteps; ++i) {
    a = fmaf(a, 0.999F, 0.001F);
    b = fmaf(b, 0.998F, 0.002F);
    c = fmaf(c, 0.997F, 0.003F);
    d = fmaf(d, 0.996F, 0.004F);
  }
  return a + b + c + d;
}

__device__ float special_item(std::uint32_t item) {
  float a = seed(item), b = a + 0.5F;
#pragma unroll 2
  for (int i = 0; i < kSpecialSteps; ++i) {
    a = __sinf(a) + 1.5F;
    b = __expf(-b) + rsqrtf(a);
  }
  return a + b;
}

__device__ float branch_item(std::uint32_t item) {
  std::uint32_t state = threadIdx.x * 2654435761U + item;
  float a = seed(item);
#pragma unroll 1
  for (int i = 0; i < kBranchSteps; ++i) {
    state = state * 1664525U + 1013904223U;
    switch (state >> 30) {  // four ways, taken by different lanes of every warp
      case 0:
        a = fmaf(a, 0.99F, 0.5F);
        break;
      case 1:
        a = a * a * 0.25F + 0.125F;
        break;
      case 2:
        a = fabsf(a - 1.0F) + 0.75F;
        break;
      default:
        a = fmaf(a, -0.5F, 2.0F);
    }
  }
  return a;
}

__device__ float memory_item(std::uint32_t item, const float4* arena) {
  constexpr std::size_t kSlots = kArenaBytes / sizeof(float4);
  std::size_t at = (static_cast<std::size_t>(item) * kMemorySteps * 1024 + threadIdx.x) % kSlots;
  float sum = 0;
#pragma unroll 4
  for (int i = 0; i < kMemorySteps; ++i) {
    const float4 word = __ldcg(arena + at);
    sum += word.x + word.y + word.z + word.w;
    at = (at + 1024) % kSlots;
  }
  return sum;
}

template <KernelKind kKind>
__device__ float item_of(std::uint32_t item, const float4* arena) {
  if constexpr (kKind == KernelKind::kCompute) return compute_item(item);
  if constexpr (kKind == KernelKind::kSpecial) return special_item(item);
  if constexpr (kKind == KernelKind::kBranch) return branch_item(item);
  if constexpr (kKind == KernelKind::kMemory) return memory_item(item, arena);
  switch (item % 4) {  // kMixed
    case 0:
      return compute_item(item);
    case 1:
      return special_item(item);
    case 2:
      return branch_item(item);
    default:
      return memory_item(item, arena);
  }
}

template <KernelKind kKind>
__global__ void TACTUS_FAT_BLOCK synthetic(const __grid_constant__ BlockView view,
                                           const float4* arena) {
  for_each_block(view, [arena](std::uint32_t item) { keep(item_of<kKind>(item, arena), arena); });
}

__global__ void write_timer(std::uint64_t* out) {
  *out = global_timer();
  __threadfence_system();
}

/// All blocks keep their SMs busy, so that a switch has a whole GPU to save; one thread looks.
__global__ void find_gaps(GapLog* log) {
  const std::uint64_t begin = global_timer(), run = log->run_ns, least = log->least_ns;
  const bool looks = blockIdx.x == 0 && threadIdx.x == 0;
  unsigned count = 0;
  for (std::uint64_t before = begin; before - begin < run && count < GapLog::kMost;) {
    const std::uint64_t now = global_timer();
    if (looks && now - before >= least) {
      log->begin[count] = before;
      log->end[count] = now;
      ++count;
    }
    before = now;
  }
  if (looks) log->count = count;
}

}  // namespace device

using namespace device;

const void* kernel_of(KernelKind kind) {
  switch (kind) {
    case KernelKind::kCompute:
      return reinterpret_cast<const void*>(&synthetic<KernelKind::kCompute>);
    case KernelKind::kSpecial:
      return reinterpret_cast<const void*>(&synthetic<KernelKind::kSpecial>);
    case KernelKind::kBranch:
      return reinterpret_cast<const void*>(&synthetic<KernelKind::kBranch>);
    case KernelKind::kMemory:
      return reinterpret_cast<const void*>(&synthetic<KernelKind::kMemory>);
    case KernelKind::kMixed:
      return reinterpret_cast<const void*>(&synthetic<KernelKind::kMixed>);
  }
  return nullptr;
}

const void* timer_kernel() { return reinterpret_cast<const void*>(&write_timer); }
const void* gap_kernel() { return reinterpret_cast<const void*>(&find_gaps); }

}  // namespace tactus::runtime::cuda
