#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "tactus/model/result.hpp"

namespace tactus::arbiter::daemon {

/// The place clients connect to: a Unix socket in a folder of the arbiter's own.
///
/// The folder is made with mode 0700 (0750 for a group), must belong to this user, and must not be
/// writable by others. A lock on a file beside the socket tells a running arbiter from a socket
/// that a killed one left behind; the latter is replaced.
class ListeningSocket {
 public:
  /// @param group who else may connect; none: this user alone
  static Result<ListeningSocket> open(const std::string& path, std::optional<gid_t> group);
  ~ListeningSocket();
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;

  int descriptor() const { return socket_; }
  const std::string& path() const { return path_; }

 private:
  ListeningSocket() = default;
  std::string path_;
  int socket_ = -1, lock_ = -1;
};

}  // namespace tactus::arbiter::daemon
