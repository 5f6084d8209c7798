#pragma once

#include <cstddef>

/// Part of what gets preloaded into foreign programs: no C++ library.
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
    kForked,     ///< processes that are forked from this one
    kStarted,    ///< processes that are started, too: these keep the descriptor
    kStrangers,  ///< processes that it is sent to: nobody can make it shorter under our feet
  };
  SharedMemory() = default;
  SharedMemory(const char* name, std::size_t size, For whom);
  /// What another process made; the descriptor remains the caller's.
  explicit SharedMemory(int file);
  /// The same from a process that is not trusted: none where it is shorter than `size`, or could be
  /// made so; whoever then looked at it would crash.
  static SharedMemory of_stranger(int file, std::size_t size);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;

  explicit operator bool() const { return at_ != nullptr; }
  void* at() const { return at_; }
  /// All of it zero is a good start for the type. @pre there is memory
  template <typename Content>
  Content& as() const {
    return *static_cast<Content*>(at_);
  }
  std::size_t size() const { return size_; }
  int file() const { return file_; }
  /// It stays mapped until the process ends: somebody beside the process may still write to it.
  void leave_mapped() { at_ = nullptr; }

 private:
  int file_ = -1;
  bool own_file_ = false;
  void* at_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tactus::host
