#include "tactus/arbiter/client/task_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

namespace tactus::arbiter::client {
namespace {

bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/// Nobody else may read or write it. Root does not follow other users either.
bool is_private(const struct stat& found) {
  return found.st_uid == geteuid() && (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/// Room for a page; an error number where there is none. (A file with a hole in it would end the
/// program, by SIGBUS, where it is first written and the disk is full.)
int allocate(int file, std::size_t bytes) {
  int problem = 0;
  do {
    problem = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  } while (problem == EINTR);
  return problem;
}

/// The lock that a writer has; one of its open file, so that it ends with the process.
struct flock whole(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  return lock;
}

}  // namespace

TaskFile::~TaskFile() {
  if (file_ >= 0) close(file_);
}

bool TaskFile::file_name(const Place& place, char (&name)[kLongestName]) {
  constexpr std::size_t kLongestSuffix = 8, kEscaped = 3;
  std::size_t length = 0;
  for (const char* c = place.task; *c != 0; ++c) {
    if (length + kEscaped + kLongestSuffix >= kLongestName) return false;
    if (stays(*c)) {
      name[length++] = *c;
    } else {
      length += static_cast<std::size_t>(
          snprintf(name + length, kEscaped + 1, "%%%02X", static_cast<unsigned char>(*c)));
    }
  }
  snprintf(name + length, kLongestName - length, "%s", place.suffix);
  return length > 0;
}

bool TaskFile::open(const Place& place, std::size_t bytes, std::uint32_t version, char* problem,
                    std::size_t size) {
  const auto fail = [&](const char* what, const char* more) {
    snprintf(problem, size, "%s/%s: %s%s", place.folder, place.task, what, more);
    return false;
  };
  char name[kLongestName];
  if (!file_name(place, name)) return fail("this name is empty or too long for a file", "");
  mkdir(place.folder, 0700);  // where it is there: looked at below
  const int folder = ::open(place.folder, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  struct stat found {};
  if (folder < 0) return fail("no folder: ", strerror(errno));
  const bool ours = fstat(folder, &found) == 0 && found.st_uid == geteuid() &&
                    (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (ours) file_ = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  const int why = errno;
  close(folder);
  if (!ours) return fail("the folder belongs to another user, or others may write to it", "");
  if (file_ < 0) return fail(strerror(why), "");
  if (fstat(file_, &found) != 0) return fail(strerror(errno), "");
  if (!S_ISREG(found.st_mode)) return fail("it is not a file", "");
  if (!is_private(found)) return fail("it belongs to another user, or others may use it", "");
  if (const int no_room = found.st_size == 0 ? allocate(file_, bytes) : 0; no_room != 0)
    return fail(strerror(no_room), "");
  if (found.st_size != 0 && found.st_size != static_cast<off_t>(bytes))
    return fail("it has another size than such a file", "");
  memory_ = host::SharedMemory(file_);
  if (!memory_) return fail(strerror(errno), "");
  auto& written = memory_.as<std::atomic<std::uint32_t>>();
  std::uint32_t nobody = 0;
  if (!written.compare_exchange_strong(nobody, version) && nobody != version)
    return fail("it is of another version of Tactus", "");
  return true;
}

bool TaskFile::become_writer() {
  struct flock lock = whole(F_WRLCK);
  return fcntl(file_, F_OFD_SETLK, &lock) == 0;
}

bool TaskFile::has_writer(int file) {
  struct flock lock = whole(F_WRLCK);
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace tactus::arbiter::client
