#include "tactus/arbiter/preload/channel_control.hpp"

#include <cerrno>
#include <cstring>

namespace tactus::arbiter::preload {

using Which = RmObjects::Which;

namespace {

/// Controls are frequent, and all but two kinds are of no interest: those pass without the lock.
bool concerns_scheduling(const Call& call) {
  if (!call.is(kControl, sizeof(ControlBlock))) return false;
  ControlBlock block;
  std::memcpy(&block, call.block, sizeof block);
  return block.command == kGroupSchedule || block.command == kChannelSchedule;
}

}  // namespace

int ChannelControl::call(int file, unsigned long request, void* block) {
  const Call call{file, request, block};
  const bool frees = call.is(kFree, sizeof(FreeBlock));
  const bool allocates =
      call.is(kAlloc, sizeof(AllocBlock)) || call.is(kAlloc, sizeof(AllocBlockWithRights));
  if (!frees && !allocates && !concerns_scheduling(call)) return ioctl_(file, request, block);

  if (frees) {
    const std::lock_guard lock(mutex_);
    objects_.before(call);
  }
  const int result = ioctl_(file, request, block);
  if (result != 0 || frees) return result;
  const int saved_errno = errno;
  bool first = false, short_slices = true;
  {
    const std::lock_guard lock(mutex_);
    if (objects_.after(call)) {
      if (time_slice_) short_slices = shorten_new_slices();
      if (stopped()) switch_all(false);
      if (first_work_ != nullptr && !objects_.compute_channels(Which::kAll).empty())
        first = !announced_.exchange(true);
    }
  }
  if (first) first_work_();
  if (!short_slices) {
    if (void (*const refused)() = slice_refused_.exchange(nullptr)) refused();
  }
  errno = saved_errno;
  return result;
}

Switched ChannelControl::stop() {
  const std::lock_guard lock(mutex_);
  if (released_) return {.error = ESHUTDOWN};
  // What an earlier failure left off comes back first: all channels must be in the same state.
  if (!stopped()) {
    if (const Switched back = switch_all(true); !back.done) return back;
  }
  const Switched result = switch_all(false);
  stopped_.store(result.done, std::memory_order_release);
  return result;
}

Switched ChannelControl::resume() {
  const std::lock_guard lock(mutex_);
  stopped_.store(false, std::memory_order_release);
  return switch_all(true);
}

void ChannelControl::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  if (!stopped()) return;
  stopped_.store(false, std::memory_order_release);
  switch_all(true);
}

void ChannelControl::before_fork() { mutex_.lock(); }

void ChannelControl::after_fork_in_parent() { mutex_.unlock(); }

void ChannelControl::after_fork_in_child() {
  objects_.clear();
  announced_.store(false);
  stopped_.store(false, std::memory_order_release);
  mutex_.unlock();
}

std::size_t ChannelControl::channels() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const ComputeChannels& some : objects_.compute_channels(Which::kAll))
    count += some.channels.size();
  return count;
}

bool ChannelControl::shorten_new_slices() {
  bool all = true;
  for (const ComputeGroup& group : objects_.new_compute_groups())
    all = set_time_slice(group, *time_slice_, ioctl_).done && all;
  return all;
}

Switched ChannelControl::switch_all(bool on) {
  for (;;) {
    bool complete = true;
    const std::vector<ComputeChannels> all =
        objects_.compute_channels(on ? Which::kOff : Which::kOn, &complete);
    // A process that is only partly off the GPU is not off: report that.
    if (!on && !complete) return {.error = ENODEV};
    const Switched result = switch_channels(all, on, ioctl_);
    if (result.done) objects_.mark(all, on);
    if (result.stuck) objects_.mark(all, false);
    // A program has freed the handle that switches its channels, and they are off: no way back.
    if (result.done && !complete) return {.channels = result.channels, .error = ENODEV};
    if (result.done || (result.error != EBADF && result.error != ENOTTY)) return result;
    // A client's file has been closed (or is another file by now), and the client with it.
    const std::size_t before = objects_.size();
    objects_.forget_file(result.file);
    if (objects_.size() == before) return result;
    if (!result.stuck) continue;
    if (const Switched back = switch_all(true); !back.done) return back;
  }
}

}  // namespace tactus::arbiter::preload
