#include "tactus/arbiter/preload/rm_objects.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tactus::arbiter::preload {
namespace {

/// Copied out, because the program's block need not be aligned.
template <typename Block>
Block read(const void* block) {
  Block copy;
  std::memcpy(&copy, block, sizeof copy);
  return copy;
}

/// The program gives addresses as numbers.
const std::uint8_t* bytes_at(std::uint64_t address) {
  return reinterpret_cast<const std::uint8_t*>(address);  // NOLINT(performance-no-int-to-ptr)
}

std::uint32_t word_at(std::uint64_t parameters, std::size_t size, std::size_t offset) {
  // An older libcuda states no size; the driver then takes the class's own.
  if (parameters == 0 || (size != 0 && size < offset + sizeof(std::uint32_t))) return 0;
  std::uint32_t word = 0;
  std::memcpy(&word, bytes_at(parameters) + offset, sizeof word);
  return word;
}

}  // namespace

bool RmObjects::after(const Call& call) {
  if (call.is(kAlloc, sizeof(AllocBlock))) {
    const auto block = read<AllocBlock>(call.block);
    return block.status == kOk && remember(call.file, block.head, block.parameters_size);
  }
  if (call.is(kAlloc, sizeof(AllocBlockWithRights))) {
    const auto block = read<AllocBlockWithRights>(call.block);
    return block.status == kOk && remember(call.file, block.head, block.parameters_size);
  }
  if (call.is(kControl, sizeof(ControlBlock))) {
    const auto block = read<ControlBlock>(call.block);
    return block.status == kOk &&
           (block.command == kGroupSchedule || block.command == kChannelSchedule) &&
           schedule(block);
  }
  return false;
}

bool RmObjects::schedule(const ControlBlock& block) {
  Object* const object = find(block.client, block.object);
  if (object == nullptr || block.parameters == 0 || block.parameters_size == 0) return false;
  // The first byte of the parameters says whether to schedule or to stop doing so.
  object->scheduled = *bytes_at(block.parameters) != 0;
  return object->scheduled;
}

void RmObjects::before(const Call& call) {
  if (!call.is(kFree, sizeof(FreeBlock))) return;
  const auto block = read<FreeBlock>(call.block);
  forget(block.client, block.object);
}

bool RmObjects::remember(int file, const AllocHead& head, std::size_t parameters_size) {
  const std::uint32_t type = head.object_class;
  Object object{file, head.client, head.parent, head.object, type};
  // A new client is its own root; the block names it in both places or in `object` alone.
  if (is_client(type)) object.client = object.parent = head.object;
  // A handle that comes again, for whatever, has been freed unseen.
  forget(object.client, object.handle);
  if (type == kChannelGroup) {
    object.engine = word_at(head.parameters, parameters_size, kGroupEngineOffset);
  } else if (is_channel(type)) {
    object.engine = word_at(head.parameters, parameters_size, kChannelEngineOffset);
  } else if (!is_client(type) && type != kDevice && type != kSubdevice) {
    return false;
  }
  objects_.push_back(object);
  // A channel that joins a group which is scheduled already needs no call of its own.
  return switchable(objects_.back(), Which::kOn);
}

void RmObjects::forget(Handle client, Handle handle) {
  const auto gone = [&](const Object& object) {
    return object.client == client && (object.handle == handle || client == handle);
  };
  // An object of a class that is not remembered may have children that are.
  std::vector<Handle> children;
  for (const Object& object : objects_)
    if (object.client == client && object.parent == handle && object.handle != handle)
      children.push_back(object.handle);
  objects_.erase(std::remove_if(objects_.begin(), objects_.end(), gone), objects_.end());
  for (const Handle child : children) forget(client, child);
}

void RmObjects::forget_file(int file) {
  objects_.erase(std::remove_if(objects_.begin(), objects_.end(),
                                [&](const Object& object) { return object.file == file; }),
                 objects_.end());
}

const RmObjects::Object* RmObjects::find(Handle client, Handle handle) const {
  for (const Object& object : objects_)
    if (object.client == client && object.handle == handle) return &object;
  return nullptr;
}

RmObjects::Object* RmObjects::find(Handle client, Handle handle) {
  return const_cast<Object*>(std::as_const(*this).find(client, handle));
}

const RmObjects::Object* RmObjects::device_of(const Object& object) const {
  // Channel, group, device: more steps would be a loop of handles.
  const Object* at = &object;
  for (int step = 0; step < 4 && at != nullptr; ++step) {
    if (at->object_class == kDevice) return at;
    at = find(at->client, at->parent);
  }
  return nullptr;
}

bool RmObjects::switchable(const Object& channel, Which which) const {
  if (!is_channel(channel.object_class)) return false;
  // What we have disabled comes back, whatever the program has told the driver since.
  if (which == Which::kOff) return channel.off;
  if (which == Which::kOn && channel.off) return false;
  const Object* group = find(channel.client, channel.parent);
  if (group == nullptr || group->object_class != kChannelGroup) group = &channel;
  const bool copies = engines_ == Engines::kComputeAndCopies && is_copy_engine(group->engine);
  return (is_compute_engine(group->engine) || copies) && (group->scheduled || channel.scheduled);
}

std::vector<ComputeChannels> RmObjects::compute_channels(Which which, bool* complete) const {
  if (complete != nullptr) *complete = true;
  std::vector<ComputeChannels> all;
  for (const Object& channel : objects_) {
    if (!switchable(channel, which)) continue;
    const Object* device = device_of(channel);
    const Object* subdevice = nullptr;
    for (const Object& object : objects_)
      if (device != nullptr && object.object_class == kSubdevice &&
          object.client == channel.client && object.parent == device->handle)
        subdevice = &object;
    if (subdevice == nullptr) {
      if (complete != nullptr) *complete = false;
      continue;
    }
    auto group = std::find_if(all.begin(), all.end(), [&](const ComputeChannels& known) {
      return known.client == channel.client && known.subdevice == subdevice->handle;
    });
    if (group == all.end()) {
      group = all.insert(all.end(),
                         ComputeChannels{file_of(channel), channel.client, subdevice->handle, {}});
    }
    group->channels.push_back(channel.handle);
  }
  return all;
}

int RmObjects::file_of(const Object& object) const {
  const Object* const client = find(object.client, object.client);
  return client != nullptr ? client->file : object.file;
}

std::vector<ComputeGroup> RmObjects::new_compute_groups() {
  std::vector<ComputeGroup> found;
  for (Object& object : objects_) {
    const bool group = object.object_class == kChannelGroup && is_compute_engine(object.engine);
    if (!group || !object.scheduled || object.named) continue;
    object.named = true;
    found.push_back({file_of(object), object.client, object.handle});
  }
  return found;
}

void RmObjects::mark(const std::vector<ComputeChannels>& channels, bool on) {
  for (const ComputeChannels& some : channels)
    for (const Handle handle : some.channels)
      if (Object* const channel = find(some.client, handle); channel != nullptr) channel->off = !on;
}

}  // namespace tactus::arbiter::preload
