#include "tactus/host/shared_memory.hpp"

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

}  // namespace

SharedMemory::SharedMemory(const char* name, std::size_t size, For whom)
    : file_(memfd_create(name, whom == For::kForked ? MFD_CLOEXEC : 0)),
      own_file_(true),
      size_(size) {
  if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(size)) == 0) at_ = map(file_, size);
}

SharedMemory::SharedMemory(int file) : file_(file) {
  struct stat status {};
  if (fstat(file, &status) != 0 || status.st_size <= 0) return;
  size_ = static_cast<std::size_t>(status.st_size);
  at_ = map(file, size_);
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
