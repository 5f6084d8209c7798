#include "tactus/arbiter/client/own_descriptor.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

namespace tactus::arbiter::client {
namespace {

std::atomic<int> g_held{-1};

struct Identity {
  bool known = false;
  dev_t device = 0;
  ino_t inode = 0;
};

Identity identity_of(int descriptor) {
  struct stat found {};
  if (fstat(descriptor, &found) != 0) return {};
  return {true, found.st_dev, found.st_ino};
}

/// What standard error was before the program could change it.
Identity g_standard_error;
__attribute__((constructor)) void remember_standard_error() {
  g_standard_error = identity_of(STDERR_FILENO);
}

/// Near the end of what this process may use, but not so high that the kernel's table gets large.
int high_number() {
  constexpr rlim_t kHighest = 8192, kRoomAbove = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 200;
  const rlim_t most = limit.rlim_cur < kHighest ? limit.rlim_cur : kHighest;
  return most > 2 * kRoomAbove ? static_cast<int>(most - kRoomAbove) : 3;
}

}  // namespace

bool OwnDescriptor::take(int socket) {
  close();
  if (socket < 0) return false;
  int moved = fcntl(socket, F_DUPFD_CLOEXEC, high_number());
  // If there is no room above: never a standard stream, even if the program closed it.
  if (moved < 0) moved = fcntl(socket, F_DUPFD_CLOEXEC, 3);
  ::close(socket);
  const Identity identity = identity_of(moved);
  if (!identity.known) return false;
  number_ = moved;
  device_ = identity.device;
  inode_ = identity.inode;
  g_held.store(moved);
  return true;
}

bool OwnDescriptor::ours() const {
  if (number_ < 0) return false;
  const Identity now = identity_of(number_);
  return now.known && now.device == device_ && now.inode == inode_;
}

void OwnDescriptor::close() {
  if (number_ < 0) return;
  const bool still_ours = ours();
  int held = number_;
  g_held.compare_exchange_strong(held, -1);  // first: then the preloaded library allows the close
  if (still_ours) ::close(number_);
  number_ = -1;
}

int held_descriptor() { return g_held.load(); }

void tell_user(const char* what, const char* more) {
  const int before = errno;
  const Identity now = identity_of(STDERR_FILENO);
  if (now.known && g_standard_error.known && now.device == g_standard_error.device &&
      now.inode == g_standard_error.inode)
    dprintf(STDERR_FILENO, "tactus: %s[%d] %s%s\n", program_invocation_short_name,
            static_cast<int>(getpid()), what, more);
  errno = before;
}

}  // namespace tactus::arbiter::client
