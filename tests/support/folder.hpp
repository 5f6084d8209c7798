#pragma once

#include <string>
#include <string_view>

namespace tactus::support {

/// A folder that is gone after the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Path of a file in it; written when `text` is given.
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string file(const std::string& name, std::string_view text) const;

 private:
  std::string path_;
};

/// The whole text of a file; empty if there is none.
std::string slurp(const std::string& path);

}  // namespace tactus::support
