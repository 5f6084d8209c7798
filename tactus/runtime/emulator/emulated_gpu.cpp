#include "tactus/runtime/emulator/emulated_gpu.hpp"

#include <algorithm>

namespace tactus::runtime {
namespace {

/// An SM in parts fine enough that rounding a share down neither adds nor loses a block.
constexpr std::int64_t kWholeSm = std::int64_t{1} << 40;

std::int64_t need_of(SmShare share) {
  return static_cast<std::int64_t>(static_cast<__int128>(kWholeSm) * share.part / share.whole);
}

}  // namespace

void EmulatedGpu::submit(std::uint64_t id, const Kernel& kernel, Range sms) {
  Waiting waiting;
  waiting.id = id;
  waiting.sms = sms;
  waiting.partition = kernel.partition;
  waiting.priority = kernel.priority;
  waiting.share = kernel.share;
  waiting.blocks = kernel.blocks;
  if (kernel.pinning) {
    waiting.pinned = true;
    waiting.sms = {sms.first + kernel.pinning->first, kernel.pinning->count};
  }
  const auto behind = std::find_if(queue_.begin(), queue_.end(), [&](const Waiting& other) {
    return other.priority < waiting.priority;
  });
  queue_.insert(behind, waiting);
}

std::int32_t EmulatedGpu::place_for(const Waiting& waiting) const {
  const std::int64_t need = need_of(waiting.share);
  const auto room = [&](std::int64_t sm) {
    return sms_[static_cast<std::size_t>(sm)].used + need <= kWholeSm;
  };
  if (waiting.pinned) {  // its seats one after the other
    const std::int64_t sm = waiting.sms.first + waiting.next % waiting.sms.count;
    return room(sm) ? static_cast<std::int32_t>(sm) : -1;
  }
  // The SM with the most room, then the fewest blocks: on an empty GPU, round robin.
  std::int64_t best = -1;
  for (std::int64_t sm = waiting.sms.first; sm < waiting.sms.first + waiting.sms.count; ++sm) {
    if (!room(sm)) continue;
    const Sm& a = sms_[static_cast<std::size_t>(sm)];
    const Sm* b = best < 0 ? nullptr : &sms_[static_cast<std::size_t>(best)];
    if (b == nullptr || a.used < b->used || (a.used == b->used && a.blocks < b->blocks)) best = sm;
  }
  return static_cast<std::int32_t>(best);
}

std::vector<EmulatedGpu::Placed> EmulatedGpu::dispatch() {
  std::vector<Placed> placed;
  std::vector<PartitionId> stopped;  // a block that fits nowhere stops those behind it
  for (Waiting& waiting : queue_) {
    if (!waiting.pinned &&
        std::find(stopped.begin(), stopped.end(), waiting.partition) != stopped.end()) {
      continue;
    }
    while (waiting.next < waiting.blocks) {
      const std::int32_t sm = place_for(waiting);
      if (sm < 0) break;
      Sm& taken = sms_[static_cast<std::size_t>(sm)];
      taken.used += need_of(waiting.share);
      ++taken.blocks;
      placed.push_back({waiting.id, waiting.next++, sm});
    }
    if (waiting.next < waiting.blocks && !waiting.pinned) stopped.push_back(waiting.partition);
  }
  std::erase_if(queue_, [](const Waiting& waiting) { return waiting.next == waiting.blocks; });
  return placed;
}

void EmulatedGpu::leave(std::int32_t sm, SmShare share) {
  Sm& left = sms_[static_cast<std::size_t>(sm)];
  left.used -= need_of(share);
  --left.blocks;
}

}  // namespace tactus::runtime
