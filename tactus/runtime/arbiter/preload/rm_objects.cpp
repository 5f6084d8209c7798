#include "tactus/runtime/arbiter/preload/rm_objects.hpp"

#include <algorithm>
#include <cstring>

namespace tactus::rm {
namespace {

/// Copied out, because the program's block need not be aligned.
template <typename Block>
Block read(const void* block) {
  Block copy;
  std::memcpy(&copy, block, sizeof copy);
  return copy;
}

std::uint32_t word_at(std::uint64_t parameters, std::size_t size, std::size_t offset) {
  // An older libcuda states no size; the driver then takes the class's own.
  if (parameters == 0 || (size != 0 && size < offset + sizeof(std::uint32_t))) return 0;
  std::uint32_t word = 0;
  std::memcpy(&word, reinterpret_cast<const char*>(parameters) + offset, sizeof word);
  return word;
}

}  // namespace

bool RmObjects::after(const Call& call) {
  if (call.is(kAlloc, sizeof(AllocBlock))) {
    const auto block = read<AllocBlock>(call.block);
    if (block.status == kOk) remember(call.file, block.head, block.parameters_size);
  }
  if (call.is(kAlloc, sizeof(AllocBlockWithRights))) {
    const auto block = read<AllocBlockWithRights>(call.block);
    if (block.status == kOk) remember(call.file, block.head, block.parameters_size);
  }
  if (call.is(kControl, sizeof(ControlBlock))) {
    const auto block = read<ControlBlock>(call.block);
    return block.status == kOk &&
           (block.command == kGroupSchedule || block.command == kChannelSchedule) &&
           find(block.client, block.object) != nullptr;
  }
  return false;
}

void RmObjects::before(const Call& call) {
  if (!call.is(kFree, sizeof(FreeBlock))) return;
  const auto block = read<FreeBlock>(call.block);
  forget(block.client, block.object);
}

void RmObjects::remember(int file, const AllocHead& head, std::size_t parameters_size) {
  const std::uint32_t type = head.object_class;
  Object object{file, head.client, head.parent, head.object, type, 0};
  if (is_client(type)) {
    // A new client is its own root; the block names it in both places or in `object` alone.
    object.client = object.parent = head.object;
  } else if (type == kChannelGroup) {
    object.engine = word_at(head.parameters, parameters_size, kGroupEngineOffset);
  } else if (is_channel(type)) {
    object.engine = word_at(head.parameters, parameters_size, kChannelEngineOffset);
  } else if (type != kDevice && type != kSubdevice) {
    return;
  }
  forget(object.client, object.handle);  // a handle that comes again has been freed unseen
  objects_.push_back(object);
}

void RmObjects::forget(Handle client, Handle handle) {
  const auto gone = [&](const Object& object) {
    return object.client == client && (object.handle == handle || client == handle);
  };
  if (std::none_of(objects_.begin(), objects_.end(), gone)) return;
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

const RmObjects::Object* RmObjects::device_of(const Object& object) const {
  // Channel, group, device: more steps would be a loop of handles.
  const Object* at = &object;
  for (int step = 0; step < 4 && at != nullptr; ++step) {
    if (at->object_class == kDevice) return at;
    at = find(at->client, at->parent);
  }
  return nullptr;
}

std::uint32_t RmObjects::engine_of(const Object& channel) const {
  const Object* parent = find(channel.client, channel.parent);
  return parent != nullptr && parent->object_class == kChannelGroup ? parent->engine
                                                                    : channel.engine;
}

std::vector<ComputeChannels> RmObjects::compute_channels(bool* complete) const {
  if (complete != nullptr) *complete = true;
  std::vector<ComputeChannels> all;
  for (const Object& channel : objects_) {
    if (!is_channel(channel.object_class) || !is_compute_engine(engine_of(channel))) continue;
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
      // The client's own file: the driver refuses a client to any other.
      const Object* client = find(channel.client, channel.client);
      const int file = client != nullptr ? client->file : channel.file;
      group = all.insert(all.end(), ComputeChannels{file, channel.client, subdevice->handle, {}});
    }
    group->channels.push_back(channel.handle);
  }
  return all;
}

}  // namespace tactus::rm
