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
  /// Closes now; false when the last of the data could not be stored.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

Error system_error(std::string_view action, const std::string& path) {
  return {fmt::format("cannot {} {}: {}", action, path, std::strerror(errno))};
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
  constexpr std::size_t kChunk = 64 * 1024;
  std::size_t used = 0;
  for (;;) {
    text.resize(std::max({known_size + 1, used + kChunk, text.size()}));
    const ssize_t got = ::read(file.get(), text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read", shown);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > kMaxFileBytes) return too_large;
    if (used == text.size()) text.resize(2 * used);
  }
  text.resize(used);
  return text;
}

std::optional<Error> write_text_file(const std::string& path, std::string_view text) {
  std::string temporary = path + ".XXXXXX";
  Descriptor file(::mkstemp(temporary.data()));
  if (file.get() < 0) return system_error("write", path);
  const auto give_up = [&] {
    Error error = system_error("write", path);
    ::unlink(temporary.c_str());
    return error;
  };
  // mkstemp makes private files; give it the mode that any new file of this user would get.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(file.get(), 0666 & ~mask) != 0) return give_up();
  while (!text.empty()) {
    const ssize_t wrote = ::write(file.get(), text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return give_up();
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  if (::fsync(file.get()) != 0 || !file.close()) return give_up();
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up();
  return std::nullopt;
}

}  // namespace tactus
