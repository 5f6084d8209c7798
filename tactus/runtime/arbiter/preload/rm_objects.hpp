#pragma once

#include <optional>
#include <vector>

#include "tactus/runtime/arbiter/preload/rm_layout.hpp"

namespace tactus::rm {

/// One ioctl of the program, before or after the driver has seen it.
struct Call {
  int file = -1;
  unsigned long request = 0;
  const void* block = nullptr;

  bool is(unsigned number, std::size_t size) const {
    return _IOC_TYPE(request) == kMagic && _IOC_NR(request) == number &&
           _IOC_SIZE(request) == size && block != nullptr;
  }
};

/// The compute channels under one client and one GPU, and the handle that switches them.
struct ComputeChannels {
  int file = -1;
  Handle client = 0;
  Handle subdevice = 0;
  std::vector<Handle> channels;
};

/// What the process has allocated from the resource manager, learnt by watching its ioctls:
/// clients, devices, subdevices, channel groups and channels; everything else passes unseen. A
/// handle is unique only under its client, and freeing an object frees what was allocated under it.
///
/// Not locked: the caller serialises.
class RmObjects {
 public:
  /// A call that succeeded (the ioctl returned 0): remembers what it allocated.
  /// True when it scheduled channels: some may run now that did not before.
  bool after(const Call& call);
  /// A call about to be made: forgets what it frees, so that no handle is used that is on its way
  /// out.
  void before(const Call& call);
  /// The file is no longer the one these clients were made through.
  void forget_file(int file);
  void clear() { objects_.clear(); }

  /// Every compute channel, by client and GPU. `complete` turns false when a channel was left out
  /// because its GPU's subdevice is not known.
  std::vector<ComputeChannels> compute_channels(bool* complete = nullptr) const;
  std::size_t size() const { return objects_.size(); }

 private:
  struct Object {
    int file;
    Handle client, parent, handle;
    std::uint32_t object_class;
    std::uint32_t engine;  ///< groups and channels; 0 is none
  };

  void remember(int file, const AllocHead& head, std::size_t parameters_size);
  void forget(Handle client, Handle handle);
  const Object* find(Handle client, Handle handle) const;
  const Object* device_of(const Object& object) const;
  std::uint32_t engine_of(const Object& channel) const;

  std::vector<Object> objects_;
};

}  // namespace tactus::rm
