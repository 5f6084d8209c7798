#include "tactus/arbiter/preload/channel_switch.hpp"

#include <algorithm>
#include <cerrno>

namespace tactus::arbiter::preload {
namespace {

/// One control of the resource manager, until it is not interrupted.
Switched controlled(int file, ControlBlock block, Ioctl ioctl) {
  int result = 0;
  do {
    result = ioctl(file, kControlRequest, &block);
  } while (result != 0 && errno == EINTR);
  if (result != 0) return {.error = errno, .file = file};
  if (block.status != kOk) return {.status = block.status};
  return {.done = true};
}

Switched switch_some(const ComputeChannels& where, std::size_t first, bool on, Ioctl ioctl) {
  DisableChannels parameters{};
  parameters.disable = on ? 0 : 1;
  const std::size_t count = std::min(where.channels.size() - first, kMostChannelsAtOnce);
  parameters.count = static_cast<std::uint32_t>(count);
  for (std::size_t i = 0; i < count; ++i) {
    parameters.clients[i] = where.client;
    parameters.channels[i] = where.channels[first + i];
  }
  ControlBlock block{};
  block.client = where.client;
  block.object = where.subdevice;
  block.command = kDisableChannels;
  block.parameters = reinterpret_cast<std::uint64_t>(&parameters);
  block.parameters_size = sizeof parameters;
  Switched result = controlled(where.file, block, ioctl);
  if (result.done) result.channels = count;
  return result;
}

}  // namespace

Switched switch_channels(const std::vector<ComputeChannels>& all, bool on, Ioctl ioctl) {
  Switched total{.done = true};
  for (const ComputeChannels& where : all) {
    for (std::size_t first = 0; first < where.channels.size(); first += kMostChannelsAtOnce) {
      const Switched some = switch_some(where, first, on, ioctl);
      total.channels += some.channels;
      if (some.done || !total.done) continue;
      total.done = false;  // the first failure is reported; putting back goes on
      total.error = some.error;
      total.file = some.file;
      total.status = some.status;
      if (!on) {
        total.stuck = !switch_channels(all, true, ioctl).done;
        total.channels = 0;
        return total;
      }
    }
  }
  return total;
}

Switched set_time_slice(const ComputeGroup& group, std::uint64_t microseconds, Ioctl ioctl) {
  ControlBlock block{};
  block.client = group.client;
  block.object = group.group;
  block.command = kSetTimeSlice;
  block.parameters = reinterpret_cast<std::uint64_t>(&microseconds);
  block.parameters_size = sizeof microseconds;
  return controlled(group.file, block, ioctl);
}

}  // namespace tactus::arbiter::preload
