// The preloaded library: `ioctl` as the program sees it. Not part of the room's own library, where
// it would take the place of the C library's function for everybody.

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>

#include "tactus/arbiter/preload/channel_control.hpp"
#include "tactus/arbiter/preload/preload.h"
#include "tactus/arbiter/preload/whole_process.hpp"

namespace {

using tactus::arbiter::preload::ChannelControl;

int next_ioctl(int file, unsigned long request, void* block) {
  using Function = int (*)(int, unsigned long, ...);
  static const Function next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "ioctl"));
  return next(file, request, block);
}

/// Never destroyed: ioctls come to the very end of the process.
ChannelControl& control() {
  static ChannelControl* const instance =
      new ChannelControl(next_ioctl, tactus::arbiter::preload::put_whole_process_under_arbiter);
  return *instance;
}

int answer(const tactus::arbiter::preload::Switched& result) {
  if (result.done) return static_cast<int>(result.channels);
  return result.error != 0 ? -result.error : -EPERM;
}

__attribute__((constructor)) void begin() {
  next_ioctl(-1, 0, nullptr);  // looks the function up while it is safe to
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

__attribute__((visibility("default"))) int tactus_channel_stop(void) {
  return answer(control().stop());
}
__attribute__((visibility("default"))) int tactus_channel_resume(void) {
  return answer(control().resume());
}
}
