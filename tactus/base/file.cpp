#include "tactus/base/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tactus/base/unfinished.hpp"

namespace tactus {
namespace {

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

FileReplacement::FileReplacement(const std::string& path) : path_(path) {
  Result<FilePlace> place = find_place(path);
  if (!place) {
    error_ = Error{fmt::format("cannot write {}: {}", path, place.error().message)};
    return;
  }
  place_ = std::move(*place);
  const struct stat& old = place_.info;
  if (place_.exists && !place_.descriptor &&
      ::faccessat(place_.folder.get(), place_.name.c_str(), W_OK,
                  AT_EACCESS | AT_SYMLINK_NOFOLLOW) != 0) {
    fail();
    return;
  }
  if (place_.descriptor || (place_.exists && !S_ISREG(old.st_mode))) {
    open_in_place();
    return;
  }
  if (!open_temporary()) return;
  // The file is private at first; keep the mode of the old one, or take that of any new one. The
  // mode that another user chose is not kept in a folder where any user can make files.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool keep = place_.exists && (!place_.shared || old.st_uid == ::geteuid());
  if (::fchmod(descriptor_, keep ? old.st_mode & 07777 : 0666 & ~mask) != 0) fail();
}

/// A device or a pipe: replacing it by a file would take it away from all other programs.
void FileReplacement::open_in_place() {
  const uid_t owner = place_.info.st_uid;
  if (place_.shared && owner != ::geteuid() && owner != 0) {
    error_ =
        Error{fmt::format("cannot write {}: it is not a file, and belongs to another user", path_)};
    return;
  }
  const int follow = place_.descriptor ? 0 : O_NOFOLLOW;
  descriptor_ =
      ::openat(place_.folder.get(), place_.name.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | follow);
  if (descriptor_ < 0) fail();
}

bool FileReplacement::open_temporary() {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && descriptor_ < 0; ++i) {
    std::uint32_t number = 0;
    if (::getentropy(&number, sizeof number) != 0) break;
    temporary_ = fmt::format("{}.{:08x}", place_.name, number);
    unfinished::note(place_.folder.get(), temporary_.c_str());  // before: a signal may come at once
    descriptor_ = ::openat(place_.folder.get(), temporary_.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor_ >= 0) return true;
    const int why = errno;
    unfinished::forget(temporary_.c_str());
    errno = why;
    if (errno != EEXIST) break;
  }
  fail();
  temporary_.clear();
  return false;
}

FileReplacement::~FileReplacement() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  unfinished::forget(temporary_.c_str());
  ::unlinkat(place_.folder.get(), temporary_.c_str(), 0);
}

void FileReplacement::fail() {
  if (!error_) error_ = system_error("write", path_);
}

std::optional<Error> FileReplacement::commit(Durable durable) {
  const bool in_place = temporary_.empty();
  const bool sync = !in_place && durable == Durable::kNow;
  if (!error_ && sync && ::fsync(descriptor_) != 0) fail();
  if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0) fail();
  if (error_ || in_place) return error_;
  const int folder = place_.folder.get();
  if (::renameat(folder, temporary_.c_str(), folder, place_.name.c_str()) != 0) {
    fail();
  } else {
    unfinished::forget(temporary_.c_str());
    temporary_.clear();  // it is the file now
  }
  return error_;
}

std::optional<Error> write_text_file(const std::string& path, std::string_view text,
                                     Durable durable) {
  FileReplacement file(path);
  if (!file.error() && !write_all(file.descriptor(), text)) file.fail();
  return file.commit(durable);
}

std::optional<Error> sync_folder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || ::syncfs(folder.get()) != 0) return system_error("write", path);
  return std::nullopt;
}

}  // namespace tactus
