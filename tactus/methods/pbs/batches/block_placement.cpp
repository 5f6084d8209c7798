#include "tactus/methods/pbs/batches/block_placement.hpp"

#include <algorithm>

namespace tactus::pbs {
namespace {

/// How many more blocks of that need an SM takes.
std::int64_t room_for(const Resources& need, const Resources& free) {
  std::int64_t room = INT64_MAX;
  for (std::size_t r = 0; r < need.size(); ++r) {
    if (need[r] > 0) room = std::min(room, free[r] / need[r]);
  }
  return room;
}

/// Blocks placed when every room above `level` is levelled down to it; stops counting at `enough`.
std::int64_t placed_down_to(const std::vector<std::int64_t>& rooms, std::int64_t level,
                            std::int64_t enough) {
  std::int64_t placed = 0;
  for (std::int64_t room : rooms) {
    const std::int64_t here = std::max<std::int64_t>(0, room - level);
    if (here >= enough - placed) return enough;
    placed += here;
  }
  return placed;
}

}  // namespace

Placement::Placement(const TaskSet& set)
    : set_(set), free_(static_cast<std::size_t>(set.units), set.sm), room_(free_.size()) {}

bool Placement::add(std::uint32_t kernel) {
  const Resources& need = set_.kernels[kernel].need;
  const std::int64_t blocks = set_.kernels[kernel].blocks;
  for (std::size_t s = 0; s < free_.size(); ++s) room_[s] = room_for(need, free_[s]);
  if (placed_down_to(room_, 0, blocks) < blocks) return false;

  // The lowest level that needs no more than all blocks; those that remain go one each to the SMs
  // at that level, lowest index first.
  std::int64_t low = 0, high = *std::max_element(room_.begin(), room_.end());
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (placed_down_to(room_, middle, blocks + 1) <= blocks) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  std::int64_t rest = blocks - placed_down_to(room_, low, blocks + 1);
  for (std::size_t s = 0; s < free_.size(); ++s) {
    std::int64_t here = std::max<std::int64_t>(0, room_[s] - low);
    if (room_[s] >= low && rest > 0) {
      ++here;
      --rest;
    }
    for (std::size_t r = 0; r < need.size(); ++r) free_[s][r] -= here * need[r];
  }
  return true;
}

bool fits(const TaskSet& set, std::span<const std::uint32_t> order) {
  if (!set.has_blocks || order.size() <= 1) return true;
  Placement gpu(set);
  return std::all_of(order.begin(), order.end(),
                     [&](std::uint32_t kernel) { return gpu.add(kernel); });
}

std::optional<std::int64_t> common_capacity(const TaskSet& set) {
  if (!set.has_blocks) return std::nullopt;
  const Resources& need = set.kernels.front().need;
  for (const Kernel& kernel : set.kernels) {
    if (kernel.need != need) return std::nullopt;
  }
  return checked::mul(set.units, room_for(need, set.sm));
}

bool exceeds_gpu(const TaskSet& set, std::span<const std::uint32_t> kernels) {
  for (std::size_t r = 0; r < set.sm.size(); ++r) {
    const __int128 capacity = static_cast<__int128>(set.units) * set.sm[r];
    __int128 sum = 0;
    for (std::uint32_t kernel : kernels) {
      sum += static_cast<__int128>(set.kernels[kernel].blocks) * set.kernels[kernel].need[r];
    }
    if (sum > capacity) return true;
  }
  return false;
}

}  // namespace tactus::pbs
