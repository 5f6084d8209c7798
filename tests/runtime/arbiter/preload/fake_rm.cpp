#include "fake_rm.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

namespace tactus::rm {
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
  if (is_client(head.object_class)) {
    clients_[head.object] = file;
    return kOk;
  }
  if (!clients_.contains(head.client) || clients_[head.client] != file) return kInvalidClient;
  objects_[{head.client, head.object}] = {head.parent, head.object_class};
  return kOk;
}

void FakeRm::release(Key key) {
  if (key.client == key.object) {
    clients_.erase(key.client);
    std::erase_if(objects_, [&](const auto& entry) { return entry.first.client == key.client; });
    std::erase_if(off_, [&](const Key& channel) { return channel.client == key.client; });
    return;
  }
  objects_.erase(key);
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
  if (block.command != kDisableChannels) return kOk;
  if (object->second.object_class != kSubdevice || block.parameters_size != 536)
    return kInvalidObject;
  DisableChannels parameters;
  std::memcpy(&parameters, reinterpret_cast<const void*>(block.parameters), sizeof parameters);
  counts.push_back(parameters.count);
  const int call = parameters.disable != 0 ? disable_calls++ : enable_calls++;
  if (parameters.disable != 0 && call == refuse_disable_call) return kInvalidState;
  for (std::size_t i = 0; i < parameters.count; ++i) {
    const Key key{parameters.clients[i], parameters.channels[i]};
    if (!objects_.contains(key)) return kInvalidObject;
    if (parameters.disable != 0)
      off_.insert(key);
    else
      off_.erase(key);
  }
  return kOk;
}

bool FakeRm::off(Handle client, Handle channel) const { return off_.contains({client, channel}); }

void FakeRm::close(int file) {
  closed_.insert(file);
  std::vector<Handle> gone;
  for (const auto& [client, its_file] : clients_)
    if (its_file == file) gone.push_back(client);
  for (const Handle client : gone) release({client, client});
}

void FakeProgram::allocate(Handle client, int file, Handle parent, Handle object,
                           std::uint32_t object_class, std::vector<std::uint8_t> parameters,
                           bool with_rights) {
  const AllocHead head{client, parent, object, object_class,
                       parameters.empty() ? 0 : reinterpret_cast<std::uint64_t>(parameters.data())};
  const auto size = static_cast<std::uint32_t>(parameters.size());
  if (with_rights) {
    AllocBlockWithRights block{head, 0, size, 0, 0xdead};
    ASSERT_EQ(control_.call(file, _IOWR(kMagic, kAlloc, AllocBlockWithRights), &block), 0);
    ASSERT_EQ(block.status, kOk);
  } else {
    AllocBlock block{head, size, 0xdead};
    ASSERT_EQ(control_.call(file, _IOWR(kMagic, kAlloc, AllocBlock), &block), 0);
    ASSERT_EQ(block.status, kOk);
  }
}

void FakeProgram::client(Handle client, int file) {
  allocate(client, file, client, client, 0x41, {}, false);
}

void FakeProgram::device(Handle client, int file, Handle device, Handle subdevice) {
  allocate(client, file, client, device, kDevice, std::vector<std::uint8_t>(56), true);
  allocate(client, file, device, subdevice, kSubdevice, std::vector<std::uint8_t>(4), true);
}

void FakeProgram::group(Handle client, int file, Handle device, Handle group,
                        std::uint32_t engine) {
  std::vector<std::uint8_t> parameters(20);
  std::memcpy(parameters.data() + 12, &engine, sizeof engine);
  allocate(client, file, device, group, kChannelGroup, parameters, true);
}

void FakeProgram::channel(Handle client, int file, Handle parent, Handle channel,
                          std::uint32_t engine, std::uint32_t object_class) {
  std::vector<std::uint8_t> parameters(368);
  std::memcpy(parameters.data() + 128, &engine, sizeof engine);
  allocate(client, file, parent, channel, object_class, parameters, true);
}

void FakeProgram::schedule(Handle client, int file, Handle group) {
  std::uint8_t parameters[3] = {1, 0, 0};
  ControlBlock block{client, group, kGroupSchedule, 0, reinterpret_cast<std::uint64_t>(parameters),
                     3,      0xdead};
  ASSERT_EQ(control_.call(file, kControlRequest, &block), 0);
}

void FakeProgram::free(Handle client, int file, Handle object) {
  FreeBlock block{client, 0, object, 0xdead};
  ASSERT_EQ(control_.call(file, _IOWR(kMagic, kFree, FreeBlock), &block), 0);
}

void FakeProgram::context(Handle client_handle, int file, std::size_t channels) {
  client(client_handle, file);
  device(client_handle, file, kDeviceHandle, kSubdeviceHandle);
  group(client_handle, file, kDeviceHandle, kComputeGroup, 1);
  for (std::size_t i = 0; i < channels; ++i)
    channel(client_handle, file, kComputeGroup, compute_channel(i));
  schedule(client_handle, file, kComputeGroup);
  group(client_handle, file, kDeviceHandle, kCopyGroup, 11);
  channel(client_handle, file, kCopyGroup, 0x5c000900, 11);
  channel(client_handle, file, kCopyGroup, 0x5c000901, 11);
  schedule(client_handle, file, kCopyGroup);
}

}  // namespace tactus::rm
