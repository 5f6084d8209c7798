#include "tactus/host/shared_memory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace tactus::host {
namespace {

void* map(int file, std::size_t size) {
  void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? nullptr : at;
}

unsigned flags_for(SharedMemory::For whom) {
  switch (whom) {
    case SharedMemory::For::kForked:
      return MFD_CLOEXEC;
    case SharedMemory::For::kStarted:
      return 0;
    case SharedMemory::For::kStrangers:
      return MFD_CLOEXEC | MFD_ALLOW_SEALING;
  }
  return MFD_CLOEXEC;
}

}  // namespace

SharedMemory::SharedMemory(const char* name, std::size_t size, For whom)
    : file_(memfd_create(name, flags_for(whom))), own_file_(true), size_(size) {
  int sized = 0;
  do {
    sized = file_ < 0 ? -1 : ftruncate(file_, static_cast<off_t>(size));
  } while (sized != 0 && file_ >= 0 && errno == EINTR);
  if (sized != 0) return;
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (whom == For::kStrangers && fcntl(file_, F_ADD_SEALS, kSeals) != 0) return;
  at_ = map(file_, size);
}

SharedMemory::SharedMemory(int file) : file_(file) {
  struct stat status {};
  if (fstat(file, &status) != 0 || status.st_size <= 0) return;
  size_ = static_cast<std::size_t>(status.st_size);
  at_ = map(file, size_);
}

SharedMemory SharedMemory::of_stranger(int file, std::size_t size) {
  SharedMemory found;
  struct stat status {};
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(file, &status) != 0 ||
      status.st_size < static_cast<off_t>(size))
    return found;
  found.file_ = file;
  found.size_ = size;
  found.at_ = map(file, size);
  return found;
}

SharedMemory::~SharedMemory() {
  if (at_ != nullptr) munmap(at_, size_);
  if (own_file_ && file_ >= 0) close(file_);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept { *this = std::move(other); }

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(own_file_, other.own_file_);
  std::swap(at_, other.at_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace tactus::host
