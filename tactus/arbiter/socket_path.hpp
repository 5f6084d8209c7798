#pragma once

#include <cstddef>

namespace tactus::arbiter {

/// Where the arbiter listens unless told otherwise: $TACTUS_SOCKET; else tactus/tactus.sock in
/// $XDG_RUNTIME_DIR, in /run for root, in /tmp/tactus-UID for anybody else. False when it does not
/// fit. (Part of what gets preloaded.)
bool default_socket_path(char* path, std::size_t size);

/// Does $TACTUS_SOCKET say where?
bool socket_is_named();

/// Is whoever listens at the other end this user or root? Where nobody said which arbiter to obey,
/// no other will do.
bool is_own_or_roots(int socket);

}  // namespace tactus::arbiter
