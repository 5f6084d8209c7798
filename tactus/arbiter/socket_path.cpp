#include "tactus/arbiter/socket_path.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tactus/arbiter/protocol.hpp"

namespace tactus::arbiter {

bool socket_is_named() {
  const char* const path = getenv(kSocketVariable);
  return path != nullptr && path[0] != 0;
}

bool is_own_or_roots(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
         (who.uid == geteuid() || who.uid == 0);
}

bool default_socket_path(char* path, std::size_t size) {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  int length = 0;
  if (socket_is_named()) {
    length = snprintf(path, size, "%s", getenv(kSocketVariable));
  } else if (runtime != nullptr && runtime[0] == '/') {
    length = snprintf(path, size, "%s/tactus/tactus.sock", runtime);
  } else if (geteuid() == 0) {
    length = snprintf(path, size, "/run/tactus/tactus.sock");
  } else {
    length = snprintf(path, size, "/tmp/tactus-%u/tactus.sock", static_cast<unsigned>(geteuid()));
  }
  return length > 0 && static_cast<std::size_t>(length) < size;
}

}  // namespace tactus::arbiter
