#pragma once

#include <sys/stat.h>

#include <string>

#include "tactus/base/result.hpp"

namespace tactus {

/// An open file or folder, closed at the end. Standard streams stay open.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  int get() const { return fd_; }
  int release();

 private:
  int fd_;
};

/// Where a file is or will be: a name in a folder that is kept open, so that no other user can
/// replace the folder in the meantime.
struct FilePlace {
  Descriptor folder;
  std::string name;
  std::string path;     ///< the same from the root, without symbolic links
  bool shared = false;  ///< others may write the folder
  bool exists = false;
  struct stat info {};  ///< of the file, where it exists
  bool descriptor =
      false;  ///< an entry of /proc/self/fd and the like: only the kernel can follow it
};

/// May any user other than us and root make and replace files in a folder?
bool others_may_write(const struct stat& folder);

/// Finds the place that a path stands for. Symbolic links are followed, but never one in a folder
/// that others may write to: they could make us overwrite any file that we may write. The error
/// gives only the reason: "No such file or directory".
Result<FilePlace> find_place(const std::string& path);

}  // namespace tactus
