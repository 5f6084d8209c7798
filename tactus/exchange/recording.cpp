#include "tactus/exchange/recording.hpp"

#include <algorithm>
#include <array>

#include "tactus/base/contains.hpp"

namespace tactus::exchange {

std::uint32_t Names::of(std::string_view name) {
  const auto [entry, fresh] =
      ids_.try_emplace(std::string(name), static_cast<std::uint32_t>(texts_.size()));
  if (fresh) texts_.push_back(&entry->first);
  return entry->second;
}

std::optional<CallKind> call_kind(std::string_view function) {
  if (!function.starts_with("cuda") && !function.starts_with("cu")) return std::nullopt;
  if (contains(function, "StreamWaitEvent")) return CallKind::kWaitEvent;
  if (contains(function, "EventRecord")) return CallKind::kRecordEvent;
  if (contains(function, "Synchronize")) return CallKind::kSync;
  if (contains(function, "GetAttribute") || contains(function, "SetAttribute")) return std::nullopt;
  // A copy that is not asynchronous returns when it is done.
  if (contains(function, "Memcpy") && !contains(function, "Async")) return CallKind::kLaunchAndWait;
  constexpr std::array<std::string_view, 4> kEnqueue = {"Launch", "Memcpy", "Memset",
                                                        "MemPrefetch"};
  for (std::string_view word : kEnqueue) {
    if (contains(function, word)) return CallKind::kLaunch;
  }
  return std::nullopt;
}

std::optional<std::int64_t> blocks_per_sm(const GpuWork& kernel, const SmLimits& sm) {
  if (kernel.threads <= 0) return std::nullopt;
  std::optional<std::int64_t> most;
  const auto limit = [&](std::int64_t blocks) { most = most ? std::min(*most, blocks) : blocks; };
  constexpr std::int64_t kWarp = 32, kRegisterStep = 256, kSharedStep = 1024;
  const std::int64_t warps = (kernel.threads + kWarp - 1) / kWarp;
  if (sm.threads) limit(*sm.threads / (warps * kWarp));
  if (sm.blocks) limit(*sm.blocks);
  if (sm.registers && kernel.registers > 0) {  // a warp gets its registers in steps
    const std::int64_t of_warp =
        (kernel.registers * kWarp + kRegisterStep - 1) / kRegisterStep * kRegisterStep;
    limit(*sm.registers / of_warp / warps);
  }
  if (sm.shared_memory) {  // each block costs the system 1 KiB on top
    limit(*sm.shared_memory / (kernel.shared_memory + kSharedStep));
  }
  return most;
}

std::optional<std::int64_t> most_blocks_of_sm(std::int64_t major, std::int64_t minor) {
  switch (major) {
    case 7:
      return minor == 5 ? 16 : 32;
    case 8:
      return minor == 0 ? 32 : minor == 9 ? 24 : 16;
    case 9:
    case 10:
      return 32;
    case 11:
    case 12:
      return 24;
    default:
      return std::nullopt;
  }
}

}  // namespace tactus::exchange
