#include "tactus/arbiter/tasks/own_folder.hpp"

#include <fmt/core.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace tactus::arbiter::tasks {

Result<OwnFolder> OwnFolder::make() {
  const char* const place = getenv("TMPDIR");
  std::string path = std::string(place != nullptr ? place : "/tmp") + "/tactus-run-XXXXXX";
  if (mkdtemp(path.data()) == nullptr)
    return Error{fmt::format("no folder {} for this run: {}", path, std::strerror(errno))};
  OwnFolder made;
  made.path_ = std::move(path);
  return made;
}

OwnFolder::~OwnFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace tactus::arbiter::tasks
