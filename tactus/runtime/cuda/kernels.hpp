#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/// Synthetic kernels of fixed WORK: a logical block ("item") is a fixed number of operations of one
/// kind, a few microseconds of an SM. Never a spin on a clock, which would go on "working" while
/// the kernel is switched out.
namespace tactus::runtime::cuda {

enum class KernelKind { kCompute, kSpecial, kBranch, kMemory, kMixed };
inline constexpr std::array kKinds = {KernelKind::kCompute, KernelKind::kSpecial,
                                      KernelKind::kBranch, KernelKind::kMemory, KernelKind::kMixed};

std::string_view to_string(KernelKind kind);
std::optional<KernelKind> parse_kind(std::string_view name);

/// The kernel, to be launched with a `BlockView` and a `const float4*` (the arena, kArenaBytes).
const void* kernel_of(KernelKind kind);

/// What the memory kinds read: larger than the L2 caches of today.
inline constexpr std::size_t kArenaBytes = std::size_t{256} << 20;

/// Writes %globaltimer to its argument, a `std::uint64_t*`.
const void* timer_kernel();
/// Writes the stretches in which it did not run to its argument, a `GapLog*`.
const void* gap_kernel();

/// One thread that reads the timer without pause sees a hole whenever its process is switched out.
struct GapLog {
  static constexpr unsigned kMost = 4096;
  unsigned count = 0;
  unsigned long long run_ns = 0;                ///< to run for
  unsigned long long least_ns = 0;              ///< shorter holes are not kept
  unsigned long long begin[kMost], end[kMost];  ///< of each hole
};

}  // namespace tactus::runtime::cuda
