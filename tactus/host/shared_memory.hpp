#pragma once

#include <cstddef>

namespace tactus::host {

/// Memory that several processes map: a file without a name, all of it zero at the start. It is
/// freed when the last of them ends.
///
///     SharedMemory memory("tactus-run", sizeof(Block), SharedMemory::For::kStarted);
///     if (!memory) ...
///     auto* block = new (memory.at()) Block;       // a started process: SharedMemory(its number)
class SharedMemory {
 public:
  enum class For {
    kForked,   ///< processes that are forked from this one
    kStarted,  ///< processes that are started, too: these keep the descriptor
  };
  SharedMemory() = default;
  SharedMemory(const char* name, std::size_t size, For whom);
  /// What another process made; the descriptor remains the caller's.
  explicit SharedMemory(int file);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;

  explicit operator bool() const { return at_ != nullptr; }
  void* at() const { return at_; }
  std::size_t size() const { return size_; }
  int file() const { return file_; }

 private:
  int file_ = -1;
  bool own_file_ = false;
  void* at_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tactus::host
