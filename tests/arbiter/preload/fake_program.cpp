#include "tests/arbiter/preload/fake_program.hpp"

#include <cstdlib>
#include <cstring>

namespace tactus::arbiter::preload {
namespace {

void must(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

void FakeProgram::allocate(Handle client, int file, Handle parent, Handle object,
                           std::uint32_t object_class, std::vector<std::uint8_t> parameters,
                           bool with_rights) {
  const AllocHead head{client, parent, object, object_class,
                       parameters.empty() ? 0 : reinterpret_cast<std::uint64_t>(parameters.data())};
  const auto size = static_cast<std::uint32_t>(parameters.size());
  if (with_rights) {
    AllocBlockWithRights block{head, 0, size, 0, 0xdead};
    must(ioctl_(file, _IOWR(kMagic, kAlloc, AllocBlockWithRights), &block) == 0);
    must(block.status == kOk);
  } else {
    AllocBlock block{head, size, 0xdead};
    must(ioctl_(file, _IOWR(kMagic, kAlloc, AllocBlock), &block) == 0);
    must(block.status == kOk);
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

void FakeProgram::schedule(Handle client, int file, Handle object, std::uint32_t command,
                           bool enable) {
  std::uint8_t parameters[3] = {static_cast<std::uint8_t>(enable), 0, 0};
  ControlBlock block{client, object, command, 0, reinterpret_cast<std::uint64_t>(parameters),
                     3,      0xdead};
  must(ioctl_(file, kControlRequest, &block) == 0);
}

void FakeProgram::free(Handle client, int file, Handle object) {
  FreeBlock block{client, 0, object, 0xdead};
  must(ioctl_(file, _IOWR(kMagic, kFree, FreeBlock), &block) == 0);
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

}  // namespace tactus::arbiter::preload
