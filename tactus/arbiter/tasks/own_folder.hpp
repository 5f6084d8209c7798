#pragma once

#include <string>

#include "tactus/base/result.hpp"

namespace tactus::arbiter::tasks {

/// A folder of this run alone, for what its processes find by name. It is gone at the end.
class OwnFolder {
 public:
  static Result<OwnFolder> make();
  OwnFolder() = default;
  ~OwnFolder();
  OwnFolder(OwnFolder&& other) noexcept { path_.swap(other.path_); }
  OwnFolder& operator=(OwnFolder&& other) noexcept {
    path_.swap(other.path_);
    return *this;
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tactus::arbiter::tasks
