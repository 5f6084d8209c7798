#include "tactus/arbiter/client/path_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tactus::arbiter::client {
namespace {

/// Room for a name of 80 bytes, each as "%XX".
constexpr std::size_t kLongestName = 244;

bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/// A task's name as that of a file; false where it is too long.
bool file_name(const char* task, char* name) {
  std::size_t length = 0;
  for (; *task != 0; ++task) {
    if (length + 4 > kLongestName) return false;
    if (stays(*task)) {
      name[length++] = *task;
    } else {
      length += static_cast<std::size_t>(
          snprintf(name + length, 4, "%%%02X", static_cast<unsigned char>(*task)));
    }
  }
  name[length] = 0;
  return length > 0;
}

/// Nobody else may read or write it. Root does not follow other users either.
bool is_private(const struct stat& found) {
  return found.st_uid == geteuid() && (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/// Room for a page; an error number where there is none. (A file with a hole in it would end the
/// program, by SIGBUS, where it is first written and the disk is full.)
int allocate(int file) {
  int problem = 0;
  do {
    problem = posix_fallocate(file, 0, sizeof(PathPage));
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

PathFile::~PathFile() {
  if (file_ >= 0) close(file_);
}

bool PathFile::can_be_named(const char* task) {
  char name[kLongestName + 1];
  return file_name(task, name);
}

bool PathFile::open(const char* folder, const char* task, char* problem, std::size_t size) {
  const auto fail = [&](const char* what, const char* more) {
    snprintf(problem, size, "%s/%s: %s%s", folder, task, what, more);
    return false;
  };
  char name[kLongestName + 1];
  if (!file_name(task, name)) return fail("this name is empty or too long for a file", "");
  mkdir(folder, 0700);  // where it is there: looked at below
  const int place = ::open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  struct stat found {};
  if (place < 0) return fail("no folder: ", strerror(errno));
  const bool ours = fstat(place, &found) == 0 && found.st_uid == geteuid() &&
                    (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (ours) file_ = openat(place, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  const int why = errno;
  close(place);
  if (!ours) return fail("the folder belongs to another user, or others may write to it", "");
  if (file_ < 0) return fail(strerror(why), "");
  if (fstat(file_, &found) != 0) return fail(strerror(errno), "");
  if (!S_ISREG(found.st_mode)) return fail("it is not a file", "");
  if (!is_private(found)) return fail("it belongs to another user, or others may use it", "");
  if (const int no_room = found.st_size == 0 ? allocate(file_) : 0; no_room != 0)
    return fail(strerror(no_room), "");
  if (found.st_size != 0 && found.st_size != sizeof(PathPage))
    return fail("it has another size than such a file", "");
  memory_ = host::SharedMemory(file_);
  if (!memory_) return fail(strerror(errno), "");
  std::uint32_t nobody = 0;
  if (!page()->version.compare_exchange_strong(nobody, PathPage::kVersion) &&
      nobody != PathPage::kVersion)
    return fail("it is of another version of Tactus", "");
  return true;
}

bool PathFile::become_writer() {
  struct flock lock = whole(F_WRLCK);
  return fcntl(file_, F_OFD_SETLK, &lock) == 0;
}

bool PathFile::has_writer() const {
  struct flock lock = whole(F_WRLCK);
  return fcntl(file_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace tactus::arbiter::client
