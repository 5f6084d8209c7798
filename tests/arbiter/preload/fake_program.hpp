#pragma once

#include <functional>
#include <vector>

#include "tactus/arbiter/preload/rm_layout.hpp"

namespace tactus::arbiter::preload {

/// The calls libcuda makes, in the form it makes them. Ends the process when one fails.
class FakeProgram {
 public:
  using Ioctl = std::function<int(int file, unsigned long request, void* block)>;
  explicit FakeProgram(Ioctl ioctl) : ioctl_(std::move(ioctl)) {}

  void client(Handle client, int file);
  void device(Handle client, int file, Handle device, Handle subdevice);
  /// With `engine` in the parameters, where the driver reads it.
  void group(Handle client, int file, Handle device, Handle group, std::uint32_t engine);
  void channel(Handle client, int file, Handle parent, Handle channel, std::uint32_t engine = 0,
               std::uint32_t object_class = 0xc86f);
  void schedule(Handle client, int file, Handle object, std::uint32_t command = kGroupSchedule,
                bool enable = true);
  void free(Handle client, int file, Handle object);

  /// One context: a client (0xc1 and on), a device, a compute group of `channels` channels and a
  /// copy group of two.
  void context(Handle client, int file, std::size_t channels = 8);
  static Handle compute_channel(std::size_t i) { return 0x5c000100 + static_cast<Handle>(i); }
  static constexpr Handle kDeviceHandle = 0x5c000001, kSubdeviceHandle = 0x5c000002;
  static constexpr Handle kComputeGroup = 0x5c000010, kCopyGroup = 0x5c000011;

 private:
  void allocate(Handle client, int file, Handle parent, Handle object, std::uint32_t object_class,
                std::vector<std::uint8_t> parameters, bool with_rights);
  Ioctl ioctl_;
};

}  // namespace tactus::arbiter::preload
