#include "tactus/base/file_place.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <list>
#include <utility>

namespace tactus {
namespace {

using Names = std::list<std::string>;

Names split(std::string_view path) {
  Names names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0 && path.substr(0, end) != ".") names.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

bool on_proc(int fd) {
  struct statfs info {};
  return ::fstatfs(fd, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

std::string target_of(int link) {
  char text[PATH_MAX];
  const ssize_t length = ::readlinkat(link, "", text, sizeof text);
  return length <= 0 ? std::string() : std::string(text, static_cast<std::size_t>(length));
}

/// Walks along a path folder by folder, with the current one open.
class Walk {
 public:
  explicit Walk(const std::string& path) : given_(path) {}

  Result<FilePlace> run() {
    if (given_.empty()) return failure(ENOENT);
    if (given_.ends_with('/')) return failure(EISDIR);
    enter(given_);
    while (!rest_.empty()) {
      if (folder_.get() < 0) return failure(errno);
      const std::string name = rest_.front();
      rest_.pop_front();
      Descriptor next(::openat(folder_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      if (next.get() < 0) {
        if (errno == ENOENT && rest_.empty()) return place(name, nullptr);
        return failure(errno);
      }
      struct stat info {};
      if (::fstat(next.get(), &info) != 0) return failure(errno);
      if (S_ISLNK(info.st_mode)) {
        if (shared()) return refusal();
        if (++links_ > kMostLinks) return failure(ELOOP);
        // Links in /proc are not real paths: an open file may no longer have a name.
        if (on_proc(next.get()) && rest_.empty()) return kernel_place(name);
        enter(target_of(next.get()));
        continue;
      }
      if (rest_.empty() && name != "..") return place(name, &info);
      if (!S_ISDIR(info.st_mode)) return failure(ENOTDIR);
      folder_ = std::move(next);
      if (name != "..") {
        path_ += '/' + name;
      } else {
        path_.erase(std::min(path_.rfind('/'), path_.size()));
      }
    }
    return failure(EISDIR);
  }

 private:
  static constexpr int kMostLinks = 40;  // as many as the kernel follows

  /// Goes on with a path: from the root, or from where we are.
  void enter(const std::string& path) {
    rest_.splice(rest_.begin(), split(path));
    const bool from_root = path.starts_with('/');
    if (!from_root && folder_.get() >= 0) return;
    folder_ = Descriptor(::open(from_root ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    path_.clear();
    char here[PATH_MAX];
    if (!from_root && ::getcwd(here, sizeof here) != nullptr && std::strcmp(here, "/") != 0) {
      path_ = here;
    }
  }

  bool shared() const {
    struct stat info {};
    return ::fstat(folder_.get(), &info) != 0 || others_may_write(info);
  }

  FilePlace place(const std::string& name, const struct stat* info) {
    FilePlace found;
    found.shared = shared();
    found.folder = std::move(folder_);
    found.name = name;
    found.path = path_ + '/' + name;
    found.exists = info != nullptr;
    if (info != nullptr) found.info = *info;
    return found;
  }

  Result<FilePlace> kernel_place(const std::string& name) {
    struct stat info {};
    if (::fstatat(folder_.get(), name.c_str(), &info, 0) != 0) return failure(errno);
    FilePlace found = place(name, &info);
    found.descriptor = true;
    return found;
  }

  static Error failure(int code) { return {std::strerror(code)}; }
  Error refusal() const {
    return {
        fmt::format("there is a symbolic link in {}, which others may write to; give the path of "
                    "the file that it points to",
                    path_.empty() ? "/" : path_)};
  }

  const std::string& given_;
  Names rest_;
  Descriptor folder_;
  std::string path_;
  int links_ = 0;
};

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

int Descriptor::release() { return std::exchange(fd_, -1); }

bool others_may_write(const struct stat& folder) {
  const bool by_mode = (folder.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  return by_mode || (folder.st_uid != ::geteuid() && folder.st_uid != 0);
}

Result<FilePlace> find_place(const std::string& path) { return Walk(path).run(); }

}  // namespace tactus
