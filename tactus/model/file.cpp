#include "tactus/model/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace tactus {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Error system_error(std::string_view action, const std::string& path) {
  return {fmt::format("cannot {} {}: {}", action, path, std::strerror(errno))};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  const std::string shown = path == "-" ? "standard input" : path;
  const Descriptor file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return system_error("open", shown);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return system_error("read", shown);
  if (S_ISDIR(info.st_mode)) return Error{fmt::format("cannot read {}: it is a directory", shown)};
  const Error too_large{
      fmt::format("cannot read {}: larger than {} MiB", shown, kMaxFileBytes >> 20)};
  const std::size_t known_size = S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) : 0;
  if (known_size > kMaxFileBytes) return too_large;

  std::string text;
  constexpr std::size_t kChunk = std::size_t{64} << 10;
  std::size_t used = 0;
  for (;;) {
    text.resize(std::max({known_size + 1, used + kChunk, text.size()}));
    const ssize_t got = ::read(file.get(), text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read", shown);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > kMaxFileBytes) return too_large;
    if (used == text.size()) text.resize(std::min(2 * used, kMaxFileBytes + 1));
  }
  text.resize(used);
  return text;
}

FileReplacement::FileReplacement(const std::string& path) : path_(path), target_(path) {
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    fail();
    return;
  }
  if (exists && !S_ISREG(old.st_mode)) {
    // A device or a pipe: to put a file in its place would take it from everybody else.
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail();
    return;
  }
  // Through a symbolic link, which must stay one, to the file it stands for.
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr),
                                                             &std::free);
  if (resolved) target_ = resolved.get();
  temporary_ = target_ + ".XXXXXX";
  descriptor_ = ::mkstemp(temporary_.data());
  if (descriptor_ < 0) {
    temporary_.clear();
    fail();
    return;
  }
  // mkstemp makes private files; keep the mode of the old one, or take that of any new one.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(descriptor_, exists ? old.st_mode & 07777 : 0666 & ~mask) != 0) fail();
}

FileReplacement::~FileReplacement() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileReplacement::fail() {
  if (!error_) error_ = system_error("write", path_);
}

std::optional<Error> FileReplacement::commit() {
  const bool in_place = temporary_.empty();
  if (!error_ && !in_place && ::fsync(descriptor_) != 0) fail();
  if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0) fail();
  if (error_ || in_place) return error_;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail();
  } else {
    temporary_.clear();  // it is the file now
  }
  return error_;
}

std::optional<Error> write_text_file(const std::string& path, std::string_view text) {
  FileReplacement file(path);
  if (!file.error() && !write_all(file.descriptor(), text)) file.fail();
  return file.commit();
}

}  // namespace tactus
