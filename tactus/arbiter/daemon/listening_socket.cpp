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

#include "tactus/arbiter/private_folder.hpp"

namespace tactus::arbiter::daemon {
namespace {

Error failure(const std::string& what, const std::string& path) {
  return Error{fmt::format("{} {}: {}", what, path, std::strerror(errno))};
}

/// Does an arbiter listen there? One that is frozen or busy counts, too.
bool somebody_listens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return false;
  const bool heard =
      connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
      errno == EAGAIN || errno == EINPROGRESS;
  close(probe);
  return heard;
}

/// Is this still what the name means?
bool same_file(int descriptor, const std::string& path) {
  struct stat open_one {
  }, named{};
  return fstat(descriptor, &open_one) == 0 && lstat(path.c_str(), &named) == 0 &&
         open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

}  // namespace

Result<ListeningSocket> ListeningSocket::open(const std::string& path, std::optional<gid_t> group) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t slash = path.rfind('/');
  // It gets its name when it is ready: only a process that finds the name can connect.
  const std::string unready = path + ".new";
  if (slash == std::string::npos || slash == 0 || unready.size() >= sizeof address.sun_path)
    return Error{fmt::format("the socket must be a path in a folder, below {} bytes: {}",
                             sizeof address.sun_path - 4, path)};
  if (const auto problem = private_folder(path.substr(0, slash), group)) return *problem;

  ListeningSocket made;
  const std::string lock_path = path + ".lock";
  const Error taken{"another arbiter is running on " + path};
  struct stat found {};
  made.replaces_ = lstat(lock_path.c_str(), &found) == 0;  // it stays when an arbiter ends
  made.lock_ = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (made.lock_ < 0) return failure("cannot open", lock_path);
  if (flock(made.lock_, LOCK_EX | LOCK_NB) != 0) return taken;
  // A lock on a file that has been removed means nothing, neither ours nor another's. If the file
  // was removed, the process that listens is still the arbiter.
  if (!same_file(made.lock_, lock_path) || somebody_listens(path)) return taken;
  // No process listens, so a socket there is left over; we remove nothing else.
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
  if (lstat(unready.c_str(), &found) != 0) return failure("cannot look at", unready);
  made.device_ = found.st_dev;
  made.inode_ = found.st_ino;
  if (listen(made.socket_, SOMAXCONN) != 0) return failure("cannot listen on", path);
  if (rename(unready.c_str(), path.c_str()) != 0) return failure("cannot listen on", path);
  made.path_ = path;
  return made;
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      device_(other.device_),
      inode_(other.inode_),
      socket_(std::exchange(other.socket_, -1)),
      lock_(std::exchange(other.lock_, -1)),
      replaces_(other.replaces_) {}

ListeningSocket::~ListeningSocket() {
  // Only what is still ours: another arbiter may have taken the place.
  struct stat found {};
  if (!path_.empty() && lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ &&
      found.st_ino == inode_)
    unlink(path_.c_str());
  if (socket_ >= 0) close(socket_);
  if (lock_ >= 0) close(lock_);  // the file stays: to remove it would race with the next arbiter
}

}  // namespace tactus::arbiter::daemon
