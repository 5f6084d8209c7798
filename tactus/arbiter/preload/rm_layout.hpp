#pragma once

#include <linux/ioctl.h>

#include <cstddef>
#include <cstdint>

/// The blocks that libcuda exchanges with NVIDIA's resource manager (RM), as far as they matter
/// for taking channels off the GPU: the layouts of driver branch 580, also found in the published
/// kernel module. They are not a documented interface; `driver.hpp` says where they are trusted.
namespace tactus::arbiter::preload {

using Handle = std::uint32_t;
using Status = std::uint32_t;
inline constexpr Status kOk = 0;

// The ioctl numbers, all of magic 'F'. A framebuffer uses the same magic: the size tells.
inline constexpr unsigned kMagic = 'F';
inline constexpr unsigned kFree = 0x29;
inline constexpr unsigned kControl = 0x2a;
inline constexpr unsigned kAlloc = 0x2b;

// Classes of objects.
inline constexpr std::uint32_t kDevice = 0x0080;
inline constexpr std::uint32_t kSubdevice = 0x2080;
inline constexpr std::uint32_t kChannelGroup = 0xa06c;
/// 0x906f (Fermi) to 0xc86f (Hopper) and on: a generation changes all but the last byte.
constexpr bool is_channel(std::uint32_t object_class) {
  return (object_class & 0xff) == 0x6f && object_class >= 0x906f;
}
constexpr bool is_client(std::uint32_t object_class) {
  return object_class == 0x41 || object_class <= 0x01;
}

/// The graphics and compute engines GR0 to GR7, and the copy engines behind them.
constexpr bool is_compute_engine(std::uint32_t type) { return type >= 1 && type <= 8; }
constexpr bool is_copy_engine(std::uint32_t type) { return type >= 9 && type <= 18; }

// Controls.
inline constexpr std::uint32_t kDisableChannels = 0x2080110b;
inline constexpr std::uint32_t kGroupSchedule = 0xa06c0101;
inline constexpr std::uint32_t kSetTimeSlice = 0xa06c0103;  ///< of a group, in microseconds
inline constexpr std::uint32_t kChannelSchedule = 0xa06f0103;

struct FreeBlock {
  Handle client, parent, object;
  Status status;
};
static_assert(sizeof(FreeBlock) == 16);

/// The head that both forms of an allocation share; the size of the ioctl tells them apart.
struct AllocHead {
  Handle client, parent, object;
  std::uint32_t object_class;
  std::uint64_t parameters;
};
struct AllocBlock {
  AllocHead head;
  std::uint32_t parameters_size;
  Status status;
};
struct AllocBlockWithRights {
  AllocHead head;
  std::uint64_t rights;
  std::uint32_t parameters_size, flags;
  Status status;
};
static_assert(sizeof(AllocBlock) == 32 && sizeof(AllocBlockWithRights) == 48);

struct ControlBlock {
  Handle client, object;
  std::uint32_t command, flags;
  std::uint64_t parameters;
  std::uint32_t parameters_size;
  Status status;
};
static_assert(sizeof(ControlBlock) == 32);

/// Where the engine stands in the parameters of a channel group, and of a channel without one.
inline constexpr std::size_t kGroupEngineOffset = 12;
inline constexpr std::size_t kChannelEngineOffset = 128;

inline constexpr std::size_t kMostChannelsAtOnce = 64;

struct DisableChannels {
  std::uint8_t disable;
  std::uint32_t count;
  std::uint8_t only_disable_scheduling;
  std::uint8_t rewind;
  std::uint64_t preempt_event;  ///< for kernel callers; 0: the call returns when all are off
  Handle clients[kMostChannelsAtOnce];
  Handle channels[kMostChannelsAtOnce];
};
static_assert(sizeof(DisableChannels) == 536 && offsetof(DisableChannels, clients) == 24 &&
              offsetof(DisableChannels, channels) == 280);

inline constexpr unsigned long kControlRequest = _IOWR(kMagic, kControl, ControlBlock);

}  // namespace tactus::arbiter::preload
