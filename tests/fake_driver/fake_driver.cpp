// Beneath the preloaded library in a test: a kernel driver of a known version, whose resource
// manager is the fake one. Loaded after libtactus_preload.so, whose "next" ioctl this is then.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdarg>
#include <cstring>
#include <mutex>

#include "tests/arbiter/preload/fake_rm.hpp"

namespace {

tactus::arbiter::preload::FakeRm& rm() {
  static auto* const instance = new tactus::arbiter::preload::FakeRm;
  return *instance;
}

/// The control thread switches channels while the program looks at them.
std::mutex& turn() {
  static auto* const instance = new std::mutex;
  return *instance;
}

int version_file() {
  constexpr char kText[] =
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n";
  const int file = memfd_create("version", MFD_CLOEXEC);
  const bool written = write(file, kText, sizeof kText - 1) == sizeof kText - 1;
  return written && lseek(file, 0, SEEK_SET) == 0 ? file : -1;
}

}  // namespace

extern "C" {

int ioctl(int file, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* const block = va_arg(arguments, void*);
  va_end(arguments);
  rm();
  const std::lock_guard lock(turn());
  return tactus::arbiter::preload::FakeRm::ioctl(file, request, block);
}

int open(const char* path, int flags, ...) {
  if (std::strcmp(path, "/proc/driver/nvidia/version") == 0) return version_file();
  using Function = int (*)(const char*, int, ...);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "open"));
  if (next == open) _exit(4);  // the library that was loaded first must not stand in for us
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return next(path, flags, mode);
}

/// For the program: how many of its channels are off.
unsigned long fake_driver_channels_off() {
  const std::lock_guard lock(turn());
  return rm().off_count();
}
}
