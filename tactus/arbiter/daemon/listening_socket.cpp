#include "tactus/arbiter/daemon/listening_socket.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tactus::arbiter::daemon {
namespace {

Error failure(const std::string& what, const std::string& path) {
  return Error{fmt::format("{} {}: {}", what, path, std::strerror(errno))};
}

/// Makes the folder, or makes sure that nobody else can put anything into it.
std::optional<Error> private_folder(const std::string& folder, std::optional<gid_t> group) {
  if (mkdir(folder.c_str(), group ? 0750 : 0700) == 0) {
    if (group && chown(folder.c_str(), static_cast<uid_t>(-1), *group) != 0)
      return failure("cannot give to the group", folder);
    if (chmod(folder.c_str(), group ? 0750 : 0700) != 0) return failure("cannot protect", folder);
    return std::nullopt;
  }
  if (errno != EEXIST) return failure("cannot make", folder);
  struct stat found {};
  if (lstat(folder.c_str(), &found) != 0) return failure("cannot look at", folder);
  if (!S_ISDIR(found.st_mode)) return Error{folder + " is not a folder"};
  if (found.st_uid != geteuid()) return Error{folder + " belongs to somebody else"};
  if ((found.st_mode & 022) != 0)
    return Error{folder + " can be written by others; the arbiter's folder must be its own"};
  if (group && (found.st_mode & S_IXOTH) == 0 &&
      (found.st_gid != *group || (found.st_mode & S_IXGRP) == 0))
    return Error{folder + " cannot be entered by members of the group"};
  return std::nullopt;
}

}  // namespace

Result<ListeningSocket> ListeningSocket::open(const std::string& path, std::optional<gid_t> group) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t slash = path.rfind('/');
  // It gets its name when it is ready: whoever finds it can connect, and nobody else ever could.
  const std::string unready = path + ".new";
  if (slash == std::string::npos || slash == 0 || unready.size() >= sizeof address.sun_path)
    return Error{fmt::format("the socket must be a path in a folder, below {} bytes: {}",
                             sizeof address.sun_path - 4, path)};
  if (const auto problem = private_folder(path.substr(0, slash), group)) return *problem;

  ListeningSocket made;
  const std::string lock_path = path + ".lock";
  made.lock_ = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (made.lock_ < 0) return failure("cannot open", lock_path);
  if (flock(made.lock_, LOCK_EX | LOCK_NB) != 0)
    return Error{"another arbiter is running on " + path};
  // Nobody holds the lock, so a socket there is left over; anything else is not ours to remove.
  struct stat found {};
  for (const std::string& name : {path, unready}) {
    if (lstat(name.c_str(), &found) == 0 && !S_ISSOCK(found.st_mode))
      return Error{name + " is there, and is not a socket"};
  }
  unlink(unready.c_str());

  made.socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  std::memcpy(address.sun_path, unready.c_str(), unready.size() + 1);
  if (made.socket_ < 0 ||
      bind(made.socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failure("cannot listen on", path);
  made.path_ = unready;
  if (group && chown(unready.c_str(), static_cast<uid_t>(-1), *group) != 0)
    return failure("cannot give to the group", path);
  if (chmod(unready.c_str(), group ? 0660 : 0600) != 0) return failure("cannot protect", path);
  if (listen(made.socket_, 128) != 0) return failure("cannot listen on", path);
  if (rename(unready.c_str(), path.c_str()) != 0) return failure("cannot listen on", path);
  made.path_ = path;
  return made;
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      socket_(std::exchange(other.socket_, -1)),
      lock_(std::exchange(other.lock_, -1)) {}

ListeningSocket::~ListeningSocket() {
  if (!path_.empty()) unlink(path_.c_str());
  if (socket_ >= 0) close(socket_);
  if (lock_ >= 0) close(lock_);  // the file stays: to remove it would race with the next arbiter
}

}  // namespace tactus::arbiter::daemon
