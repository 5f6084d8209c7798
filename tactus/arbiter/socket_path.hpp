#pragma once

#include <cstddef>

namespace tactus::arbiter {

/// Where the arbiter listens unless told otherwise: $TACTUS_SOCKET; else tactus/tactus.sock in
/// $XDG_RUNTIME_DIR, in /run for root, in /tmp/tactus-UID for other users. False if it does not
/// fit. (This is preloaded, too.)
bool default_socket_path(char* path, std::size_t size);

/// Does $TACTUS_SOCKET say where?
bool socket_is_named();

/// Does the process at the other end belong to this user or root? If the user did not name an
/// arbiter, no other is accepted.
bool is_own_or_roots(int socket);

}  // namespace tactus::arbiter
