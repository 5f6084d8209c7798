#pragma once

#include <cstddef>

namespace tactus::arbiter {

/// Where the arbiter listens unless told otherwise: $TACTUS_SOCKET; else tactus/tactus.sock in
/// $XDG_RUNTIME_DIR, in /run for root, in /tmp/tactus-UID for anybody else. False when it does not
/// fit. (Part of what gets preloaded.)
bool default_socket_path(char* path, std::size_t size);

/// Does $TACTUS_SOCKET say where?
bool socket_is_named();

}  // namespace tactus::arbiter
