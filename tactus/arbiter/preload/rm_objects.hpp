#pragma once

#include <vector>

#include "tactus/arbiter/preload/rm_layout.hpp"

namespace tactus::arbiter::preload {

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

/// A group of compute channels: what shares the GPU with those of other processes, slice by slice.
struct ComputeGroup {
  int file = -1;
  Handle client = 0;
  Handle group = 0;
};

/// What the process has allocated from the resource manager, learnt by watching its ioctls:
/// clients, devices, subdevices, channel groups and channels; everything else passes unseen. A
/// handle is unique only under its client, and freeing an object frees what was allocated under it.
///
/// Not locked: the caller serialises.
class RmObjects {
 public:
  /// Which channels are those to switch? A copy under way is taken off in the middle, and goes on where
  /// it was (docs/use/arbiter-gpu.md).
  enum class Engines { kCompute, kComputeAndCopies };
  explicit RmObjects(Engines engines = Engines::kCompute) : engines_(engines) {}

  /// A call that succeeded (the ioctl returned 0): remembers what it allocated.
  /// True when channels may run now that could not before.
  bool after(const Call& call);
  /// A call about to be made: forgets what it frees, so that no handle is used that is on its way
  /// out.
  void before(const Call& call);
  /// The file is no longer the one these clients were made through.
  void forget_file(int file);
  void clear() { objects_.clear(); }

  enum class Which { kAll, kOn, kOff };
  /// Compute channels that the program has scheduled, by client and GPU; those that are not yet
  /// scheduled cannot run, and are best left alone. `complete` turns false when a channel was left
  /// out because its GPU's subdevice is not known.
  std::vector<ComputeChannels> compute_channels(Which which, bool* complete = nullptr) const;
  /// Notes that channels were switched. The driver COUNTS how often a channel was disabled, and
  /// wants it enabled as often, so each must be known to be off or on.
  void mark(const std::vector<ComputeChannels>& channels, bool on);
  /// Groups of compute channels that may run, and that this has not named before.
  std::vector<ComputeGroup> new_compute_groups();
  std::size_t size() const { return objects_.size(); }

 private:
  struct Object {
    int file;
    Handle client, parent, handle;
    std::uint32_t object_class;
    std::uint32_t engine = 0;  ///< groups and channels; 0 is none
    bool scheduled = false;    ///< groups and channels: may run
    bool off = false;          ///< channels: disabled by us
    bool named = false;        ///< groups: by `new_compute_groups`
  };

  bool remember(int file, const AllocHead& head, std::size_t parameters_size);
  void forget(Handle client, Handle handle);
  bool schedule(const ControlBlock& block);
  const Object* find(Handle client, Handle handle) const;
  Object* find(Handle client, Handle handle);
  const Object* device_of(const Object& object) const;
  /// Of a channel: is it one to switch, and how matters now?
  bool switchable(const Object& channel, Which which) const;
  /// The client's own file: the driver refuses a client to any other.
  int file_of(const Object& object) const;

  Engines engines_;
  std::vector<Object> objects_;
};

}  // namespace tactus::arbiter::preload
