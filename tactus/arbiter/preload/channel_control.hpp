#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "tactus/arbiter/preload/channel_switch.hpp"

namespace tactus::arbiter::preload {

/// The switch of one process: every ioctl of the program passes through `call`, and `stop` and
/// `resume` act on what was learnt there. While stopped, channels that the program goes on to
/// create are stopped as soon as it schedules them, so a stopped process stays off the GPU.
///
/// After every error `resume` is called: it is safe at any time, from any thread, any number of
/// times. Copy engines are not touched (unless that is tried out): a running copy does not hold the
/// compute engine.
class ChannelControl {
 public:
  /// @param first_work called once, from the program's own thread and without a lock, when its
  /// first compute channels are about to run; null: nothing
  explicit ChannelControl(Ioctl ioctl, void (*first_work)() = nullptr,
                          RmObjects::Engines engines = RmObjects::Engines::kCompute)
      : ioctl_(ioctl), first_work_(first_work), objects_(engines) {}

  /// Every group of compute channels gets this time slice as soon as it may run, and `refused` is
  /// called, at most once, when the driver does not take it. To be called before the first ioctl.
  void shorten_slices(std::uint64_t microseconds, void (*refused)()) {
    time_slice_ = microseconds;
    slice_refused_ = refused;
  }

  /// The program's ioctl.
  int call(int file, unsigned long request, void* block);

  /// Takes the process off the GPU; returns when nothing of it runs there. Without channels it is
  /// done at once, and later ones start stopped.
  Switched stop();
  Switched resume();
  /// `resume`, and no `stop` works from now on: the process is ending.
  void release();
  /// Around a fork: no other thread may be in the middle of a change, or the child would inherit
  /// half of it. In the child all is forgotten: the parent's channels are not its to switch.
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  std::size_t channels() const;

 private:
  Switched switch_all(bool on);
  /// False when the driver refused one.
  bool shorten_new_slices();

  const Ioctl ioctl_;
  void (*const first_work_)();
  std::optional<std::uint64_t> time_slice_;
  std::atomic<void (*)()> slice_refused_ = nullptr;
  std::atomic<bool> announced_ = false;
  mutable std::mutex mutex_;
  RmObjects objects_;
  std::atomic<bool> stopped_ = false;
  bool released_ = false;
};

}  // namespace tactus::arbiter::preload
