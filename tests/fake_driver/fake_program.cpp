// A "CUDA program" for tests: opens a context through ioctls like libcuda's, then writes to
// standard output, as bytes, whether its channels run ('+') or not ('-'), whenever that changes.
// Ends with its standard input. With the argument "fork" a child does that, and the parent, which
// has no context, waits for it.

#include <dlfcn.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/arbiter/preload/fake_program.hpp"

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) {
    if (const pid_t child = fork(); child != 0) return waitpid(child, nullptr, 0) != child;
  }
  const auto channels_off =
      reinterpret_cast<unsigned long (*)()>(dlsym(RTLD_DEFAULT, "fake_driver_channels_off"));
  if (channels_off == nullptr) return 3;
  tactus::arbiter::preload::FakeProgram program(
      [](int file, unsigned long request, void* block) { return ioctl(file, request, block); });
  program.context(0xc1d00001, 100);
  for (char told = 0;;) {
    const char now = channels_off() == 0 ? '+' : '-';
    if (now != told && write(STDOUT_FILENO, &now, 1) != 1) return 1;
    told = now;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 1) > 0) return 0;
  }
}
