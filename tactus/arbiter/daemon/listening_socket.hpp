#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "tactus/base/result.hpp"

namespace tactus::arbiter::daemon {

/// The place clients connect to: a Unix socket in a folder of the arbiter's own.
///
/// The folder is private (private_folder.hpp). A lock on a file beside the socket, and a test
/// whether a process listens there, distinguish a running arbiter from a socket that a killed one
/// left; such a socket is replaced. At its end an arbiter removes its own socket, and no other.
class ListeningSocket {
 public:
  /// @param group who else may connect; none: this user alone
  static Result<ListeningSocket> open(const std::string& path, std::optional<gid_t> group);
  ~ListeningSocket();
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;

  int descriptor() const { return socket_; }
  const std::string& path() const { return path_; }
  /// Was there another arbiter before? Its clients may still be inside a segment.
  bool replaces() const { return replaces_; }

 private:
  ListeningSocket() = default;
  std::string path_;
  dev_t device_ = 0;  ///< of the socket's file, to know it again
  ino_t inode_ = 0;
  int socket_ = -1, lock_ = -1;
  bool replaces_ = false;
};

}  // namespace tactus::arbiter::daemon
