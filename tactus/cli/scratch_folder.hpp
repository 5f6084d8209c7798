#pragma once

#include <fcntl.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "tactus/base/unfinished.hpp"

namespace tactus::cli {

/// A new folder for temporary files, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code unknown;
    std::string name =
        (std::filesystem::temp_directory_path(unknown) / "tactus-check-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return;
    path_ = name;
    unfinished::note(AT_FDCWD, path_.c_str());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (path_.empty()) return;
    std::filesystem::remove_all(path_, ignored);
    unfinished::forget(path_.c_str());
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }  ///< empty if it could not be made

 private:
  std::string path_;
};

}  // namespace tactus::cli
