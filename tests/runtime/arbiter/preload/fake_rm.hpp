#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tactus/runtime/arbiter/preload/channel_control.hpp"

namespace tactus::rm {

/// A resource manager in the test's own memory, behind the same ioctl blocks as the real one. It
/// keeps what is allocated, knows which channels are off, and refuses what the real one refuses:
/// handles that are not there, and clients through a file that is not theirs.
class FakeRm {
 public:
  FakeRm();
  ~FakeRm();

  /// To be given to a `ChannelControl`; serves the one FakeRm that is alive.
  static int ioctl(int file, unsigned long request, void* block);

  bool off(Handle client, Handle channel) const;
  std::size_t off_count() const { return off_.size(); }
  void close(int file);

  int disable_calls = 0;  ///< with `disable` set
  int enable_calls = 0;
  std::optional<int> refuse_disable_call;  ///< this one (from 0) gets status 0x1f
  bool interrupt_once = false;             ///< the next control fails with EINTR
  std::vector<std::size_t> counts;         ///< channels named in each control

 private:
  struct Key {
    Handle client, object;
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    Handle parent;
    std::uint32_t object_class;
  };
  Status allocate(int file, AllocHead& head);
  void release(Key key);
  Status control(int file, ControlBlock& block);

  std::map<Handle, int> clients_;  ///< client to its file
  std::map<Key, Value> objects_;
  std::set<Key> off_;
  std::set<int> closed_;
};

/// The calls libcuda makes, in the form it makes them, through a `ChannelControl`.
class FakeProgram {
 public:
  explicit FakeProgram(ChannelControl& control) : control_(control) {}

  void client(Handle client, int file);
  void device(Handle client, int file, Handle device, Handle subdevice);
  /// With `engine` in the parameters, where the driver reads it.
  void group(Handle client, int file, Handle device, Handle group, std::uint32_t engine);
  void channel(Handle client, int file, Handle parent, Handle channel, std::uint32_t engine = 0,
               std::uint32_t object_class = 0xc86f);
  void schedule(Handle client, int file, Handle group);
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
  ChannelControl& control_;
};

}  // namespace tactus::rm
