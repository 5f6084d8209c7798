#include "tests/arbiter/preload/fake_rm.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tactus::arbiter::preload {
namespace {

FakeRm* alive = nullptr;

constexpr Status kInvalidObject = 0x33, kInvalidClient = 0x23, kInvalidState = 0x1f;

}  // namespace

FakeRm::FakeRm() { alive = this; }
FakeRm::~FakeRm() { alive = nullptr; }

int FakeRm::ioctl(int file, unsigned long request, void* block) {
  if (alive->closed_.contains(file)) return errno = EBADF, -1;
  const Call call{file, request, block};
  if (call.is(kAlloc, sizeof(AllocBlock))) {
    auto* alloc = static_cast<AllocBlock*>(block);
    alloc->status = alive->allocate(file, alloc->head);
    return 0;
  }
  if (call.is(kAlloc, sizeof(AllocBlockWithRights))) {
    auto* alloc = static_cast<AllocBlockWithRights*>(block);
    alloc->status = alive->allocate(file, alloc->head);
    return 0;
  }
  if (call.is(kFree, sizeof(FreeBlock))) {
    auto* free = static_cast<FreeBlock*>(block);
    alive->release({free->client, free->object});
    free->status = kOk;
    return 0;
  }
  if (call.is(kControl, sizeof(ControlBlock))) {
    if (alive->interrupt_once) {
      alive->interrupt_once = false;
      return errno = EINTR, -1;
    }
    auto* control = static_cast<ControlBlock*>(block);
    control->status = alive->control(file, *control);
    return 0;
  }
  return errno = ENOTTY, -1;
}

Status FakeRm::allocate(int file, AllocHead& head) {
  // A handle that comes again has been freed in a way that nobody saw.
  if (is_client(head.object_class)) {
    release({head.object, head.object});
    clients_[head.object] = file;
    return kOk;
  }
  if (!clients_.contains(head.client) || clients_[head.client] != file) return kInvalidClient;
  // The parent must be there, and must not go with what was freed unseen.
  for (Handle above = head.parent; above != head.client;) {
    const auto object = objects_.find({head.client, above});
    if (object == objects_.end() || above == head.object) return kInvalidObject;
    above = object->second.parent;
  }
  release({head.client, head.object});
  objects_[{head.client, head.object}] = {head.parent, head.object_class};
  return kOk;
}

void FakeRm::release(Key key) {
  if (key.client == key.object) {
    clients_.erase(key.client);
    std::erase_if(objects_, [&](const auto& entry) { return entry.first.client == key.client; });
    std::erase_if(off_, [&](const auto& entry) { return entry.first.client == key.client; });
    return;
  }
  if (objects_.erase(key) == 0) return;
  off_.erase(key);
  std::vector<Key> children;
  for (const auto& [child, value] : objects_)
    if (child.client == key.client && value.parent == key.object) children.push_back(child);
  for (const Key child : children) release(child);
}

Status FakeRm::control(int file, ControlBlock& block) {
  if (!clients_.contains(block.client) || clients_[block.client] != file) return kInvalidClient;
  const auto object = objects_.find({block.client, block.object});
  if (object == objects_.end()) return kInvalidObject;
  if (block.command == kGroupSchedule) scheduled_.insert({block.client, block.object});
  if (block.command == kSetTimeSlice) {
    if (object->second.object_class != kChannelGroup || block.parameters_size != 8)
      return kInvalidObject;
    if (refuse_slices) return kInvalidState;
    std::memcpy(&slices[block.object].emplace_back(),
                reinterpret_cast<const void*>(block.parameters), 8);
  }
  if (block.command != kDisableChannels) return kOk;
  if (object->second.object_class != kSubdevice || block.parameters_size != 536)
    return kInvalidObject;
  DisableChannels parameters;
  std::memcpy(&parameters, reinterpret_cast<const void*>(block.parameters), sizeof parameters);
  counts.push_back(parameters.count);
  const int call = parameters.disable != 0 ? disable_calls++ : enable_calls++;
  if (call == (parameters.disable != 0 ? refuse_disable_call : refuse_enable_call))
    return kInvalidState;
  for (std::size_t i = 0; i < parameters.count; ++i) {
    const Key key{parameters.clients[i], parameters.channels[i]};
    if (!objects_.contains(key)) return kInvalidObject;
    disabled_unscheduled |=
        parameters.disable != 0 && !scheduled_.contains({key.client, objects_[key].parent});
    // As measured: disabling counts, enabling beyond zero does no harm.
    if (parameters.disable != 0)
      ++off_[key];
    else if (off_.contains(key) && --off_[key] == 0)
      off_.erase(key);
  }
  return kOk;
}

bool FakeRm::off(Handle client, Handle channel) const { return off_.contains({client, channel}); }

std::size_t FakeRm::reachable_off_count() const {
  return static_cast<std::size_t>(std::count_if(
      off_.begin(), off_.end(), [&](const auto& entry) { return reachable(entry.first); }));
}

bool FakeRm::reachable(Key channel) const {
  const auto device_above = [&](Key at) -> std::optional<Handle> {
    for (int step = 0; step < 4; ++step) {
      const auto object = objects_.find(at);
      if (object == objects_.end()) return std::nullopt;
      if (object->second.object_class == kDevice) return at.object;
      at.object = object->second.parent;
    }
    return std::nullopt;
  };
  const std::optional<Handle> device = device_above(channel);
  return device && std::any_of(objects_.begin(), objects_.end(), [&](const auto& entry) {
           const auto& [key, value] = entry;
           return key.client == channel.client && value.object_class == kSubdevice &&
                  value.parent == *device;
         });
}

void FakeRm::close(int file) {
  closed_.insert(file);
  std::vector<Handle> gone;
  for (const auto& [client, its_file] : clients_)
    if (its_file == file) gone.push_back(client);
  for (const Handle client : gone) release({client, client});
}

}  // namespace tactus::arbiter::preload
