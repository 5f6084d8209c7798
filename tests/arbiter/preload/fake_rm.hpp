#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tactus/arbiter/preload/channel_control.hpp"

namespace tactus::arbiter::preload {

/// A resource manager in the test's own memory, behind the same ioctl blocks as the real one. It
/// keeps what is allocated, knows which channels are off, and refuses what the real one refuses:
/// handles and parents that are not there, and clients through a file that is not theirs.
class FakeRm {
 public:
  FakeRm();
  ~FakeRm();

  /// To be given to a `ChannelControl`; serves the one FakeRm that is alive.
  static int ioctl(int file, unsigned long request, void* block);

  bool off(Handle client, Handle channel) const;
  std::size_t off_count() const { return off_.size(); }
  /// Of those, the ones whose GPU still has a subdevice to switch them with.
  std::size_t reachable_off_count() const;
  void close(int file);

  int disable_calls = 0;  ///< with `disable` set
  int enable_calls = 0;
  std::optional<int> refuse_disable_call;  ///< this one (from 0) gets status 0x1f
  std::optional<int> refuse_enable_call;
  bool interrupt_once = false;        ///< the next control fails with EINTR
  std::vector<std::size_t> counts;    ///< channels named in each control
  bool disabled_unscheduled = false;  ///< a channel that could not run was disabled
  std::map<Handle, std::vector<std::uint64_t>> slices;  ///< given to a group, by its handle
  bool refuse_slices = false;

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
  bool reachable(Key channel) const;
  Status control(int file, ControlBlock& block);

  std::map<Handle, int> clients_;  ///< client to its file
  std::map<Key, Value> objects_;
  std::map<Key, int> off_;  ///< how often each was disabled: it must be enabled as often
  std::set<Key> scheduled_;
  std::set<int> closed_;
};

}  // namespace tactus::arbiter::preload
