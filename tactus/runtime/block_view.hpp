#pragma once

#include <cstdint>

/// The device side of a launch: what every kernel that the runtime launches gets, and the loop over
/// its logical blocks. Plain C++ for the host; the `__device__` part is for nvcc only.
namespace tactus::runtime {

/// The largest hardware id of an SM, plus one, that an allow-list can name.
inline constexpr std::uint32_t kMaxSmIds = 256;

/// What one block of a grid records, in host memory that the device can write. No word of it is
/// zero once it is written, so that a record is known to be complete, in any order of its words.
/// All zero: the block was turned away, or never ran.
struct alignas(32) BlockRecord {
  static constexpr std::uint32_t kThrough = 1, kExpired = 2;

  std::uint64_t start = 0, end = 0;  ///< %globaltimer, ns
  std::uint32_t sm_and_1 = 0;        ///< %smid, plus one
  std::uint32_t done_and_1 = 0;      ///< logical blocks it did, plus one
  std::uint32_t outcome = 0;         ///< kThrough; kExpired: it stopped at the time limit
  std::uint32_t unused = 0;

  bool written() const { return outcome != 0; }
  std::uint32_t sm() const { return sm_and_1 - 1; }
  std::uint32_t done() const { return done_and_1 - 1; }
};

/// How a pinned grid shares its work; in device memory. The last block of a grid to leave puts it
/// back to zero, so that a graph can be replayed without clearing anything.
struct PinnedState {
  std::uint32_t tickets = 0;  ///< logical blocks handed out
  std::uint32_t left = 0;     ///< blocks that have left, rejected or done
  std::uint32_t seats[kMaxSmIds] = {};
};

/// What the runtime gives to a kernel, by value, as its first argument.
struct BlockView {
  std::uint32_t first = 0, count = 0;  ///< logical blocks to do: [first, first + count)
  std::uint32_t seats = 0;             ///< of a pinned grid: blocks admitted on one SM
  BlockRecord* records = nullptr;      ///< one per block of the grid; null: not wanted
  PinnedState* pinned = nullptr;       ///< null: the blocks share the work evenly, on any SMs
  std::uint64_t limit_ns = 0;          ///< no block goes on for longer
  std::uint32_t allowed[kMaxSmIds / 32] = {};  ///< of a pinned grid: the SMs it may stay on
};

#ifdef __CUDACC__

__device__ inline std::uint64_t global_timer() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ inline std::uint32_t sm_id() {
  std::uint32_t id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// Calls `body(logical block)` with all threads of the block, for every logical block that falls to
/// this block of the grid. The body may use `__syncthreads()`.
///
/// Evenly shared: block b of g does the b-th g-th part. Pinned: a block that finds itself on an SM
/// that is not allowed, or whose seats are taken, leaves at once; the others draw tickets, each
/// fetched while the work before it runs. No block ever waits for another one, so nothing can hang:
/// work that no block drew is missing from the records, and the host sees it.
template <typename Body>
__device__ void for_each_block(const BlockView& view, Body body) {
  __shared__ std::uint32_t next, stop, admitted;
  const bool leader = threadIdx.x + threadIdx.y + threadIdx.z == 0;
  const std::uint64_t start = global_timer();
  std::uint32_t sm = 0, done = 0, ahead = 0;
  const std::uint64_t grid = gridDim.x, mine = blockIdx.x;
  const auto last = static_cast<std::uint32_t>(view.count * (mine + 1) / grid);
  if (leader) {
    sm = sm_id();
    admitted = 1;
    stop = 0;
    next = static_cast<std::uint32_t>(view.count * mine / grid);
    if (view.pinned != nullptr) {
      const bool here = sm < kMaxSmIds && (view.allowed[sm / 32] >> (sm % 32) & 1U) != 0;
      admitted = here && atomicAdd(&view.pinned->seats[sm], 1U) < view.seats ? 1 : 0;
      if (admitted != 0) next = atomicAdd(&view.pinned->tickets, 1U);
    }
  }
  __syncthreads();
  const std::uint32_t end = view.pinned != nullptr ? view.count : last;
  while (admitted != 0 && stop == 0 && next < end) {
    const std::uint32_t now = next;
    if (leader && view.pinned != nullptr) ahead = atomicAdd(&view.pinned->tickets, 1U);
    body(view.first + now);
    ++done;
    __syncthreads();
    if (leader) {
      next = view.pinned != nullptr ? ahead : now + 1;
      if (global_timer() - start > view.limit_ns) stop = 1;
    }
    __syncthreads();
  }
  if (!leader) return;
  if (admitted != 0 && view.records != nullptr) {
    // Two writes over the bus; the grid is not over before they have arrived.
    const bool expired = stop != 0 && next < end;
    auto* record = reinterpret_cast<uint4*>(view.records + blockIdx.x);
    record[1] =
        make_uint4(sm + 1, done + 1, expired ? BlockRecord::kExpired : BlockRecord::kThrough, 0);
    *reinterpret_cast<ulonglong2*>(record) = make_ulonglong2(start, global_timer());
  }
  if (view.pinned != nullptr) {
    __threadfence();
    if (atomicAdd(&view.pinned->left, 1U) + 1 == gridDim.x) {
      for (std::uint32_t& seat : view.pinned->seats) seat = 0;
      view.pinned->tickets = 0;
      view.pinned->left = 0;
    }
  }
}

#endif

}  // namespace tactus::runtime
