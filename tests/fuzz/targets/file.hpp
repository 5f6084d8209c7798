#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace tactus::fuzz {

/// The input as a file, for readers that open one; in memory, and gone at the end.
class InputFile {
 public:
  explicit InputFile(const std::string& name) {
    std::string pattern = "/dev/shm/tactus-fuzz-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/" + name;
  }
  ~InputFile() { std::filesystem::remove_all(folder_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  void write(const std::uint8_t* data, std::size_t size) const {
    const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
    close(file);
  }
  const std::string& path() const { return path_; }

 private:
  std::string folder_, path_;
};

}  // namespace tactus::fuzz
