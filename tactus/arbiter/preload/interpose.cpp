// The preloaded library: `ioctl`, and what closes descriptors, as the program sees them. Not part of
// the room's own library, where it would replace functions of the C library everywhere.

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "tactus/arbiter/client/own_descriptor.hpp"
#include "tactus/arbiter/preload/channel_control.hpp"
#include "tactus/arbiter/preload/channel_copies.hpp"
#include "tactus/arbiter/preload/driver.hpp"
#include "tactus/arbiter/preload/preload.h"
#include "tactus/arbiter/preload/whole_process.hpp"
#include "tactus/arbiter/protocol.hpp"

namespace {

using tactus::arbiter::preload::ChannelControl;

int next_ioctl(int file, unsigned long request, void* block) {
  using Function = int (*)(int, unsigned long, ...);
  static const Function next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "ioctl"));
  return next(file, request, block);
}

int next_close(int file) {
  using Function = int (*)(int);
  static const Function next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "close"));
  return next(file);
}

int next_close_range(unsigned first, unsigned last, int flags) {
  using Function = int (*)(unsigned, unsigned, int);
  static const Function next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "close_range"));
  if (next != nullptr) return next(first, last, flags);
  errno = ENOSYS;
  return -1;
}

/// A range as the program means it: all but our socket, of which it does not know.
int close_around(unsigned first, unsigned last, int flags) {
  const int held = tactus::arbiter::client::held_descriptor();
  const auto ours = static_cast<unsigned>(held);
  constexpr int kOnlyMark = 4;  // CLOSE_RANGE_CLOEXEC: nothing is closed
  if (held < 0 || ours < first || ours > last || (flags & kOnlyMark) != 0)
    return next_close_range(first, last, flags);
  int result = 0;
  if (ours > first) result = next_close_range(first, ours - 1, flags);
  if (result == 0 && ours < last) result = next_close_range(ours + 1, last, flags);
  return result;
}

void complain_of_slice(const char* why) {
  tactus::arbiter::client::tell_user("keeps the driver's time slices: ", why);
}

void shorten_slices_if_asked(ChannelControl& control) {
  const char* const text = std::getenv(tactus::arbiter::kTimeSliceVariable);
  if (text == nullptr) return;
  char* end = nullptr;
  const long us = std::strtol(text, &end, 10);
  if (end == text || *end != 0 || us < 1 || us > tactus::arbiter::kMostTimeSliceUs)
    return complain_of_slice("TACTUS_TIME_SLICE is no number of microseconds");
  const auto driver = tactus::arbiter::preload::loaded_driver();
  if (!driver.supported) return complain_of_slice(driver.reason.c_str());
  control.shorten_slices(static_cast<std::uint64_t>(us),
                         [] { complain_of_slice("the driver refused another"); });
}

/// Never destroyed: ioctls come to the very end of the process.
ChannelControl& control() {
  using Engines = tactus::arbiter::preload::RmObjects::Engines;
  static ChannelControl* const instance = [] {
    using tactus::arbiter::preload::kChannelCopiesVariable;
    const bool copies = tactus::arbiter::preload::takes_copies_off(getenv(kChannelCopiesVariable));
    auto* const made =
        new ChannelControl(next_ioctl, tactus::arbiter::preload::put_whole_process_under_arbiter,
                           copies ? Engines::kComputeAndCopies : Engines::kCompute);
    shorten_slices_if_asked(*made);
    return made;
  }();
  return *instance;
}

int answer(const tactus::arbiter::preload::Switched& result) {
  if (result.done) return static_cast<int>(result.channels);
  return result.error != 0 ? -result.error : -EPERM;
}

__attribute__((constructor)) void begin() {
  next_ioctl(-1, 0, nullptr);  // looks the functions up while it is safe to
  next_close(-1);
  next_close_range(~0U, ~0U, 0);
  pthread_atfork([] { control().before_fork(); }, [] { control().after_fork_in_parent(); },
                 [] { control().after_fork_in_child(); });
  std::atexit([] { control().release(); });
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int ioctl(int file, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* const block = va_arg(arguments, void*);
  va_end(arguments);
  return control().call(file, request, block);
}

__attribute__((visibility("default"))) int close(int file) {
  if (file >= 0 && file == tactus::arbiter::client::held_descriptor()) {
    errno = EBADF;  // as it is, for a program that did not open it
    return -1;
  }
  return next_close(file);
}

__attribute__((visibility("default"))) int close_range(unsigned first, unsigned last, int flags) {
  return close_around(first, last, flags);
}

__attribute__((visibility("default"))) void closefrom(int lowest) {
  close_around(lowest < 0 ? 0 : static_cast<unsigned>(lowest), ~0U, 0);
}

__attribute__((visibility("default"))) int tactus_channel_stop(void) {
  return answer(control().stop());
}
__attribute__((visibility("default"))) int tactus_channel_resume(void) {
  return answer(control().resume());
}
}
